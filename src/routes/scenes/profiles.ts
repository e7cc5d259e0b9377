import type { FastifyInstance } from 'fastify'
import { deleteSceneProfile, listSceneProfiles, putSceneProfile } from '@apprentice/contracts/scenes/runs.ts'
import { listOwnProfiles, removeProfile, storeProfile } from '../../domain/scenes/scene-profiles.ts'
import { mountContract } from '../../http/contract-routes.ts'
import type { System } from '../../daemon/system.ts'

export function sceneProfileRoutes(app: FastifyInstance, { commands, connectors }: System): void {
  const on = mountContract(app)

  on(putSceneProfile)((request) => {
    const { domain, name, storage_state } = request.body
    const given = {
      domain,
      name,
      storage_state: JSON.stringify(storage_state),
      cookies: storage_state.cookies.length,
    }
    return commands.command(request, (ctx) => ({
      profile: storeProfile(ctx, connectors.vault, given),
      schema_version: 1 as const,
    }))
  })

  on(listSceneProfiles)(({ caller }) => ({
    profiles: commands.read((reader) => listOwnProfiles(reader, caller.user_id)),
    schema_version: 1,
  }))

  on(deleteSceneProfile)((request) =>
    commands.command(request, (ctx) => ({
      ...removeProfile(ctx, request.params.profileId),
      schema_version: 1 as const,
    })),
  )
}
