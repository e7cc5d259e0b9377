import type { OpenLane } from '@apprentice/contracts/abilities/ability.ts'
import type { PolicyProfile } from '@apprentice/contracts/policy/profile.ts'
import { Failure } from '../../failure/failure.ts'
import {
  decidePolicy,
  DEFAULT_PROFILE,
  type PolicyDecision,
  type PolicySubject,
} from '../../knowledge/recipes/policy/decide-policy.ts'
import type { JobAuthority } from '../../store/command/jobs.ts'
import { findPolicyAssignment } from '../../store/config/policies.ts'
import type { Reader } from '../../store/db/db.ts'
import type { CommandContext } from '../command/context.ts'
import { getProfile } from './profiles.ts'

/** What a request says about its own work. */
export type CallerTerms = Pick<JobAuthority, 'allow_capabilities' | 'policy' | 'lanes'>

/** The same context for work under terms. They are stored with its jobs and apply to everything these start. */
export function withTerms(ctx: CommandContext, terms: CallerTerms): CommandContext {
  const { authority = {} } = ctx.actor
  const lanes = [...new Set([...(authority.lanes ?? []), ...(terms.lanes ?? [])])]
  return { ...ctx, actor: { ...ctx.actor, authority: { ...authority, ...terms, lanes } } }
}

/** The work is started by a person who names each action, which is the consent that a profile may ask for. */
export const PERSONAL_CONSENT: CallerTerms = { allow_capabilities: ['purchase_risk'] }

/** The profiles that apply, those of the operator first. All must allow the work. */
export function listAppliedProfiles(reader: Reader, authority: JobAuthority = {}): PolicyProfile[] {
  const { policy, lanes = [] } = authority
  return [
    getTokenProfile(reader, authority.token_id),
    ...lanes.flatMap((lane) => findLaneProfile(reader, lane) ?? []),
    ...(policy === undefined ? [] : [policy]),
  ]
}

export function getTokenProfile(reader: Reader, tokenId: string | undefined): PolicyProfile {
  const assigned = tokenId === undefined ? undefined : findPolicyAssignment(reader, 'token', tokenId)
  return getProfile(reader, assigned?.profile_name ?? DEFAULT_PROFILE.name)
}

export function findLaneProfile(reader: Reader, lane: OpenLane): PolicyProfile | undefined {
  const assigned = findPolicyAssignment(reader, 'lane', lane)
  return assigned && getProfile(reader, assigned.profile_name)
}

export const hasConsent = ({ allow_capabilities = [] }: JobAuthority = {}): boolean =>
  allow_capabilities.includes('purchase_risk')

export function decideWork(
  reader: Reader,
  authority: JobAuthority | undefined,
  work: Omit<PolicySubject, 'consent'>,
): PolicyDecision {
  return decidePolicy(listAppliedProfiles(reader, authority), { ...work, consent: hasConsent(authority) })
}

/** Throws if a profile does not allow the work. */
export function assertWorkAllowed(
  { tx, now, actor }: CommandContext,
  work: Omit<PolicySubject, 'consent' | 'now'>,
): void {
  const decision = decideWork(tx, actor.authority, { ...work, now })
  if (!decision.allowed) throw new Failure(decision.code, decision.message, { details: { ...decision.details } })
}
