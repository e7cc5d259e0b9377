import type { ValidationRun } from '@apprentice/contracts/learn/validation.ts'
import type { StoredProposal } from '../../store/proposals/proposals.ts'
import { findRun, insertRun, type StoredRun, completeRun } from '../../store/validation/validation-runs.ts'
import { insertStep, type StoredStep } from '../../store/validation/validation-steps.ts'
import type { CommandContext } from '../command/context.ts'
import { recordReceipt } from '../command/ledger.ts'
import { recordProposalEvent } from './events.ts'
import { handOverCleanup } from './rehearsal-cleanups.ts'

/** The result of one test. */
export interface TestResult {
  readonly test_case_id: string
  readonly label: string
  readonly result: StoredStep['result']
  /** If a required test is skipped the validation run is incomplete. Default: true. */
  readonly required?: boolean
  readonly details?: string | undefined
}

export interface ValidationOutcome {
  readonly overall_result: ValidationRun['overall_result']
  readonly reason?: string | undefined
}

export function startValidationRun(ctx: CommandContext, proposal: StoredProposal, run: StoredRun): void {
  insertRun(ctx.tx, run)
  const { validation_run_id, run_kind } = run
  recordProposalEvent(ctx, proposal, 'learn.validation.started', { validation_run_id, run_kind })
  recordReceipt(ctx, 'learn.validation.started', {
    ...toReceiptRefs(proposal, run),
    summary: `Tests of kind ${run_kind} started.`,
    details: { run_kind, selected_tests: run.selected_tests },
  })
}

/** Stores a test result and records its event. A repeated test case is ignored. */
export function recordTestResult(
  ctx: CommandContext,
  proposal: StoredProposal,
  runId: string,
  { required = true, ...test }: TestResult,
): void {
  const { test_case_id, label, result, details } = {
    ...test,
    test_case_id: test.test_case_id.slice(0, 160),
    label: test.label.slice(0, 240),
    details: test.details?.slice(0, 1000),
  }
  const isNew = insertStep(ctx.tx, {
    validation_run_id: runId,
    test_case_id,
    label,
    result,
    required,
    ...(details === undefined ? {} : { details }),
    created_at: ctx.now,
    schema_version: 1,
  })
  if (!isNew) return
  recordProposalEvent(ctx, proposal, 'learn.validation.step_finished', {
    validation_run_id: runId,
    test_case_id,
    label,
    result,
    ...(details === undefined ? {} : { details }),
  })
}

const RECEIPT_STATUS = {
  passed: 'ok',
  partial: 'degraded',
  failed: 'failed',
  cancelled: 'blocked',
} as const

export function endValidationRun(
  ctx: CommandContext,
  proposal: StoredProposal,
  run: StoredRun,
  { overall_result, reason }: ValidationOutcome,
): StoredRun {
  const { inputs: _, cleanup_inputs: __, ...fields } = run
  handOverCleanup(ctx, run, listRunExecutions(run))
  const finished = {
    ...fields,
    overall_result,
    ...(reason === undefined ? {} : { reason: reason.slice(0, 240) }),
    completed_at: ctx.now,
  }
  completeRun(ctx.tx, finished)
  const { validation_run_id, run_kind } = run
  recordProposalEvent(ctx, proposal, 'learn.validation.completed', {
    validation_run_id,
    run_kind,
    overall_result,
    ...(reason === undefined ? {} : { reason }),
  })
  recordReceipt(ctx, 'learn.validation.completed', {
    ...toReceiptRefs(proposal, run),
    status: RECEIPT_STATUS[overall_result],
    summary: `Tests of kind ${run_kind} ended: ${overall_result}.`,
    ...(reason === undefined ? {} : { reason: reason.slice(0, 240) }),
    details: { run_kind, overall_result },
  })
  return finished
}

/** Ends the active validation run of a proposal, if any. Does not change the proposal itself. */
export function endActiveValidationRun(ctx: CommandContext, proposal: StoredProposal, ending: ValidationOutcome): void {
  const { active_validation_run_id: id } = proposal
  const run = id === undefined ? undefined : findRun(ctx.tx, id)
  if (run !== undefined && run.completed_at === undefined) endValidationRun(ctx, proposal, run, ending)
}

const toReceiptRefs = ({ proposal_id, learn_session_id }: StoredProposal, { validation_run_id }: StoredRun) => ({
  proposal_id,
  ...(learn_session_id === undefined ? {} : { learn_session_id }),
  validation_run_id,
})

/** The executions of a run, in order. */
export const listRunExecutions = ({ result_refs }: Pick<StoredRun, 'result_refs'>): string[] =>
  result_refs.filter((ref) => ref.startsWith('execution:')).map((ref) => ref.slice('execution:'.length))
