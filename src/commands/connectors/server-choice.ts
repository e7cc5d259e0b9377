import type { Client } from '@apprentice/contracts/client.ts'
import type { ServerListItem } from '@apprentice/contracts/connectors/server.ts'
import { listConnectorServers } from '@apprentice/contracts/connectors/servers.ts'

/** The server with this id, or the only one with this name. */
export async function chooseServer(call: Client, name: string): Promise<ServerListItem> {
  const { servers } = await call(listConnectorServers)
  const found = servers.filter(({ registry }) => registry.server_id === name || registry.display_name === name)
  const [server, another] = found
  if (server === undefined) {
    const known = servers.map(({ registry }) => registry.server_id).join(', ')
    throw new Error(
      known === '' ? 'No connector server is registered.' : `No connector server is ${name}. There are: ${known}.`,
    )
  }
  if (another !== undefined) {
    const ids = found.map(({ registry }) => registry.server_id).join(', ')
    throw new Error(`Several connector servers are called ${name}. Name one by its id: ${ids}.`)
  }
  return server
}
