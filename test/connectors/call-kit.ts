import type { CapabilityUseReceipt } from '@apprentice/contracts/abilities/runs.ts'
import type { AskFirstDecision, AskFirstRecord } from '@apprentice/contracts/connectors/ask-first.ts'
import type { ConnectorCall } from '@apprentice/contracts/connectors/dispatch.ts'
import { expect, vi } from 'vitest'
import type { Daemon } from '../kit/daemon.ts'
import type { WhenOver } from '../kit/phone-of-the-run.ts'
import { register, smokeTest } from './connector-kit.ts'
import { startToolServer, type ToolServer } from './tool-server.ts'

export const CALL_URL = '/api/capabilities/connectors/call'

/** A registered server with a tool that reads and one that writes, which the daemon has tested. */
export async function connectTools(
  daemon: Daemon,
  { whenOver, ...changes }: { readonly whenOver?: WhenOver; readonly display_name?: string } = {},
): Promise<{ remote: ToolServer; server_id: string }> {
  const remote = await startToolServer(whenOver)
  const { registry } = await register(daemon, {
    endpoint_url: remote.url,
    supported_tools: ['read_note', 'write_note'],
    ...changes,
  })
  await smokeTest(daemon, registry.server_id)
  return { remote, server_id: registry.server_id }
}

export const call = (
  daemon: Daemon,
  server_id: string,
  tool_name: string,
  { token, ...body }: { readonly token?: string; readonly [field: string]: unknown } = {},
) => daemon.post(CALL_URL, { server_id, tool_name, ...body }, token)

/** Calls the tool that writes. Returns the id of the call, which waits for a decision. */
export async function askToWrite(
  daemon: Daemon,
  server_id: string,
  body: Readonly<Record<string, unknown>> = {},
): Promise<string> {
  const reply = await call(daemon, server_id, 'write_note', body)
  expect(reply.statusCode, reply.body).toBe(403)
  const { code, details } = reply.json<{ error: { code: string; details: { dispatch_id: string } } }>().error
  expect(code).toBe('MCP_ASK_FIRST_REQUIRED')
  return details.dispatch_id
}

export const decide = (daemon: Daemon, id: string, decision = 'approve_once') =>
  daemon.post(`/api/mcp/ask-first/${id}/${decision === 'deny' ? 'deny' : 'approve'}`, { decision })

export async function approve(daemon: Daemon, id: string, decision?: string): Promise<AskFirstDecision> {
  const reply = await decide(daemon, id, decision)
  expect(reply.statusCode, reply.body).toBe(200)
  return reply.json<AskFirstDecision>()
}

export const readCall = async (daemon: Daemon, id: string): Promise<ConnectorCall> =>
  (await daemon.get(`/api/capabilities/connectors/calls/${id}`)).json<ConnectorCall>()

export function waitForEnd(daemon: Daemon, id: string): Promise<ConnectorCall> {
  return vi.waitUntil(
    async () => {
      const found = await readCall(daemon, id)
      return found.completed_at === undefined ? undefined : found
    },
    { timeout: 60_000 },
  )
}

export const listPending = async (daemon: Daemon): Promise<AskFirstRecord[]> =>
  (await daemon.get('/api/mcp/ask-first/pending')).json<{ dispatches: AskFirstRecord[] }>().dispatches

export const readUseReceipts = async (daemon: Daemon): Promise<CapabilityUseReceipt[]> =>
  (await daemon.get('/api/capabilities/receipts')).json<{ receipts: CapabilityUseReceipt[] }>().receipts
