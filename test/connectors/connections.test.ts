import { setTimeout as pause } from 'node:timers/promises'
import { expect, onTestFinished, test, vi } from 'vitest'
import { ConnectionPool } from '../../src/connectors/connection-pool.ts'
import { probeServer } from '../../src/connectors/probe.ts'
import { callTool } from '../../src/connectors/tool-call.ts'
import { startDaemon } from '../kit/daemon.ts'
import { call, connectTools, readCall } from './call-kit.ts'
import { patch } from './connector-kit.ts'
import { startToolServer, type ToolServer } from './tool-server.ts'

function openPool(limits?: { idle_ms: number; max_connections: number }): ConnectionPool {
  const pool = new ConnectionPool({ allowed_hosts: [], bridges: {}, version: '1' }, limits)
  onTestFinished(() => pool.close())
  return pool
}

const target = ({ url }: ToolServer, changes: object = {}) => ({
  server_id: 'notes',
  display_name: 'Notes',
  endpoint_url: url,
  ...changes,
})

const never = new AbortController().signal
const readNote = (pool: ConnectionPool, at: ReturnType<typeof target>, signal = never) =>
  callTool(pool, at, { tool_name: 'read_note', arguments: {}, max_duration_ms: 5000 }, signal)

test('calls of a server share one connection, also at the same time', async () => {
  const [pool, remote] = [openPool(), await startToolServer()]
  const calls = await Promise.all(Array.from({ length: 20 }, () => readNote(pool, target(remote))))
  expect(calls.every(({ kind }) => kind === 'result')).toBe(true)
  expect(await readNote(pool, target(remote))).toMatchObject({ kind: 'result' })
  expect([remote.handshakes, remote.calls.length, pool.size]).toEqual([1, 21, 1])
})

test('an unused connection is closed, and more than the limit are not kept', async () => {
  const pool = openPool({ idle_ms: 30, max_connections: 2 })
  const remotes = await Promise.all([startToolServer(), startToolServer(), startToolServer()])
  for (const [at, remote] of remotes.entries()) {
    await readNote(pool, target(remote, { server_id: `server-${at}` }))
    expect(pool.size).toBeLessThanOrEqual(2)
  }
  await vi.waitUntil(() => pool.size === 0)
  await readNote(pool, target(remotes[2], { server_id: 'server-2' }))
  expect(remotes.map(({ handshakes }) => handshakes)).toEqual([1, 1, 2])
})

test('a connection in use is not closed to make room for another', async () => {
  const pool = openPool({ idle_ms: 60_000, max_connections: 1 })
  const [busy, other] = [await startToolServer(), await startToolServer()]
  let finish = (): void => undefined
  busy.afterCall = new Promise((resolve) => {
    finish = resolve
  })
  const running = readNote(pool, target(busy))
  await vi.waitUntil(() => busy.calls.length === 1)
  expect(await readNote(pool, target(other, { server_id: 'other' }))).toMatchObject({ kind: 'result' })
  finish()
  expect(await running).toMatchObject({ kind: 'result' })
  await readNote(pool, target(busy))
  expect([busy.handshakes, other.handshakes]).toEqual([1, 1])
})

test('another token or another address opens a new connection', async () => {
  const [pool, remote, moved] = [openPool(), await startToolServer(), await startToolServer()]
  for (const bearer of ['first-token', 'second-token', 'second-token']) await readNote(pool, target(remote, { bearer }))
  expect([remote.handshakes, remote.authorization]).toEqual([2, 'Bearer second-token'])
  await readNote(pool, target(moved, { bearer: 'second-token' }))
  expect([moved.handshakes, pool.size]).toEqual([1, 1])
})

