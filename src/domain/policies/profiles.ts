import type { PolicyAssignment, StoredPolicyProfile } from '@apprentice/contracts/admin/policies.ts'
import type { PolicyProfile } from '@apprentice/contracts/policy/profile.ts'
import { Failure } from '../../failure/failure.ts'
import { DEFAULT_PROFILE } from '../../knowledge/recipes/policy/decide-policy.ts'
import * as store from '../../store/config/policies.ts'
import { listTokens } from '../../store/config/tokens.ts'
import type { Reader } from '../../store/db/db.ts'
import type { CommandContext } from '../command/context.ts'
import { recordEvent, recordReceipt } from '../command/ledger.ts'

/** All profiles. The default profile is listed also if no administrator has changed it. */
export function listProfiles(reader: Reader): StoredPolicyProfile[] {
  const stored = store.listPolicyProfiles(reader)
  const isChanged = stored.some(({ name }) => name === DEFAULT_PROFILE.name)
  const builtIn = { profile: DEFAULT_PROFILE, built_in: true }
  return [...(isChanged ? [] : [builtIn]), ...stored.map(toStoredProfile)]
}

export function putProfile(ctx: CommandContext, name: string, rules: Omit<PolicyProfile, 'name'>): StoredPolicyProfile {
  const row = { name, profile: { ...rules, name }, updated_at: ctx.now, updated_by: getAuthor(ctx) }
  store.upsertPolicyProfile(ctx.tx, row)
  recordReceipt(ctx, 'policy.profile.changed', {
    summary: `Policy profile ${name} changed.`,
    details: { profile: row.profile },
  })
  recordEvent(ctx, `policy/${name}`, 'policy.profile.changed', { profile_name: name })
  return toStoredProfile(row)
}

export function removeProfile(ctx: CommandContext, name: string): void {
  if (store.findPolicyProfile(ctx.tx, name) === undefined) throw profileNotFound(name)
  const assignments = store.listPolicyAssignments(ctx.tx).filter(({ profile_name }) => profile_name === name)
  if (assignments.length > 0 && name !== DEFAULT_PROFILE.name) {
    throw new Failure('POLICY_PROFILE_IN_USE', `The profile ${name} is assigned. End its assignments first.`, {
      details: { assignments: assignments.map(({ scope, target }) => `${scope}:${target}`).slice(0, 20) },
    })
  }
  store.deletePolicyProfile(ctx.tx, name)
  recordReceipt(ctx, 'policy.profile.removed', {
    summary: `Policy profile ${name} removed.`,
    details: { profile_name: name },
  })
  recordEvent(ctx, `policy/${name}`, 'policy.profile.removed', { profile_name: name })
}

/** Assigns a profile to a token or lane, or ends its assignment if `profileName` is null. */
export function assignProfile(
  ctx: CommandContext,
  { scope, target }: Pick<PolicyAssignment, 'scope' | 'target'>,
  profileName: string | null,
): PolicyAssignment | null {
  if (scope === 'token') assertToken(ctx.tx, target)
  if (profileName !== null) getProfile(ctx.tx, profileName)
  const before = store.findPolicyAssignment(ctx.tx, scope, target)?.profile_name ?? null
  const change = { scope, target, profile_name: profileName, previous: before }
  recordReceipt(ctx, 'policy.assignment.changed', {
    summary:
      profileName === null
        ? `The ${scope} ${target} has no policy profile of its own.`
        : `Policy profile ${profileName} assigned to the ${scope} ${target}.`,
    details: change,
  })
  recordEvent(ctx, `policy/${scope}/${target}`, 'policy.assignment.changed', change)
  if (profileName === null) {
    store.deletePolicyAssignment(ctx.tx, scope, target)
    return null
  }
  const assignment = { scope, target, profile_name: profileName, updated_at: ctx.now, updated_by: getAuthor(ctx) }
  store.upsertPolicyAssignment(ctx.tx, assignment)
  return assignment
}

/** The profile with this name. The default profile always exists. */
export function getProfile(reader: Reader, name: string): PolicyProfile {
  const found = store.findPolicyProfile(reader, name)?.profile
  if (found !== undefined) return found
  if (name === DEFAULT_PROFILE.name) return DEFAULT_PROFILE
  throw profileNotFound(name)
}

const BOOTSTRAP = 'bootstrap'

function assertToken(reader: Reader, tokenId: string): void {
  if (tokenId === BOOTSTRAP) return
  const isActive = listTokens(reader).some(
    ({ token_id, revoked_at }) => token_id === tokenId && revoked_at === undefined,
  )
  if (!isActive) throw new Failure('TOKEN_NOT_FOUND', 'No active token has this id.')
}

const profileNotFound = (name: string): Failure =>
  new Failure('POLICY_PROFILE_NOT_FOUND', `There is no policy profile ${name}.`, { details: { profile_name: name } })

const getAuthor = ({ actor }: CommandContext): string => actor.operator ?? actor.user_id

const toStoredProfile = ({ profile, updated_at, updated_by }: store.PolicyProfileRow): StoredPolicyProfile => ({
  profile,
  built_in: false,
  updated_at,
  updated_by,
})
