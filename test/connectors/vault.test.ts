import { readdirSync } from 'node:fs'
import { Writable } from 'node:stream'
import { pino } from 'pino'
import { expect, test } from 'vitest'
import { backup } from '../../src/commands/backup/backup.ts'
import { Replica } from '../../src/commands/backup/replica.ts'
import { restore } from '../../src/commands/backup/restore.ts'
import { Vault } from '../../src/connector-runtime/vault.ts'
import { addVaultKey, readVaultKeys } from '../../src/home/vault-keys.ts'
import { findEntry, upsertEntry } from '../../src/store/connectors/vault.ts'
import { type Daemon, shareDaemon, startDaemon } from '../kit/daemon.ts'
import { measureLongestTurn } from '../kit/longest-turn.ts'
import { readCode, readServers, smokeTest } from './connector-kit.ts'
import { findFilesWith, makeFolder } from './home-search.ts'
import { registerProtected, sendCallback, startSignIn, visitPage } from './sign-in-kit.ts'

const shared = shareDaemon()
const NOW = '2026-03-01T12:00:00.000Z'
const putSecret = (daemon: Daemon, name: string, value: string) =>
  daemon.request({ method: 'PUT', url: `/api/vault/secrets/${name}`, payload: { value } })

const readEntries = (daemon: Daemon) =>
  daemon.system.store.read(
    ({ db }) => db.prepare('SELECT * FROM vault_entries').all() as { entry_ref: string; key_id: string }[],
  )

test('the text of tokens, codes and secrets is in no file of the home, no reply, no log line and no backup', async () => {
  const lines: string[] = []
  const log = pino({ level: 'trace' }, new Writable({ write: (line, _e, done) => (lines.push(String(line)), done()) }))
  const daemon = await startDaemon({ log })
  const { authority, server_id } = await registerProtected(daemon)
  const replies: string[] = []
  const started = await startSignIn(daemon, server_id)
  const callback = await visitPage(started)
  replies.push((await sendCallback(daemon, callback)).body)
  replies.push((await putSecret(daemon, 'api-key', 'marked-api-key-77aa')).body)
  replies.push((await daemon.post(`/api/mcp/servers/${server_id}/auth/refresh`, { server_id, force: true })).body)
  expect((await smokeTest(daemon, server_id)).status).toBe('passed')
  for (const url of ['servers', 'auth-profiles', 'receipts', `servers/${server_id}/auth/status`]) {
    replies.push((await daemon.get(`/api/mcp/${url}`)).body)
  }
  replies.push((await daemon.get('/api/vault/secrets')).body)
  await daemon.waitForProjections()
  const query = new URL(callback, 'http://127.0.0.1').searchParams
  const texts = [...authority.secrets, 'marked-api-key-77aa', query.get('code') ?? '', query.get('state') ?? '']
  expect(texts.length).toBeGreaterThanOrEqual(6)
  expect(texts.filter((text) => text.length < 10)).toEqual([])
  expect(texts.filter((text) => [...replies, ...lines].some((reply) => reply.includes(text)))).toEqual([])
  expect(findFilesWith(daemon.home, texts)).toEqual([])
  const saved = makeFolder()
  await backup(daemon.home, saved, { withSecrets: false })
  expect(findFilesWith(saved, texts)).toEqual([])
  expect(readdirSync(saved)).not.toContain('secrets')
  const copied = makeFolder()
  const replica = await Replica.open(daemon.home, copied, { withSecrets: false })
  await replica.update('2026-03-02T00:00:00.000Z')
  replica.close()
  expect(readdirSync(copied, { recursive: true }).length).toBeGreaterThan(1)
  expect(
    findFilesWith(copied, [...texts, ...readVaultKeys(daemon.home).map(({ key }) => key.toString('hex'))]),
  ).toEqual([])
})

test('a restored home without its secrets asks for a new sign-in, and with them it goes on', async () => {
  const daemon = await startDaemon()
  const { server_id } = await registerProtected(daemon)
  await sendCallback(daemon, await visitPage(await startSignIn(daemon, server_id)))
  const saved = makeFolder()
  await backup(daemon.home, saved, { withSecrets: true })
  const [bare, whole] = [makeFolder(), makeFolder()]
  await restore(saved, bare, { withSecrets: false, now: '2026-03-02T00:00:00.000Z' })
  await restore(saved, whole, { withSecrets: true, now: '2026-03-02T00:00:00.000Z' })
  const without = await startDaemon({ home: bare })
  const reply = await without.post(`/api/mcp/servers/${server_id}/auth/refresh`, { server_id, force: true })
  expect(reply.json()).toMatchObject({ error: { code: 'MCP_OAUTH_REFRESH_NOT_ALLOWED' } })
  const complete = await startDaemon({ home: whole })
  const again = await complete.post(`/api/mcp/servers/${server_id}/auth/refresh`, { server_id, force: true })
  expect(again.json()).toMatchObject({ auth_state: 'healthy' })
})

