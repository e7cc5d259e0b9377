import type { CleanupReason } from '@apprentice/contracts/learn/cleanups.ts'
import { Failure } from '../../failure/failure.ts'
import { mayHaveActed } from '../../knowledge/verification/run-outcome.ts'
import { findExecution } from '../../store/devices/executions.ts'
import type { Reader } from '../../store/db/db.ts'
import type { StoredProposal } from '../../store/proposals/proposals.ts'
import {
  findCleanup,
  findRunCleanup,
  insertCleanup,
  type StoredCleanup,
  updateCleanup,
} from '../../store/validation/rehearsal-cleanups.ts'
import type { StoredRun } from '../../store/validation/validation-runs.ts'
import type { CommandContext } from '../command/context.ts'
import { recordReceipt } from '../command/ledger.ts'
import { recordProposalEvent } from './events.ts'

/** Notes, before a rehearsal touches the device, that its changes must be undone. */
export function beginCleanup(ctx: CommandContext, proposal: StoredProposal, run: StoredRun): StoredCleanup {
  const { proposal_id, learn_session_id } = proposal
  const { validation_run_id, owner_user_id, serial } = run
  const cleanup: StoredCleanup = {
    cleanup_id: ctx.newId(),
    validation_run_id,
    proposal_id,
    ...(learn_session_id === undefined ? {} : { learn_session_id }),
    owner_user_id,
    ...(serial === undefined ? {} : { serial }),
    state: 'pending',
    created_at: ctx.now,
    schema_version: 1,
  }
  insertCleanup(ctx.tx, cleanup)
  recordCleanupEvent(ctx, cleanup)
  return cleanup
}

export type CleanupResult =
  | { readonly state: 'open'; readonly reason: CleanupReason }
  | { readonly state: 'not_needed' }
  | { readonly state: 'done'; readonly settled_by: 'device' | 'person'; readonly note?: string }

/** Ends the pending clean-up of a run. Undefined if the run has none. */
export function settleCleanup(ctx: CommandContext, runId: string, result: CleanupResult): StoredCleanup | undefined {
  const cleanup = findRunCleanup(ctx.tx, runId)
  return cleanup?.state === 'pending' ? saveResult(ctx, cleanup, result) : undefined
}

/** Gives the clean-up of a run that ended early to a person, unless nothing can have been changed. */
export function handOverCleanup(ctx: CommandContext, run: StoredRun, executions: readonly string[]): void {
  const changed = executions.some((id) => mayHaveChanged(ctx.tx, id))
  settleCleanup(ctx, run.validation_run_id, changed ? { state: 'open', reason: 'run_ended' } : { state: 'not_needed' })
}

/** Whether an execution may have changed something on its device, also by a step that failed. */
export function mayHaveChanged(reader: Reader, executionId: string): boolean {
  const row = findExecution(reader, executionId)
  if (row === undefined) return false
  return mayHaveActed({ ...row, step_results: row.envelope?.stepResults ?? row.step_results })
}

/** Records that a person has undone the changes. */
export function completeCleanup(ctx: CommandContext, cleanupId: string, note: string): StoredCleanup {
  const cleanup = findCleanup(ctx.tx, cleanupId)
  if (cleanup?.owner_user_id !== ctx.actor.user_id) {
    throw new Failure('CLEANUP_NOT_FOUND', `No clean-up ${cleanupId}.`)
  }
  if (cleanup.state !== 'open') {
    const { state } = cleanup
    throw new Failure('CLEANUP_NOT_OPEN', `The clean-up is ${state}.`, { details: { state } })
  }
  return saveResult(ctx, cleanup, { state: 'done', settled_by: 'person', note })
}

function saveResult(ctx: CommandContext, cleanup: StoredCleanup, result: CleanupResult): StoredCleanup {
  const settled = { ...cleanup, ...result, ...(result.state === 'open' ? {} : { settled_at: ctx.now }) }
  updateCleanup(ctx.tx, settled)
  recordCleanupEvent(ctx, settled)
  if (settled.state === 'open' || settled.state === 'done') recordCleanupReceipt(ctx, settled, settled.state)
  return settled
}

function recordCleanupEvent(ctx: CommandContext, cleanup: StoredCleanup): void {
  const { cleanup_id, validation_run_id, state, reason, settled_by } = cleanup
  recordProposalEvent(ctx, cleanup, 'learn.cleanup.changed', {
    cleanup_id,
    validation_run_id,
    state,
    ...(reason === undefined ? {} : { reason }),
    ...(settled_by === undefined ? {} : { settled_by }),
  })
}

function recordCleanupReceipt(ctx: CommandContext, cleanup: StoredCleanup, state: 'open' | 'done'): void {
  const { cleanup_id, validation_run_id, proposal_id, learn_session_id, reason, settled_by } = cleanup
  recordReceipt(ctx, state === 'open' ? 'learn.cleanup.opened' : 'learn.cleanup.done', {
    proposal_id,
    ...(learn_session_id === undefined ? {} : { learn_session_id }),
    validation_run_id,
    status: state === 'open' ? 'degraded' : 'ok',
    summary:
      state === 'open'
        ? 'A person has to undo the changes of a rehearsal.'
        : `The changes of a rehearsal were undone by ${settled_by === 'device' ? 'the daemon' : 'a person'}.`,
    details: { cleanup_id, ...(state === 'open' && reason !== undefined ? { reason } : {}) },
  })
}
