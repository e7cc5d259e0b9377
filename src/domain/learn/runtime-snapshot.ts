import type { LearningRuntimeSnapshot } from '@apprentice/contracts/learn/runtime.ts'
import { findAbility } from '../../store/abilities/abilities.ts'
import type { Reader } from '../../store/db/db.ts'
import { findLatestSession, listSessionsInStates, type StoredSession } from '../../store/sessions/learn-sessions.ts'
import { listLatestReceiptIds } from '../../store/command/receipts.ts'
import { listDataClasses } from '../capture/observation-scope.ts'
import { findSessionProposal } from '../proposals/moves.ts'
import { type SlotRule, listSlotStates } from '../sessions/session-machine.ts'

const MAX_RECEIPTS = 10

/** The session that occupies the slot of the user, or else the one changed last. */
export function findCurrentSession(reader: Reader, owner: string, rule: SlotRule): StoredSession | undefined {
  const [holder] = listSessionsInStates(reader, owner, listSlotStates(rule))
  return holder ?? findLatestSession(reader, owner)
}

/** A short summary of a session for agents and status banners. */
export function buildRuntimeSnapshot(reader: Reader, session: StoredSession, asOf: string): LearningRuntimeSnapshot {
  const { proposal_id, interpretation_id, validation_run_id } = session
  const boundary = session.stop_boundary_ref ?? session.start_boundary_ref
  return {
    learn_session_id: session.learn_session_id,
    entry_mode: session.entry_mode,
    observation_mode: session.observation_mode,
    build_policy: session.build_policy,
    state: session.state,
    observed_data_classes: listDataClasses(reader, session.learn_session_id),
    ...(boundary === undefined ? {} : { active_boundary_ref: boundary }),
    ...(interpretation_id === undefined ? {} : { interpretation_id }),
    ...(proposal_id === undefined ? {} : { proposal_id }),
    ...(validation_run_id === undefined ? {} : { validation_run_id }),
    ...readInstallation(reader, session),
    latest_receipt_ids: listLatestReceiptIds(reader, session.learn_session_id, MAX_RECEIPTS),
    snapshot_as_of: asOf,
    schema_version: 1,
  }
}

/** The lane of the ability if it exists, or else of the proposal. */
export function findInstallLane(
  reader: Reader,
  session: Pick<StoredSession, 'ability_id' | 'proposal_id'>,
): LearningRuntimeSnapshot['install_lane'] {
  return findSessionAbility(reader, session)?.install_lane ?? findSessionProposal(reader, session)?.install_lane
}

function readInstallation(reader: Reader, session: StoredSession): Partial<LearningRuntimeSnapshot> {
  const { ability_id } = session
  const lane = findInstallLane(reader, session)
  const ability = findSessionAbility(reader, session)
  return {
    ...(lane === undefined ? {} : { install_lane: lane }),
    ...(ability_id === undefined ? {} : { ability_id }),
    ...(ability === undefined ? {} : { ability_usable_now: ability.usable_now }),
    ...(ability?.reason_unusable === undefined ? {} : { reason_unusable: ability.reason_unusable }),
  }
}

const findSessionAbility = (reader: Reader, { ability_id }: Pick<StoredSession, 'ability_id'>) =>
  ability_id === undefined ? undefined : findAbility(reader, ability_id)
