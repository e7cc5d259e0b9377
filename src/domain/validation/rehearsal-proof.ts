import { RunKind } from '@apprentice/contracts/learn/validation.ts'
import { hasActed } from '../../knowledge/verification/run-outcome.ts'
import type { Reader } from '../../store/db/db.ts'
import { findExecution } from '../../store/devices/executions.ts'
import type { StoredProposal } from '../../store/proposals/proposals.ts'
import type { StoredRun } from '../../store/validation/validation-runs.ts'
import type { StoredStep } from '../../store/validation/validation-steps.ts'
import { provesRecipe } from '../abilities/proofs.ts'
import { listRunExecutions } from '../proposals/validation-run-record.ts'
import { readDraft } from './draft-under-test.ts'
import { readResults } from './rehearsal-tests.ts'

/** Tests of the linter, the plan and the rehearsal. Dependencies, triggers and cleanup say nothing about the recipe. */
const DECISIVE_TEST = /^(?:lint|plan|action|verify|checkpoint):/

/** Whether a run without a failed test carried out the whole draft on a device. A part of its tests is not enough. */
export function provesDraft(
  reader: Reader,
  proposal: StoredProposal,
  { run, steps }: { readonly run: StoredRun; readonly steps: readonly StoredStep[] },
): boolean {
  const isPartial = run.selected_tests.some((entry) => !RunKind.safeParse(entry).success)
  if (isPartial || run.draft_hash === undefined || run.draft_hash !== proposal.draft_hash) return false
  if (
    steps.some(
      ({ result, required, test_case_id }) => result !== 'passed' && required && DECISIVE_TEST.test(test_case_id),
    )
  )
    return false
  const rehearsed = listRunExecutions(run)
    .flatMap((id) => findExecution(reader, id) ?? [])
    .filter(({ payload }) => payload.source === 'rehearsal')
  const { recipe } = readDraft(reader, proposal, run.inputs)
  if (rehearsed.length === 0 || recipe === undefined || !('compiled' in recipe)) return false
  return provesRecipe(recipe.recipe, rehearsed.flatMap(readResults).some(hasActed))
}
