import { randomUUID } from 'node:crypto'
import type { CommandContext } from '../../src/domain/command/context.ts'
import { recordSessionEvent } from '../../src/domain/command/ledger.ts'
import { replaceDependencies } from '../../src/store/proposals/proposal-dependencies.ts'
import { insertRun, updateRunEnded } from '../../src/store/validation/validation-runs.ts'
import { insertStep } from '../../src/store/validation/validation-steps.ts'

/** A draft that needs something and was tested. */
export function testedRows(act: CommandContext, session: string, proposal: string): void {
  replaceDependencies(act.tx, proposal, [
    { dependency_kind: 'app_manual', dependency_ref: 'mail.pdf', required: true },
  ])
  const run = {
    validation_run_id: randomUUID(),
    proposal_id: proposal,
    owner_user_id: 'local',
    run_kind: 'lint' as const,
    started_at: act.now,
    overall_result: 'partial' as const,
    result_refs: [],
    selected_tests: [],
    schema_version: 1 as const,
  }
  insertRun(act.tx, run)
  insertStep(act.tx, {
    validation_run_id: run.validation_run_id,
    test_case_id: 'lint.checkpoints',
    label: 'Checkpoints',
    result: 'passed',
    required: true,
    created_at: act.now,
    schema_version: 1,
  })
  updateRunEnded(act.tx, { ...run, overall_result: 'passed', completed_at: act.now })
  recordSessionEvent(act, session, 'learn.validation.completed')
}
