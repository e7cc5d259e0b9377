import type { FastifyInstance } from 'fastify'
import { OpenLane } from '@apprentice/contracts/abilities/ability.ts'
import {
  assignLanePolicy,
  assignTokenPolicy,
  deletePolicyProfile,
  getEffectivePolicy,
  listPolicyProfiles,
  putPolicyProfile,
} from '@apprentice/contracts/admin/policies.ts'
import type { System } from '../daemon/system.ts'
import { findLaneProfile, getTokenProfile } from '../domain/policies/applied-policy.ts'
import { assignProfile, listProfiles, putProfile, removeProfile } from '../domain/policies/profiles.ts'
import { mountContract } from '../http/contract-routes.ts'
import { listPolicyAssignments } from '../store/config/policies.ts'

export function policyRoutes(app: FastifyInstance, { commands }: System): void {
  const on = mountContract(app)

  on(listPolicyProfiles)(() =>
    commands.read((reader) => ({
      profiles: listProfiles(reader),
      assignments: listPolicyAssignments(reader),
      schema_version: 1 as const,
    })),
  )

  on(putPolicyProfile)((request) =>
    commands.command(request, (ctx) => putProfile(ctx, request.params.profileName, request.body.profile)),
  )

  on(deletePolicyProfile)((request) =>
    commands.command(request, (ctx) => {
      removeProfile(ctx, request.params.profileName)
      return { removed: true as const, schema_version: 1 as const }
    }),
  )

  on(assignTokenPolicy)((request) =>
    commands.command(request, (ctx) => {
      const subject = { scope: 'token', target: request.params.tokenId } as const
      return { assignment: assignProfile(ctx, subject, request.body.profile_name), schema_version: 1 as const }
    }),
  )

  on(assignLanePolicy)((request) =>
    commands.command(request, (ctx) => {
      const subject = { scope: 'lane', target: request.params.installLane } as const
      return { assignment: assignProfile(ctx, subject, request.body.profile_name), schema_version: 1 as const }
    }),
  )

  on(getEffectivePolicy)(({ caller }) =>
    commands.read((reader) => ({
      profile: getTokenProfile(reader, caller.token_id),
      lanes: OpenLane.options.flatMap((install_lane) => {
        const profile = findLaneProfile(reader, install_lane)
        return profile === undefined ? [] : [{ install_lane, profile }]
      }),
      schema_version: 1 as const,
    })),
  )
}
