import { randomUUID } from 'node:crypto'
import type { CommandContext } from '../../src/domain/command/context.ts'
import { recordSessionEvent } from '../../src/domain/command/ledger.ts'
import { replaceDependencies } from '../../src/store/proposals/proposal-dependencies.ts'
import { insertRun, completeRun } from '../../src/store/validation/validation-runs.ts'
import { insertStep } from '../../src/store/validation/validation-steps.ts'

/** Adds a dependency, a test policy and a validation run to a draft. */
export function addTestedDraft(ctx: CommandContext, session: string, proposal: string): void {
  replaceDependencies(ctx.tx, proposal, [{ dependency_kind: 'app_manual', dependency_ref: 'mail.pdf', required: true }])
  const run = {
    validation_run_id: randomUUID(),
    proposal_id: proposal,
    owner_user_id: 'local',
    run_kind: 'lint' as const,
    started_at: ctx.now,
    overall_result: 'partial' as const,
    result_refs: [],
    selected_tests: [],
    schema_version: 1 as const,
  }
  insertRun(ctx.tx, run)
  insertStep(ctx.tx, {
    validation_run_id: run.validation_run_id,
    test_case_id: 'lint.checkpoints',
    label: 'Checkpoints',
    result: 'passed',
    required: true,
    created_at: ctx.now,
    schema_version: 1,
  })
  completeRun(ctx.tx, { ...run, overall_result: 'passed', completed_at: ctx.now })
  recordSessionEvent(ctx, session, 'learn.validation.completed')
}
