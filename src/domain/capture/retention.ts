import { deleteExecutionSteps, listExpiredExecutions } from '../../store/devices/execution-steps.ts'
import { deleteObservations } from '../../store/capture/observations.ts'
import { deleteSessionTries } from '../../store/practice/practices.ts'
import {
  deleteSomeObservations,
  listProposalsToArchive,
  listSessionsToArchive,
  listSessionsToPurge,
  updateObservationsPurged,
  updateProposalArchived,
  updateSessionArchived,
} from '../../store/capture/retention.ts'
import { type CommandContext, asSystem } from '../command/context.ts'
import { recordEvent, recordSessionEvent } from '../command/ledger.ts'
import { SETTLED_STATES, listSlotStates } from '../sessions/session-machine.ts'

const DAY_MS = 24 * 3_600_000
const PURGE_AFTER_MS = 7 * DAY_MS
const DELETE_EXECUTION_AFTER_MS = 30 * DAY_MS
const ARCHIVE_SESSION_AFTER_MS = 30 * DAY_MS
const ARCHIVE_PROPOSAL_AFTER_MS = 14 * DAY_MS

/** States whose data may be purged or archived. A privately installed ability is still in use. */
const CLOSED_STATES = SETTLED_STATES.filter((state) => state !== 'installed_private')
/** Always by the `settled` rule: retention must not depend on the configured slot rule. */
export const ACTIVE_STATES = listSlotStates('settled')

/**
 * Each function of this file does at most `limit` units of work in the command's transaction and returns how many it
 * did; 0 means there is no more work. Data that an active session refers to is not touched.
 */
export function purgeObservations(ctx: CommandContext, limit: number): number {
  const old = listSessionsToPurge(ctx.tx, selectClosedBefore(ctx, PURGE_AFTER_MS, limit))
  let remaining = limit
  for (const { learn_session_id, owner_user_id } of old) {
    remaining -= deleteSomeObservations(ctx.tx, learn_session_id, remaining)
    // The session may have more observations; the next call continues.
    if (remaining <= 0) break
    remaining -= 1
    deleteObservations(ctx.tx, learn_session_id)
    deleteSessionTries(ctx.tx, learn_session_id)
    updateObservationsPurged(ctx.tx, learn_session_id, ctx.now)
    recordSessionEvent(asSystem(ctx, owner_user_id, 'nightly'), learn_session_id, 'learn.observation.changed', {
      payload: { purged: true },
    })
  }
  return limit - remaining
}

/** Deletes stored execution steps after 30 days, or with the sessions that learned from them. */
export function deleteExecutionEvidence(ctx: CommandContext, limit: number): number {
  const deleted = listExpiredExecutions(ctx.tx, {
    stored_before: new Date(Date.parse(ctx.now) - DELETE_EXECUTION_AFTER_MS).toISOString(),
    session_finished_before: new Date(Date.parse(ctx.now) - PURGE_AFTER_MS).toISOString(),
    holding: ACTIVE_STATES,
    limit,
  })
  for (const id of deleted) deleteExecutionSteps(ctx.tx, id)
  if (deleted.length > 0) {
    recordEvent(ctx, 'executions', 'execution.evidence.changed', { forgotten: deleted.length })
  }
  return deleted.length
}

/** An archived session stays readable. Its next state change unarchives it. */
export function archiveSessions(ctx: CommandContext, limit: number): number {
  const old = listSessionsToArchive(ctx.tx, selectClosedBefore(ctx, ARCHIVE_SESSION_AFTER_MS, limit))
  for (const { learn_session_id, owner_user_id } of old) {
    updateSessionArchived(ctx.tx, learn_session_id, ctx.now)
    const nightly = asSystem(ctx, owner_user_id, 'nightly')
    recordSessionEvent(nightly, learn_session_id, 'learn.session.archived')
  }
  return old.length
}

/** Archives closed proposals. A closed proposal never changes, so `updated_at` is the time it was closed. */
export function archiveProposals(ctx: CommandContext, limit: number): number {
  const old = listProposalsToArchive(ctx.tx, selectClosedBefore(ctx, ARCHIVE_PROPOSAL_AFTER_MS, limit))
  for (const { proposal_id, owner_user_id, learn_session_id } of old) {
    updateProposalArchived(ctx.tx, proposal_id, ctx.now)
    const nightly = asSystem(ctx, owner_user_id, 'nightly')
    const payload = { proposal_id }
    if (learn_session_id === null) {
      recordEvent(nightly, `proposal/${proposal_id}`, 'learn.proposal.archived', payload)
    } else {
      recordSessionEvent(nightly, learn_session_id, 'learn.proposal.archived', {
        ref: `proposal:${proposal_id}`,
        payload,
      })
    }
  }
  return old.length
}

const selectClosedBefore = (ctx: CommandContext, afterMs: number, limit: number) => ({
  states: CLOSED_STATES,
  holding: ACTIVE_STATES,
  finished_before: new Date(Date.parse(ctx.now) - afterMs).toISOString(),
  limit,
})
