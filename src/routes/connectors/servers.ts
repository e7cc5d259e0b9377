import type { FastifyInstance } from 'fastify'
import {
  createAuthProfile,
  deleteAuthProfile,
  listAuthProfiles,
  patchAuthProfile,
} from '@apprentice/contracts/connectors/auth-profiles.ts'
import { listConnectorPolicies, updateConnectorPolicy } from '@apprentice/contracts/connectors/policy.ts'
import { listConnectorReceipts } from '@apprentice/contracts/connectors/receipts.ts'
import {
  deleteConnectorServer,
  getConnectorAuthStatus,
  getConnectorHealth,
  listConnectorServers,
  patchConnectorServer,
  registerConnectorServer,
  smokeTestConnector,
} from '@apprentice/contracts/connectors/servers.ts'
import type { System } from '../../daemon/system.ts'
import * as profiles from '../../domain/connectors/sign-in/auth-profiles.ts'
import { readPolicies, updatePolicy } from '../../domain/connectors/policies.ts'
import { listReceipts } from '../../domain/connectors/registry/receipts.ts'
import {
  getServer,
  listServerViews,
  readAuthStatus,
  readLastHealth,
} from '../../domain/connectors/registry/server-view.ts'
import { patchServer, registerServer, removeServer } from '../../domain/connectors/servers.ts'
import { mountContract } from '../../http/contract-routes.ts'
import { askFirstRoutes, connectorCallRoutes } from './calls.ts'
import { assertSameServer, connectorSignInRoutes } from './sign-in.ts'
import { vaultRoutes } from './vault.ts'

export function connectorRoutes(app: FastifyInstance, system: System): void {
  serverRoutes(app, system)
  profileRoutes(app, system)
  connectorSignInRoutes(app, system)
  connectorCallRoutes(app, system)
  askFirstRoutes(app, system)
  vaultRoutes(app, system)
}

function serverRoutes(app: FastifyInstance, { commands, config, connectors }: System): void {
  const on = mountContract(app)
  const isBusy = (serverId: string): boolean => connectors.tests.isBusy(serverId)
  const { allowed_hosts, bridges, m365 } = config.settings.connectors
  const { approved_scopes } = m365
  const rules = { allowed_hosts, bridges: Object.keys(bridges), isBusy, approved_scopes }

  on(listConnectorServers)(({ caller }) =>
    commands.read((reader) => {
      const generated_at = commands.now()
      const servers = listServerViews(reader, { user_id: caller.user_id, now: generated_at, isBusy })
      return { servers, generated_at, schema_version: 1 as const }
    }),
  )
  on(registerConnectorServer)((request) =>
    commands.command(request, (ctx) => {
      const { client_request_id: _c, schema_version: _s, ...given } = request.body
      return registerServer(ctx, given, rules)
    }),
  )
  on(patchConnectorServer)(async (request) => {
    const { serverId } = request.params
    const { client_request_id: _c, schema_version: _s, ...patch } = request.body
    const patched = await commands.command(request, (ctx) => patchServer(ctx, serverId, patch, rules))
    connectors.connections.drop(serverId)
    return patched
  })
  on(deleteConnectorServer)(async (request) => {
    const { serverId } = request.params
    const removed = await commands.command(request, (ctx) => removeServer(ctx, serverId, rules))
    connectors.connections.drop(serverId)
    return removed
  })
  on(getConnectorHealth)(({ params }) =>
    commands.read((reader) => readLastHealth(reader, getServer(reader, params.serverId))),
  )
  on(getConnectorAuthStatus)(({ params }) =>
    commands.read((reader) => readAuthStatus(reader, getServer(reader, params.serverId))),
  )
  on(smokeTestConnector)((request) => {
    const { params, body } = request
    assertSameServer(params.serverId, body.server_id)
    return commands.commandOnce(request, () => connectors.tests.run(body, (work) => commands.write(request, work)))
  })
  on(updateConnectorPolicy)((request) => commands.command(request, (ctx) => updatePolicy(ctx, request.body)))
  on(listConnectorPolicies)(({ query }) =>
    commands.read((reader) => readPolicies(reader, query.server_id, commands.now())),
  )
  on(listConnectorReceipts)(({ query, caller }) => {
    const visible_to = caller.privilege === 'admin' ? undefined : caller.user_id
    return commands.read((reader) => ({
      ...listReceipts(reader, { ...query, visible_to }),
      schema_version: 1 as const,
    }))
  })
}

function profileRoutes(app: FastifyInstance, { commands }: System): void {
  const on = mountContract(app)
  on(listAuthProfiles)(() =>
    commands.read((reader) => ({ auth_profiles: profiles.listAuthProfiles(reader), schema_version: 1 as const })),
  )
  on(createAuthProfile)((request) =>
    commands.command(request, (ctx) => {
      const { client_request_id: _c, schema_version: _s, ...given } = request.body
      return profiles.createProfile(ctx, given)
    }),
  )
  on(patchAuthProfile)((request) =>
    commands.command(request, (ctx) => profiles.patchProfile(ctx, request.params.authProfileId, request.body)),
  )
  on(deleteAuthProfile)((request) =>
    commands.command(request, (ctx) => profiles.removeProfile(ctx, request.params.authProfileId)),
  )
}
