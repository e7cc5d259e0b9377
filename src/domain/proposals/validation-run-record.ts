import type { ValidationRun } from '@apprentice/contracts/learn/validation.ts'
import type { StoredProposal } from '../../store/proposals/proposals.ts'
import {
  findRun,
  insertRun,
  type StoredRun,
  updateRunEnded,
} from '../../store/validation/validation-runs.ts'
import { insertStep, type StoredStep } from '../../store/validation/validation-steps.ts'
import type { CommandContext } from '../command/context.ts'
import { recordReceipt } from '../command/ledger.ts'
import { recordProposalEvent } from './events.ts'

/** What a test came to, before it is written down. */
export interface TestResult {
  readonly test_case_id: string
  readonly label: string
  readonly result: StoredStep['result']
  /** Skipped all the same, the run is incomplete; true unless said otherwise. */
  readonly required?: boolean
  readonly details?: string | undefined
}

export interface RunEnding {
  readonly overall_result: ValidationRun['overall_result']
  readonly reason?: string | undefined
}

export function beginRun(ctx: CommandContext, proposal: StoredProposal, run: StoredRun): void {
  insertRun(ctx.tx, run)
  const { validation_run_id, run_kind } = run
  recordProposalEvent(ctx, proposal, 'learn.validation.started', { validation_run_id, run_kind })
  recordReceipt(ctx, 'learn.validation.started', {
    ...refsOf(proposal, run),
    summary: `Tests of kind ${run_kind} started.`,
    details: { run_kind, selected_tests: run.selected_tests },
  })
}

/** Keeps what a test came to and tells it at once. Each case is told once. */
export function recordTest(
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

const receiptStatus = {
  passed: 'ok',
  partial: 'degraded',
  failed: 'failed',
  cancelled: 'blocked',
} as const

export function endRun(
  ctx: CommandContext,
  proposal: StoredProposal,
  run: StoredRun,
  { overall_result, reason }: RunEnding,
): StoredRun {
  const { inputs: _, ...kept } = run
  const ended = {
    ...kept,
    overall_result,
    ...(reason === undefined ? {} : { reason: reason.slice(0, 240) }),
    completed_at: ctx.now,
  }
  updateRunEnded(ctx.tx, ended)
  const { validation_run_id, run_kind } = run
  recordProposalEvent(ctx, proposal, 'learn.validation.completed', {
    validation_run_id,
    run_kind,
    overall_result,
    ...(reason === undefined ? {} : { reason }),
  })
  recordReceipt(ctx, 'learn.validation.completed', {
    ...refsOf(proposal, run),
    status: receiptStatus[overall_result],
    summary: `Tests of kind ${run_kind} ended: ${overall_result}.`,
    ...(reason === undefined ? {} : { reason: reason.slice(0, 240) }),
    details: { run_kind, overall_result },
  })
  return ended
}

/** Ends the run a proposal has under way, if it has one. The proposal itself is left to the caller. */
export function endActiveRun(
  ctx: CommandContext,
  proposal: StoredProposal,
  ending: RunEnding,
): void {
  const { active_validation_run_id: id } = proposal
  const run = id === undefined ? undefined : findRun(ctx.tx, id)
  if (run !== undefined && run.completed_at === undefined) endRun(ctx, proposal, run, ending)
}

const refsOf = (
  { proposal_id, learn_session_id }: StoredProposal,
  { validation_run_id }: StoredRun,
) => ({
  proposal_id,
  ...(learn_session_id === undefined ? {} : { learn_session_id }),
  validation_run_id,
})
