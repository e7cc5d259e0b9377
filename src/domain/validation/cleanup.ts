import type { CleanupReason } from '@apprentice/contracts/learn/cleanups.ts'
import { Failure } from '../../failure/failure.ts'
import type { Reader } from '../../store/db/db.ts'
import type { StoredProposal } from '../../store/proposals/proposals.ts'
import { findRunCleanup } from '../../store/validation/rehearsal-cleanups.ts'
import type { StoredRun } from '../../store/validation/validation-runs.ts'
import type { CommandContext } from '../command/context.ts'
import { type CleanupResult, mayHaveChanged, settleCleanup } from '../proposals/rehearsal-cleanups.ts'
import { listRunExecutions, type TestResult } from '../proposals/validation-run-record.ts'
import { readDraft } from './draft-under-test.ts'
import { findOpenRun, recordTests } from './finish-run.ts'
import { buildRehearsal, type Rehearsal } from './rehearsal.ts'

/** A clean-up is due if the policy requires it, or if the caller said how to undo the rehearsal. */
export const needsCleanup = (
  { policy }: Pick<Rehearsal, 'policy'>,
  { cleanup_inputs }: Pick<StoredRun, 'cleanup_inputs'>,
): boolean => policy.cleanup_required || cleanup_inputs !== undefined

/** Throws if the recipe cannot be run with the values that should undo the rehearsal. */
export function assertCleanupCompiles(
  reader: Reader,
  proposal: StoredProposal,
  { inputs, cleanup_inputs }: Pick<StoredRun, 'inputs' | 'cleanup_inputs'>,
): void {
  if (cleanup_inputs === undefined) return
  const { recipe } = readDraft(reader, proposal, { ...inputs, ...cleanup_inputs })
  if (recipe !== undefined && 'compiled' in recipe && recipe.compiled.ok) return
  const violations = recipe === undefined ? [] : 'compiled' in recipe ? readViolations(recipe) : recipe.violations
  const reason = violations[0]?.message ?? 'the draft has no recipe'
  throw new Failure('INVALID_REQUEST', `cleanup_inputs: the recipe cannot be run with them: ${reason}`.slice(0, 240), {
    details: { field: 'cleanup_inputs' },
  })
}

const readViolations = ({
  compiled,
}: {
  compiled: { ok: true } | { ok: false; violations: readonly { message: string }[] }
}) => (compiled.ok ? [] : compiled.violations)

/** What is done after a rehearsal: nothing, the recipe once more with other values, or a task for a person. */
export type CleanupPlan =
  | { readonly kind: 'none' }
  | { readonly kind: 'rehearsal'; readonly rehearsal: Rehearsal }
  | { readonly kind: 'person' }

/** Decides how the changes of a rehearsal are undone. */
export function planCleanup(ctx: CommandContext, runId: string): CleanupPlan {
  const open = findOpenRun(ctx, runId)
  if (open === undefined || findRunCleanup(ctx.tx, runId)?.state !== 'pending') return { kind: 'none' }
  const { run, proposal } = open
  if (!listRunExecutions(run).some((id) => mayHaveChanged(ctx.tx, id))) {
    settleCleanup(open.ctx, runId, { state: 'not_needed' })
    return { kind: 'none' }
  }
  if (run.cleanup_inputs === undefined) return { kind: 'person' }
  const rehearsal = buildRehearsal(readDraft(ctx.tx, proposal, { ...run.inputs, ...run.cleanup_inputs }), runId)
  return rehearsal === undefined ? { kind: 'person' } : { kind: 'rehearsal', rehearsal: toCleanup(rehearsal, runId) }
}

/** Not `rehearsal` as the source: a clean-up proves nothing about the draft. */
const toCleanup = (rehearsal: Rehearsal, runId: string): Rehearsal => ({
  ...rehearsal,
  kind: 'cleanup',
  parts: rehearsal.parts.map((part, position) => ({
    ...part,
    execution: { ...part.execution, commandId: `cleanup-${runId}.${position}`, source: 'cleanup' },
  })),
})

/** Records how the clean-up of a rehearsal ended. Returns false if the run has ended. */
export function recordCleanup(ctx: CommandContext, runId: string, failed?: CleanupReason): boolean {
  const open = findOpenRun(ctx, runId)
  if (open === undefined) return false
  const result: CleanupResult =
    failed === undefined ? { state: 'done', settled_by: 'device' } : { state: 'open', reason: failed }
  const cleanup = settleCleanup(open.ctx, runId, result)
  return recordTests(ctx, runId, [
    failed === undefined ? CLEANED_TEST : toManualTest(failed, cleanup?.cleanup_id ?? ''),
  ])
}

const LABEL = 'Changes of the rehearsal are undone'

const CLEANED_TEST: TestResult = {
  test_case_id: 'cleanup:device',
  label: LABEL,
  result: 'passed',
  details: 'The recipe ran again with the values for the clean-up, and its verification held on the device.',
}

const WHY: Readonly<Record<CleanupReason, string>> = {
  no_cleanup_inputs: 'cleanup_inputs was not given',
  cleanup_failed: 'the clean-up failed',
  not_verified: 'the device did not show that the clean-up worked',
  run_ended: 'the run ended early',
}

const toManualTest = (reason: CleanupReason, cleanupId: string): TestResult => ({
  test_case_id: 'cleanup:manual',
  label: LABEL,
  result: 'skipped',
  details: `A person has to undo the changes of the rehearsal on the device (clean-up ${cleanupId}): ${WHY[reason]}.`,
})