test('rotating replaces the key, encrypts every entry again and removes the old key', async () => {
  const daemon = await startDaemon()
  await putSecret(daemon, 'first', 'one')
  await putSecret(daemon, 'second', 'two')
  const [before] = readVaultKeys(daemon.home)
  const reply = (await daemon.post('/api/vault/rotate', {})).json<{ key_id: string; entries: number }>()
  expect(reply.entries).toBe(2)
  expect(readVaultKeys(daemon.home).map(({ key_id }) => key_id)).toEqual([reply.key_id])
  expect(reply.key_id).not.toBe(before?.key_id)
  expect(readEntries(daemon).map(({ key_id }) => key_id)).toEqual([reply.key_id, reply.key_id])
  const { secrets } = (await daemon.get('/api/vault/secrets')).json<{ secrets: { secret_ref: string }[] }>()
  expect(secrets.map(({ secret_ref }) => secret_ref)).toEqual(['secret:first', 'secret:second'])
})

test('rotating a vault with many large entries delays no other request, and leaves none behind', async () => {
  const daemon = await startDaemon()
  const { vault } = daemon.system.connectors
  const text = 'x'.repeat(2_000_000)
  await daemon.system.store.write((tx) => {
    for (let at = 0; at < 30; at += 1) {
      const entry_ref = `result:large-${at}`
      upsertEntry(tx, { entry_ref, ...vault.seal(entry_ref, text), created_at: NOW, updated_at: NOW })
    }
    for (let at = 0; at < 500; at += 1) {
      const entry_ref = `result:small-${at}`
      upsertEntry(tx, { entry_ref, ...vault.seal(entry_ref, 'small'), created_at: NOW, updated_at: NOW })
    }
  })
  let reply = { key_id: '', entries: 0 }
  const turn = await measureLongestTurn(async () => {
    reply = (await daemon.post('/api/vault/rotate', {})).json<typeof reply>()
  })
  expect(turn).toBeLessThan(200)
  expect(reply.entries).toBe(530)
  expect(readEntries(daemon).filter(({ key_id }) => key_id !== reply.key_id)).toEqual([])
  const open = (ref: string) => {
    const row = daemon.system.store.read((reader) => findEntry(reader, ref) as never) as Parameters<Vault['open']>[0]
    return new Vault(daemon.home).open(row)
  }
  expect([open('result:large-29') === text, open('result:small-499')]).toEqual([true, 'small'])
})

test('a start ends a rotation that was interrupted, and loses no entry', async () => {
  const home = makeFolder()
  const first = await startDaemon({ home })
  await putSecret(first, 'kept', 'marked-kept')
  await first.stop()
  // The new key is on disk, and no entry is under it yet.
  addVaultKey(home)
  const second = await startDaemon({ home })
  const [current, ...others] = readVaultKeys(home)
  expect(others).toEqual([])
  expect(readEntries(second).map(({ key_id }) => key_id)).toEqual([current?.key_id])
  const vault = new Vault(home)
  const row = second.system.store.read(
    ({ db }) => db.prepare('SELECT * FROM vault_entries').get() as Parameters<Vault['open']>[0],
  )
  expect(vault.open(row)).toBe('marked-kept')
  expect(vault.open({ ...row, entry_ref: 'secret:other' })).toBeUndefined()
})

test.each(['token:ap-1', 'result:00000000-0000-4000-8000-000000000000', 'scene-profile:1', 'secret:', 'client'])(
  'a profile cannot name the entry %s of the vault, which is no secret of an administrator',
  async (secret_ref) => {
    const daemon = shared()
    const given = { provider: 'custom_remote', auth_mode: 'api_key', secret_ref }
    const reply = await daemon.post('/api/mcp/auth-profiles', given)
    expect([reply.statusCode, readCode(reply)]).toEqual([400, 'INVALID_REQUEST'])
    expect((await daemon.get('/api/mcp/auth-profiles')).json()).toMatchObject({ auth_profiles: [] })
  },
)

test('secrets are stored and removed by administrators only, and the server list shows none', async () => {
  const daemon = await startDaemon()
  const token = await daemon.tokenFor('ada', 'write')
  const url = '/api/vault/secrets/mine'
  expect((await daemon.request({ method: 'PUT', url, payload: { value: 'x' }, token })).statusCode).toBe(403)
  expect((await daemon.get('/api/vault/secrets', token)).statusCode).toBe(403)
  await putSecret(daemon, 'mine', 'x')
  expect((await daemon.delete(url)).json()).toMatchObject({ deleted: true })
  expect((await daemon.delete(url)).statusCode).toBe(404)
  expect(await readServers(daemon)).toEqual([])
})
