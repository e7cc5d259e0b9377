import {
  deleteExecutionSteps,
  listForgettableExecutions,
} from '../../store/devices/execution-steps.ts'
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
import { settledStates, slotStates } from '../sessions/session-machine.ts'

const dayMs = 24 * 3_600_000
const purgeAfterMs = 7 * dayMs
const forgetExecutionAfterMs = 30 * dayMs
const archiveSessionAfterMs = 30 * dayMs
const archiveProposalAfterMs = 14 * dayMs

/** Ended as far as keeping things goes; a private install is still in use. */
const endedStates = settledStates.filter((state) => state !== 'installed_private')
/** Under way, whatever the rule for a second session is: a promise of privacy does not depend on that setting. */
export const holdingStates = slotStates('settled')

/**
 * Each of these does at most `limit` pieces of work in the act's transaction and returns how many it did; none
 * left means done. What a session under way refers to is left alone.
 */
export function purgeObservations(ctx: CommandContext, limit: number): number {
  const old = listSessionsToPurge(ctx.tx, endedBefore(ctx, purgeAfterMs, limit))
  let left = limit
  for (const { learn_session_id, owner_user_id } of old) {
    left -= deleteSomeObservations(ctx.tx, learn_session_id, left)
    // There may be more of this one; the next call sees.
    if (left <= 0) break
    left -= 1
    deleteObservations(ctx.tx, learn_session_id)
    deleteSessionTries(ctx.tx, learn_session_id)
    updateObservationsPurged(ctx.tx, learn_session_id, ctx.now)
    recordSessionEvent(
      asSystem(ctx, owner_user_id, 'nightly'),
      learn_session_id,
      'learn.observation.changed',
      { payload: { purged: true } },
    )
  }
  return limit - left
}

/** What was seen of executions goes after a month, and with the sessions that learned from it. */
export function forgetExecutions(ctx: CommandContext, limit: number): number {
  const forgotten = listForgettableExecutions(ctx.tx, {
    kept_before: new Date(Date.parse(ctx.now) - forgetExecutionAfterMs).toISOString(),
    ended_before: new Date(Date.parse(ctx.now) - purgeAfterMs).toISOString(),
    holding: holdingStates,
    limit,
  })
  for (const id of forgotten) deleteExecutionSteps(ctx.tx, id)
  if (forgotten.length > 0) {
    recordEvent(ctx, 'executions', 'execution.evidence.changed', { forgotten: forgotten.length })
  }
  return forgotten.length
}

/** An archived session stays readable; a later move brings it back. */
export function archiveSessions(ctx: CommandContext, limit: number): number {
  const old = listSessionsToArchive(ctx.tx, endedBefore(ctx, archiveSessionAfterMs, limit))
  for (const { learn_session_id, owner_user_id } of old) {
    updateSessionArchived(ctx.tx, learn_session_id, ctx.now)
    const nightly = asSystem(ctx, owner_user_id, 'nightly')
    recordSessionEvent(nightly, learn_session_id, 'learn.session.archived')
  }
  return old.length
}

/** Proposals that were given up; nothing changes one after that, so its last change tells when. */
export function archiveProposals(ctx: CommandContext, limit: number): number {
  const old = listProposalsToArchive(ctx.tx, endedBefore(ctx, archiveProposalAfterMs, limit))
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

const endedBefore = (ctx: CommandContext, afterMs: number, limit: number) => ({
  states: endedStates,
  holding: holdingStates,
  ended_before: new Date(Date.parse(ctx.now) - afterMs).toISOString(),
  limit,
})
