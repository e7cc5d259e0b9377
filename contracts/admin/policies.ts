import { z } from 'zod'
import { OpenLane } from '../abilities/ability.ts'
import { DateTime, requestBody, SchemaVersion, Uuid } from '../base/fields.ts'
import { route } from '../base/route.ts'
import { PolicyProfile } from '../policy/profile.ts'

const ProfileName = z.string().regex(/^[a-z0-9][a-z0-9._-]{0,119}$/)

export const StoredPolicyProfile = z
  .object({
    profile: PolicyProfile,
    built_in: z.boolean().describe('Whether it is the default profile and no administrator has changed it'),
    updated_at: DateTime.optional(),
    updated_by: z.string().max(160).optional(),
  })
  .meta({ id: 'StoredPolicyProfile' })
export type StoredPolicyProfile = z.infer<typeof StoredPolicyProfile>

/** A token id, or `bootstrap` for the token that the daemon was started with. */
const TokenKey = z.union([Uuid, z.literal('bootstrap')])

export const PolicyAssignment = z
  .object({
    scope: z.enum(['token', 'lane']),
    target: z.string().max(160).describe('The id of the token, or the name of the install lane'),
    profile_name: z.string().max(120),
    updated_at: DateTime,
    updated_by: z.string().max(160),
  })
  .meta({ id: 'PolicyAssignment' })
export type PolicyAssignment = z.infer<typeof PolicyAssignment>

const TAG = 'policy'
const profileParams = z.object({ profileName: ProfileName })
const assignmentBody = requestBody({
  profile_name: ProfileName.nullable().describe('The profile to assign; null ends the assignment'),
})
const assignmentReply = z.object({ assignment: PolicyAssignment.nullable(), schema_version: SchemaVersion })

export const listPolicyProfiles = route({
  method: 'GET',
  url: '/api/policy/profiles',
  tag: TAG,
  summary: 'List the policy profiles and what they are assigned to',
  privilege: 'admin',
  reply: z.object({
    profiles: z.array(StoredPolicyProfile),
    assignments: z.array(PolicyAssignment),
    schema_version: SchemaVersion,
  }),
})

export const putPolicyProfile = route({
  method: 'PUT',
  url: '/api/policy/profiles/:profileName',
  tag: TAG,
  summary: 'Create or replace a policy profile; `default` applies to tokens without a profile of their own',
  privilege: 'admin',
  params: profileParams,
  body: requestBody({ profile: PolicyProfile.omit({ name: true }) }),
  reply: StoredPolicyProfile,
})

export const deletePolicyProfile = route({
  method: 'DELETE',
  url: '/api/policy/profiles/:profileName',
  tag: TAG,
  summary: 'Remove a policy profile that is not assigned; `default` becomes the built-in one again',
  privilege: 'admin',
  params: profileParams,
  reply: z.object({ removed: z.literal(true), schema_version: SchemaVersion }),
  fails: ['POLICY_PROFILE_NOT_FOUND', 'POLICY_PROFILE_IN_USE'],
})

export const assignTokenPolicy = route({
  method: 'PUT',
  url: '/api/policy/tokens/:tokenId',
  tag: TAG,
  summary: 'Assign a policy profile to a token and the logins it opens, in place of the default profile',
  privilege: 'admin',
  params: z.object({ tokenId: TokenKey }),
  body: assignmentBody,
  reply: assignmentReply,
  fails: ['POLICY_PROFILE_NOT_FOUND', 'TOKEN_NOT_FOUND'],
})

export const assignLanePolicy = route({
  method: 'PUT',
  url: '/api/policy/lanes/:installLane',
  tag: TAG,
  summary: 'Assign a policy profile to the abilities of an install lane, in addition to the profile of the token',
  privilege: 'admin',
  params: z.object({ installLane: OpenLane }),
  body: assignmentBody,
  reply: assignmentReply,
  fails: ['POLICY_PROFILE_NOT_FOUND'],
})

export const getEffectivePolicy = route({
  method: 'GET',
  url: '/api/policy/effective',
  tag: TAG,
  summary: 'Get the policy profiles that apply to the work of this token',
  privilege: 'read',
  reply: z.object({
    profile: PolicyProfile.describe('The profile of the token'),
    lanes: z
      .array(z.object({ install_lane: OpenLane, profile: PolicyProfile }))
      .describe('Profiles that apply in addition to abilities of these lanes'),
    schema_version: SchemaVersion,
  }),
})
