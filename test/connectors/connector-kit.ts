import type { LightMyRequestResponse } from 'fastify'
import type { ServerListItem } from '@apprentice/contracts/connectors/server.ts'
import type { SmokeTestResult } from '@apprentice/contracts/connectors/servers.ts'
import { expect } from 'vitest'
import type { Daemon } from '../kit/daemon.ts'

export const REMOTE = {
  provider: 'custom_remote',
  display_name: 'Notes server',
  transport: 'remote_http',
  endpoint_url: 'https://notes.example/mcp',
} as const

export async function register(daemon: Daemon, changes: object = {}): Promise<ServerListItem> {
  const reply = await daemon.post('/api/mcp/servers/register', { ...REMOTE, ...changes })
  expect(reply.statusCode, reply.body).toBe(201)
  return reply.json<{ server: ServerListItem }>().server
}

export const patch = (daemon: Daemon, url: string, payload: object) => daemon.request({ method: 'PATCH', url, payload })

/** The registered servers, without the one that is a part of the program. */
export async function readServers(daemon: Daemon): Promise<ServerListItem[]> {
  const { servers } = (await daemon.get('/api/mcp/servers')).json<{ servers: ServerListItem[] }>()
  return servers.filter(({ registry }) => registry.server_id !== 'acrobat')
}

export async function smokeTest(daemon: Daemon, server_id: string, body: object = {}): Promise<SmokeTestResult> {
  const reply = await daemon.post(`/api/mcp/servers/${server_id}/smoke-test`, { server_id, ...body })
  expect(reply.statusCode, reply.body).toBe(200)
  return reply.json<SmokeTestResult>()
}

export async function createProfile(daemon: Daemon, changes: object = {}): Promise<string> {
  const reply = await daemon.post('/api/mcp/auth-profiles', { provider: 'custom_remote', ...changes })
  expect(reply.statusCode, reply.body).toBe(201)
  return reply.json<{ auth_profile_id: string }>().auth_profile_id
}

export const readCode = (reply: LightMyRequestResponse): string => reply.json<{ error: { code: string } }>().error.code
