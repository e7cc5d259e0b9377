import type { LearningRuntimeSnapshot } from '@apprentice/contracts/learn/runtime.ts'
import { findAbility } from '../../store/abilities/abilities.ts'
import type { Reader } from '../../store/db/db.ts'
import {
  findLatestSession,
  listSessionsInStates,
  type StoredSession,
} from '../../store/sessions/learn-sessions.ts'
import { listLatestReceiptIds } from '../../store/command/receipts.ts'
import { dataClasses } from '../capture/observation-scope.ts'
import { findSessionProposal } from '../proposals/moves.ts'
import { type SlotRule, slotStates } from '../sessions/session-machine.ts'

const receiptLimit = 10

/** The session a user is at: the one that holds the slot, else the one changed last. */
export function findCurrentSession(
  reader: Reader,
  owner: string,
  rule: SlotRule,
): StoredSession | undefined {
  const [holder] = listSessionsInStates(reader, owner, slotStates(rule))
  return holder ?? findLatestSession(reader, owner)
}

/** Where a session stands, in the few facts a running agent or a banner needs. */
export function runtimeSnapshot(
  reader: Reader,
  session: StoredSession,
  asOf: string,
): LearningRuntimeSnapshot {
  const { proposal_id, interpretation_id, validation_run_id } = session
  const boundary = session.stop_boundary_ref ?? session.start_boundary_ref
  return {
    learn_session_id: session.learn_session_id,
    entry_mode: session.entry_mode,
    observation_mode: session.observation_mode,
    build_policy: session.build_policy,
    state: session.state,
    observed_data_classes: dataClasses(reader, session.learn_session_id),
    ...(boundary === undefined ? {} : { active_boundary_ref: boundary }),
    ...(interpretation_id === undefined ? {} : { interpretation_id }),
    ...(proposal_id === undefined ? {} : { proposal_id }),
    ...(validation_run_id === undefined ? {} : { validation_run_id }),
    ...installation(reader, session),
    latest_receipt_ids: listLatestReceiptIds(reader, session.learn_session_id, receiptLimit),
    snapshot_as_of: asOf,
    schema_version: 1,
  }
}

/** The ability's own record tells the lane once there is one; before that the proposal does. */
export function installLane(
  reader: Reader,
  session: Pick<StoredSession, 'ability_id' | 'proposal_id'>,
): LearningRuntimeSnapshot['install_lane'] {
  return (
    ofAbility(reader, session)?.install_lane ?? findSessionProposal(reader, session)?.install_lane
  )
}

function installation(reader: Reader, session: StoredSession): Partial<LearningRuntimeSnapshot> {
  const { ability_id } = session
  const lane = installLane(reader, session)
  const ability = ofAbility(reader, session)
  return {
    ...(lane === undefined ? {} : { install_lane: lane }),
    ...(ability_id === undefined ? {} : { ability_id }),
    ...(ability === undefined ? {} : { ability_usable_now: ability.usable_now }),
    ...(ability?.reason_unusable === undefined ? {} : { reason_unusable: ability.reason_unusable }),
  }
}

const ofAbility = (reader: Reader, { ability_id }: Pick<StoredSession, 'ability_id'>) =>
  ability_id === undefined ? undefined : findAbility(reader, ability_id)
