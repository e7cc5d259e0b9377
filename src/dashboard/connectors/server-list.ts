import type { ServerListItem } from '@apprentice/contracts/connectors/server.ts'
import { listConnectorServers } from '@apprentice/contracts/connectors/servers.ts'
import { call } from '../api/client.ts'
import { CONNECTOR_POLL } from '../api/poll.ts'
import { type Resource, useResource } from '../api/resource.ts'

/** All registered servers as the daemon sees them. Pages derive no badge and no action by themselves. */
export const useServers = (): Resource<{ readonly servers: readonly ServerListItem[] }> =>
  useResource('connectors', () => call(listConnectorServers), CONNECTOR_POLL)

export const toServerHref = (serverId: string): string => `/connectors/servers/${encodeURIComponent(serverId)}`
