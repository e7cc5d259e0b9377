import { AbilityId, Uuid } from '@apprentice/contracts/base/fields.ts'
import { Failure } from '../../failure/failure.ts'
import { findAbilityIdOfCapability } from '../../store/capabilities/capability-owners.ts'
import type { Reader } from '../../store/db/db.ts'
import { listSessionsInStates } from '../../store/sessions/learn-sessions.ts'
import { findProposal } from '../../store/proposals/proposals.ts'
import { slotStates } from '../sessions/session-machine.ts'

/** A request in the form of a retired route, which did not always name in its path what it meant. */
export interface LegacyAsked {
  readonly caller: string
  readonly params: Fields
  readonly query: Fields
  readonly body: Fields
}

type Fields = Readonly<Record<string, unknown>>

/** Finds what a retired request means and gives it the names of the new path. */
export type LegacyIds = (reader: Reader, asked: LegacyAsked) => Readonly<Record<string, string>>

export const noIds: LegacyIds = () => ({})

export const sessionInPath: LegacyIds = (_reader, { params }) => ({
  sessionId: checked(params['sessionId'], 'sessionId'),
})

export const proposalInPath: LegacyIds = (_reader, { params }) => ({
  proposalId: checked(params['proposalId'], 'proposalId'),
})

const sessionFields = ['learn_session_id', 'teach_session_id', 'session_id'] as const

/** The session that was named, else the one the caller has under way. */
export const namedOrOpenSession: LegacyIds = (reader, asked) => {
  for (const fields of [asked.body, asked.query]) {
    for (const name of sessionFields) {
      // A wrong name is refused: to fall back would end another session than the one meant.
      if (fields[name] !== undefined) return { sessionId: checked(fields[name], name) }
    }
  }
  // Whatever the rule for a second session is, an ended one is not under way.
  const [open] = listSessionsInStates(reader, asked.caller, slotStates('settled'))
  if (open === undefined) {
    throw new Failure('LEARN_SESSION_NOT_FOUND', 'You have no learn session under way.')
  }
  return { sessionId: open.learn_session_id }
}

export const sessionOfProposal: LegacyIds = (reader, { params, caller }) => {
  const proposalId = checked(params['proposalId'], 'proposalId')
  const proposal = findProposal(reader, proposalId)
  if (proposal === undefined || proposal.owner_user_id !== caller) {
    throw new Failure('PROPOSAL_NOT_FOUND', `No proposal ${proposalId}.`)
  }
  if (proposal.learn_session_id === undefined) {
    throw new Failure('LEARN_SESSION_NOT_FOUND', 'This proposal came from no learn session.')
  }
  return { sessionId: proposal.learn_session_id }
}

export const namedAbility: LegacyIds = (reader, { body }) => {
  if (body['ability_id'] !== undefined) return { abilityId: named(body, 'ability_id') }
  const capability = named(body, 'capability_id')
  const abilityId = findAbilityIdOfCapability(reader, capability)
  if (abilityId === undefined) {
    throw new Failure('ABILITY_NOT_FOUND', `No ability has the capability ${capability}.`)
  }
  return { abilityId }
}

function checked(value: unknown, field: string): string {
  const read = Uuid.safeParse(value)
  if (read.success) return read.data
  throw new Failure('INVALID_REQUEST', `${field} must be a uuid.`, { details: { field } })
}

function named(body: Fields, field: string): string {
  const read = AbilityId.safeParse(body[field])
  if (read.success) return read.data
  throw new Failure('INVALID_REQUEST', `${field} must name one.`, { details: { field } })
}
