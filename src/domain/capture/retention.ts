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
export function purgeObservations(act: CommandContext, limit: number): number {
  const old = listSessionsToPurge(act.tx, endedBefore(act, purgeAfterMs, limit))
  let left = limit
  for (const { learn_session_id, owner_user_id } of old) {
    left -= deleteSomeObservations(act.tx, learn_session_id, left)
    // There may be more of this one; the next call sees.
    if (left <= 0) break
    left -= 1
    deleteObservations(act.tx, learn_session_id)
    deleteSessionTries(act.tx, learn_session_id)
    updateObservationsPurged(act.tx, learn_session_id, act.now)
    recordSessionEvent(
      asSystem(act, owner_user_id, 'nightly'),
      learn_session_id,
      'learn.observation.changed',
      { payload: { purged: true } },
    )
  }
  return limit - left
}

/** What was seen of executions goes after a month, and with the sessions that learned from it. */
export function forgetExecutions(act: CommandContext, limit: number): number {
  const forgotten = listForgettableExecutions(act.tx, {
    kept_before: new Date(Date.parse(act.now) - forgetExecutionAfterMs).toISOString(),
    ended_before: new Date(Date.parse(act.now) - purgeAfterMs).toISOString(),
    holding: holdingStates,
    limit,
  })
  for (const id of forgotten) deleteExecutionSteps(act.tx, id)
  if (forgotten.length > 0) {
    recordEvent(act, 'executions', 'execution.evidence.changed', { forgotten: forgotten.length })
  }
  return forgotten.length
}

/** An archived session stays readable; a later move brings it back. */
export function archiveSessions(act: CommandContext, limit: number): number {
  const old = listSessionsToArchive(act.tx, endedBefore(act, archiveSessionAfterMs, limit))
  for (const { learn_session_id, owner_user_id } of old) {
    updateSessionArchived(act.tx, learn_session_id, act.now)
    const nightly = asSystem(act, owner_user_id, 'nightly')
    recordSessionEvent(nightly, learn_session_id, 'learn.session.archived')
  }
  return old.length
}

/** Proposals that were given up; nothing changes one after that, so its last change tells when. */
export function archiveProposals(act: CommandContext, limit: number): number {
  const old = listProposalsToArchive(act.tx, endedBefore(act, archiveProposalAfterMs, limit))
  for (const { proposal_id, owner_user_id, learn_session_id } of old) {
    updateProposalArchived(act.tx, proposal_id, act.now)
    const nightly = asSystem(act, owner_user_id, 'nightly')
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

const endedBefore = (act: CommandContext, afterMs: number, limit: number) => ({
  states: endedStates,
  holding: holdingStates,
  ended_before: new Date(Date.parse(act.now) - afterMs).toISOString(),
  limit,
})
