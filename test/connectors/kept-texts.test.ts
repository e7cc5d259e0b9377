import { readdirSync } from 'node:fs'
import { Writable } from 'node:stream'
import { pino } from 'pino'
import { expect, test } from 'vitest'
import { backup } from '../../src/commands/backup/backup.ts'
import { startDaemon } from '../kit/daemon.ts'
import { approve, askToWrite, call, waitForEnd } from './call-kit.ts'
import { createProfile, register, smokeTest } from './connector-kit.ts'
import { findFilesWith, makeFolder } from './home-search.ts'
import { startToolServer } from './tool-server.ts'

const KEY = 'marked-api-key-5be1'
const SENT = 'marked-argument-90d2'
const ANSWERED = 'marked-answer-c7f3'
const REFUSAL = 'marked-refusal-1a44'

test('what calls send, get and sign in with is in no file of the home, no log line and no backup, while they wait, run and fail', async () => {
  const lines: string[] = []
  const log = pino({ level: 'trace' }, new Writable({ write: (line, _e, done) => (lines.push(String(line)), done()) }))
  const daemon = await startDaemon({ log })
  const remote = await startToolServer()
  remote.note = ANSWERED
  await daemon.request({ method: 'PUT', url: '/api/vault/secrets/notes', payload: { value: KEY } })
  const auth_profile_id = await createProfile(daemon, { auth_mode: 'api_key', secret_ref: 'secret:notes' })
  const { registry } = await register(daemon, {
    endpoint_url: remote.url,
    auth_profile_id,
    supported_tools: ['read_note', 'write_note'],
  })
  const { server_id } = registry
  await smokeTest(daemon, server_id)
  const sent = { arguments: { title: SENT } }
  const read = await call(daemon, server_id, 'read_note', sent)
  expect([read.statusCode, remote.authorization]).toEqual([200, `Bearer ${KEY}`])
  expect(read.body).toContain(ANSWERED)
  const approved = await askToWrite(daemon, server_id, sent)
  await approve(daemon, approved)
  await waitForEnd(daemon, approved)
  await askToWrite(daemon, server_id, sent)
  remote.status = 500
  remote.headers = {
    'x-reason': REFUSAL,
    'www-authenticate': `Bearer error="invalid_token", error_description="${REFUSAL}"`,
  }
  const failed = await call(daemon, server_id, 'read_note', sent)
  expect(failed.body).not.toContain(REFUSAL)
  expect(remote.arguments.at(-1)).toEqual({ title: SENT })
  await daemon.waitForProjections()
  const texts = [KEY, SENT, ANSWERED, REFUSAL]
  expect(findFilesWith(daemon.home, texts)).toEqual([])
  expect(texts.filter((text) => lines.some((line) => line.includes(text)))).toEqual([])
  const saved = makeFolder()
  await backup(daemon.home, saved, { withSecrets: false })
  expect(readdirSync(saved).length).toBeGreaterThan(0)
  expect(findFilesWith(saved, texts)).toEqual([])
})
