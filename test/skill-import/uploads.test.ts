import { Buffer } from 'node:buffer'
import { existsSync, readdirSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { adminToken, type Daemon, startDaemon } from '../kit/daemon.ts'
import { goodBundle, makeZip } from './archive.ts'
import { form, formType, refusal, send, type Sent, upload, type Uploaded } from './importing.ts'

const good = makeZip(goodBundle())
const kept = ({ home }: Daemon): string[] => {
  const folder = join(home, 'imports', 'tmp')
  return existsSync(folder) ? readdirSync(folder) : []
}
const listed = async (daemon: Daemon, query = '') =>
  (await daemon.get(`/api/skills/import/list${query}`)).json<{
    items: { stage_state: string; last_error_code?: string }[]
    total: number
  }>()

const refused: readonly { what: string; code: string; sent: Sent; bytes?: Buffer }[] = [
  {
    what: 'another ending',
    code: 'SKILL_IMPORT_UNSUPPORTED_EXTENSION',
    sent: { filename: 'a.tar' },
  },
  { what: 'no name', code: 'SKILL_IMPORT_ARCHIVE_REQUIRED', sent: { filename: '' } },
  { what: 'another type', code: 'SKILL_IMPORT_UNSUPPORTED_MIME', sent: { type: 'text/plain' } },
  {
    what: 'bytes that are no zip',
    code: 'SKILL_IMPORT_ARCHIVE_REQUIRED',
    sent: {},
    bytes: Buffer.from('plain words'),
  },
  { what: 'no bytes', code: 'SKILL_IMPORT_ARCHIVE_REQUIRED', sent: {}, bytes: Buffer.alloc(0) },
  { what: 'a key nobody knows', code: 'INVALID_REQUEST', sent: { metadata: { colour: 'red' } } },
  { what: 'metadata that is no JSON', code: 'INVALID_REQUEST', sent: { metadata: '{' } },
  { what: 'another source', code: 'INVALID_REQUEST', sent: { metadata: { source: 'a friend' } } },
  {
    what: 'a pack nobody knows',
    code: 'SKILL_IMPORT_PACK_UNKNOWN',
    sent: { metadata: { requested_pack_id: 'none' } },
  },
]

test.each(refused)(
  '$what is refused as $code, and nothing is kept',
  async ({ code, sent, bytes = good }) => {
    const daemon = await startDaemon()
    expect(refusal(await send(daemon, bytes, sent))).toBe(code)
    expect(kept(daemon)).toEqual([])
    for (const { stage_state } of (await listed(daemon)).items)
      expect(stage_state).toBe('discarded')
  },
)

test('a zip is taken under any of its types and names', async () => {
  const daemon = await startDaemon()
  for (const sent of [
    { type: 'application/octet-stream' },
    { type: 'application/x-zip-compressed', filename: 'A.ZIP' },
    {
      filename: 'notes.skillbundle.zip',
      metadata: { source: 'anthropic_bundle', notes: 'from a friend', schema_version: 1 },
    },
  ]) {
    expect((await upload(daemon, good, sent)).accepted).toBe(true)
  }
  expect((await listed(daemon)).total).toBe(3)
  expect((await listed(daemon, '?source=anthropic_bundle')).items).toMatchObject([
    { skill_name: 'notes' },
  ])
  expect((await listed(daemon, '?state=expired')).total).toBe(0)
})

test('what is no form, and a form without a bundle, is refused', async () => {
  const daemon = await startDaemon()
  const url = '/api/skills/import/uploads'
  expect(refusal(await daemon.post(url, {}))).toBe('UNSUPPORTED_MEDIA_TYPE')
  const headers = { 'content-type': formType }
  const ask = (payload: string) => daemon.request({ method: 'POST', url, headers, payload })
  expect(refusal(await ask('--form-boundary-7c1--\r\n'))).toBe('SKILL_IMPORT_ARCHIVE_REQUIRED')
  expect(refusal(await ask('no form at all'))).toBe('INVALID_REQUEST')
  const other = await daemon.request({
    method: 'POST',
    url: '/api/skills/import/discard',
    headers,
    payload: form(good),
  })
  expect(refusal(other)).toBe('UNSUPPORTED_MEDIA_TYPE')
  expect((await listed(daemon)).total).toBe(0)
})

test('the same request id gives one import, and another bundle under it is refused', async () => {
  const daemon = await startDaemon()
  const metadata = { client_request_id: 'once' }
  const first = await upload(daemon, good, { metadata })
  const second = await upload(daemon, good, { metadata })
  expect(second).toEqual(first)
  expect([(await listed(daemon)).total, kept(daemon).length]).toEqual([1, 1])

  const other = await send(daemon, makeZip(goodBundle('other')), { metadata })
  expect(refusal(other)).toBe('IDEMPOTENCY_CONFLICT')
  expect(kept(daemon)).toEqual([first.temp_artifact.temp_artifact_ref])
})

/** Sends a form over a socket, a piece at a time. */
function stream(
  url: string,
  write: (send: (bytes: Buffer) => Promise<void>, abort: () => void) => Promise<void>,
): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${adminToken}`, 'content-type': formType }
    const sent = request(`${url}/api/skills/import/uploads`, { method: 'POST', headers })
    sent.on('response', (response) => {
      let body = ''
      response.on('data', (part) => (body += String(part)))
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body }))
    })
    sent.on('error', reject)
    const out = (bytes: Buffer) =>
      new Promise<void>((taken) => {
        if (sent.write(bytes)) taken()
        else sent.once('drain', taken)
      })
    write(out, () => sent.destroy()).then(() => sent.end(), reject)
  })
}

const whole = form(Buffer.from('@@'))
const opening = whole.subarray(0, whole.indexOf('@@'))
const closing = whole.subarray(whole.indexOf('@@') + 2)

test('one byte more than 100 MB is refused while it comes, and no file is left', async () => {
  const daemon = await startDaemon()
  const { url } = await daemon.listen()
  const piece = Buffer.alloc(1 << 20, 'PK\u0003\u0004')
  const send100 = async (more: Buffer) =>
    stream(url, async (send) => {
      await send(opening)
      for (let sent = 0; sent < 100; sent += 1) await send(piece)
      await send(more)
      await send(closing)
    })
  const over = await send100(Buffer.from('x'))
  expect([over.status, refusal({ statusCode: over.status, body: over.body })]).toEqual([
    413,
    'SKILL_IMPORT_FILE_TOO_LARGE',
  ])
  expect(kept(daemon)).toEqual([])
  expect((await listed(daemon)).items).toMatchObject([
    { stage_state: 'discarded', last_error_code: 'SKILL_IMPORT_FILE_TOO_LARGE' },
  ])

  const just = await send100(Buffer.alloc(0))
  expect(just.status).toBe(201)
  expect((JSON.parse(just.body) as Uploaded).temp_artifact.byte_size).toBe(104_857_600)
}, 60_000)

test('an upload that breaks off leaves no file', async () => {
  const daemon = await startDaemon()
  const { url } = await daemon.listen()
  const broken = stream(url, async (send, abort) => {
    await send(opening)
    await send(Buffer.from('PK\u0003\u0004 and then'))
    await expect.poll(() => kept(daemon).length).toBe(1)
    abort()
  })
  await expect(broken).rejects.toThrow(/socket|abort/i)
  await expect.poll(() => kept(daemon)).toEqual([])
  await expect.poll(async () => (await listed(daemon)).items[0]?.stage_state).toBe('discarded')
})

test('what a killed daemon left of an upload is closed at the next start', async () => {
  const daemon = await startDaemon()
  const { temp_artifact, import_id } = await upload(daemon, good)
  await daemon.system.store.write((tx) => {
    tx.db.exec(
      `UPDATE skill_imports SET stage_state = 'upload_pending' WHERE import_id = '${import_id}'`,
    )
  })
  const { home } = daemon
  await daemon.stop()
  const next = await startDaemon({ home })
  expect((await listed(next)).items).toMatchObject([
    { stage_state: 'discarded', last_error_code: 'INTERRUPTED' },
  ])
  expect(temp_artifact.temp_artifact_ref).toMatch(/^tmpart_/)
})