test('a connection that failed is replaced, and one that was refused is kept', async () => {
  const [pool, remote] = [openPool(), await startToolServer()]
  await readNote(pool, target(remote))
  remote.status = 429
  remote.headers = { 'retry-after': '7' }
  expect(await readNote(pool, target(remote))).toMatchObject({ http_status: 429, retry_after_ms: 7000 })
  remote.status = undefined
  await readNote(pool, target(remote))
  expect(remote.handshakes).toBe(1)
  remote.status = 500
  expect(await readNote(pool, target(remote))).toMatchObject({ kind: 'fault', reason_code: 'http_500' })
  remote.status = undefined
  expect(await readNote(pool, target(remote))).toMatchObject({ kind: 'result' })
  expect(remote.handshakes).toBe(2)
})

test('a call whose session the server has forgotten is made once, on a new connection', async () => {
  const [pool, remote] = [openPool(), await startToolServer()]
  remote.session = 'first'
  await readNote(pool, target(remote))
  remote.session = 'second'
  expect(await readNote(pool, target(remote))).toMatchObject({ kind: 'result' })
  expect([remote.handshakes, remote.calls.length]).toEqual([2, 2])
})

test('a call that is stopped does not wait for its server, and ends its connection only', async () => {
  const [pool, remote] = [openPool(), await startToolServer()]
  remote.afterCall = new Promise(() => undefined)
  const stop = new AbortController()
  const running = readNote(pool, target(remote), stop.signal)
  await vi.waitUntil(() => remote.calls.length === 1)
  stop.abort()
  expect(await running).toMatchObject({ kind: 'fault', reason_code: 'timeout' })
  remote.afterCall = Promise.resolve()
  expect(await readNote(pool, target(remote))).toMatchObject({ kind: 'result' })
})

test('a probe lists the tools on a connection of its own, and asks an open one for a sign of life only', async () => {
  const [pool, remote] = [openPool(), await startToolServer()]
  expect(await probeServer(pool, target(remote), never)).toMatchObject({ connected: true, tools: [{}, {}] })
  expect(pool.size).toBe(0)
  await readNote(pool, target(remote))
  const found = await probeServer(pool, target(remote), never)
  expect(found).toMatchObject({ connected: true, call: 'none' })
  expect([found.tools, pool.size, remote.handshakes]).toEqual([undefined, 1, 2])
})

test('calls over the daemon use one connection until the server is changed', async () => {
  const daemon = await startDaemon()
  const { remote, server_id } = await connectTools(daemon)
  const before = remote.handshakes
  for (let count = 0; count < 3; count += 1) await call(daemon, server_id, 'read_note')
  expect(remote.handshakes - before).toBe(1)
  await patch(daemon, `/api/mcp/servers/${server_id}`, { display_name: 'Other notes' })
  await call(daemon, server_id, 'read_note')
  expect(remote.handshakes - before).toBe(2)
})

test('a running call says how far it is, and can be cancelled', async () => {
  const daemon = await startDaemon()
  const { remote, server_id } = await connectTools(daemon)
  remote.progress = { progress: 2, total: 5 }
  remote.afterCall = new Promise(() => undefined)
  const running = call(daemon, server_id, 'read_note')
  await vi.waitUntil(() => remote.calls.length === 1)
  const [dispatch_id = ''] = daemon
    .events()
    .filter(({ kind }) => kind === 'mcp.dispatch.changed')
    .map(({ payload }) => (payload as { dispatch_id: string }).dispatch_id)
  await vi.waitUntil(async () => (await readCall(daemon, dispatch_id)).progress !== undefined)
  expect(await readCall(daemon, dispatch_id)).toMatchObject({ status: 'running', progress: { progress: 2, total: 5 } })
  expect((await daemon.post(`/api/capabilities/connectors/calls/${dispatch_id}/cancel`, {})).statusCode).toBe(200)
  expect((await running).json()).toMatchObject({ status: 'cancelled' })
  expect((await readCall(daemon, dispatch_id)).progress).toBeUndefined()
  await pause(0)
  expect(remote.calls).toEqual(['read_note'])
})
