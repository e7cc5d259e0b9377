import { AbilityId, Uuid } from '@apprentice/contracts/base/fields.ts'
import { Failure } from '../../failure/failure.ts'
import { findAbilityIdByProposedCapability } from '../../store/capabilities/capability-owners.ts'
import type { Reader } from '../../store/db/db.ts'
import { listSessionsInStates } from '../../store/sessions/learn-sessions.ts'
import { findProposal } from '../../store/proposals/proposals.ts'
import { listSlotStates } from '../sessions/session-machine.ts'

/** A request to a retired route. Its ids may be in the path, the query or the body. */
export interface LegacyRequest {
  readonly caller: string
  readonly params: Fields
  readonly query: Fields
  readonly body: Fields
}

type Fields = Readonly<Record<string, unknown>>

/** Resolves the path parameters of the current route from a legacy request. */
export type ResolveLegacyIds = (reader: Reader, request: LegacyRequest) => Readonly<Record<string, string>>

export const noIds: ResolveLegacyIds = () => ({})

export const sessionFromPath: ResolveLegacyIds = (_reader, { params }) => ({
  sessionId: parseUuid(params['sessionId'], 'sessionId'),
})

export const proposalFromPath: ResolveLegacyIds = (_reader, { params }) => ({
  proposalId: parseUuid(params['proposalId'], 'proposalId'),
})

const SESSION_FIELDS = ['learn_session_id', 'teach_session_id', 'session_id'] as const

/** The session named in the body or query, or else the caller's active session. */
export const namedOrOpenSession: ResolveLegacyIds = (reader, request) => {
  for (const fields of [request.body, request.query]) {
    for (const name of SESSION_FIELDS) {
      // An invalid id is an error: using the active session instead could end the wrong session.
      if (fields[name] !== undefined) return { sessionId: parseUuid(fields[name], name) }
    }
  }
  // Always by the `settled` rule: a settled session is not active under any configuration.
  const [open] = listSessionsInStates(reader, request.caller, listSlotStates('settled'))
  if (open === undefined) {
    throw new Failure('LEARN_SESSION_NOT_FOUND', 'No learn session is active; send learn_session_id.')
  }
  return { sessionId: open.learn_session_id }
}

export const sessionFromProposal: ResolveLegacyIds = (reader, { params, caller }) => {
  const proposalId = parseUuid(params['proposalId'], 'proposalId')
  const proposal = findProposal(reader, proposalId)
  if (proposal === undefined || proposal.owner_user_id !== caller) {
    throw new Failure('PROPOSAL_NOT_FOUND', `No proposal ${proposalId}.`)
  }
  if (proposal.learn_session_id === undefined) {
    throw new Failure('LEARN_SESSION_NOT_FOUND', 'This proposal has no learn session.')
  }
  return { sessionId: proposal.learn_session_id }
}

export const abilityFromBody: ResolveLegacyIds = (reader, { body }) => {
  if (body['ability_id'] !== undefined) return { abilityId: parseName(body, 'ability_id') }
  const capability = parseName(body, 'capability_id')
  const abilityId = findAbilityIdByProposedCapability(reader, capability)
  if (abilityId === undefined) {
    throw new Failure('ABILITY_NOT_FOUND', `No ability has the capability ${capability}.`)
  }
  return { abilityId }
}

function parseUuid(value: unknown, field: string): string {
  const read = Uuid.safeParse(value)
  if (read.success) return read.data
  throw new Failure('INVALID_REQUEST', `${field} must be a uuid.`, { details: { field } })
}

function parseName(body: Fields, field: string): string {
  const read = AbilityId.safeParse(body[field])
  if (read.success) return read.data
  throw new Failure('INVALID_REQUEST', `${field} must be a valid id.`, { details: { field } })
}
