import { existsSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { hash } from 'node:crypto'
import { expect, test } from 'vitest'
import type { ConnectorCall } from '@apprentice/contracts/connectors/dispatch.ts'
import { insertContent } from '../../../src/store/connectors/contents.ts'
import { readCode } from '../connector-kit.ts'
import { callFamily, connectM365, type M365Server, readFamily } from './m365-kit.ts'

const FETCH = { drive_item_ref: 'own-1', include_content: true }
const GIBIBYTE = 1 << 30

async function fetchFile(server: M365Server): Promise<string> {
  const { result } = await readFamily(server, 'onedrive_fetch_file', FETCH)
  return (result as { content_ref: string }).content_ref
}

const locateFile = ({ daemon }: M365Server, content: string): string => {
  const digest = hash('sha256', content, 'hex')
  return join(daemon.home, 'connector-files', digest.slice(0, 2), digest)
}

test('a user keeps at most 1 GiB of contents, and a call that would keep more fails without leaving a file', async () => {
  const server = await connectM365()
  const { daemon, server_id } = server
  const kept = { server_id, dispatch_id: 'earlier', sha256: 'f'.repeat(64), media_type: 'text/plain', file_name: 'a' }
  await daemon.system.store.write((tx) =>
    insertContent(tx, {
      ...kept,
      content_id: '00000000-0000-4000-8000-000000000001',
      user_id: 'local',
      bytes: GIBIBYTE - 3,
      created_at: daemon.clock.now.toISOString(),
    }),
  )
  const refused = (await callFamily(server, 'onedrive_fetch_file', FETCH)).json<ConnectorCall>()
  expect(refused).toMatchObject({ status: 'failed', error_code: 'content_quota_exceeded' })
  expect(existsSync(locateFile(server, 'my notes'))).toBe(false)
  // It says nothing about the server, and other users are not affected.
  const health = await daemon.get(`/api/mcp/servers/${server_id}/health`)
  expect(health.json()).toMatchObject({ health_status: 'healthy', failure_count_rolling: 0 })
  const other = await callFamily(server, 'onedrive_fetch_file', FETCH, { token: await daemon.tokenFor('ada') })
  expect(other.json()).toMatchObject({ status: 'succeeded' })
})

test('contents are kept for a day, and their files are removed when no content has them', async () => {
  const server = await connectM365()
  const { daemon } = server
  const file = locateFile(server, 'my notes')
  const contents = daemon.system.connectors.contents
  const first = await fetchFile(server)
  daemon.clock.advance(23 * 3_600_000)
  const second = await fetchFile(server)
  daemon.clock.advance(2 * 3_600_000)
  await daemon.system.sweeper.sweepNow()
  const read = (ref: string) => daemon.get(`/api/capabilities/connectors/contents/${ref}`)
  expect(readCode(await read(first))).toBe('CONNECTOR_CONTENT_NOT_FOUND')
  expect((await read(second)).body).toBe('my notes')
  utimesSync(file, 0, 0)
  expect(await contents.sweep()).toBe(0)
  daemon.clock.advance(24 * 3_600_000)
  await daemon.system.sweeper.sweepNow()
  expect(readCode(await read(second))).toBe('CONNECTOR_CONTENT_NOT_FOUND')
  expect(await contents.sweep()).toBe(1)
  expect(existsSync(file)).toBe(false)
})

test('a file that was just written is not removed, because its content may be recorded right now', async () => {
  const server = await connectM365()
  await fetchFile(server)
  const { daemon } = server
  daemon.clock.advance(25 * 3_600_000)
  await daemon.system.sweeper.sweepNow()
  expect(await daemon.system.connectors.contents.sweep()).toBe(0)
  expect(existsSync(locateFile(server, 'my notes'))).toBe(true)
})
