import { Buffer } from 'node:buffer'
import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { adminToken, type Daemon, startDaemon } from '../kit/daemon.ts'
import { buildBundle, buildZip } from './zip-builder.ts'
import {
  buildForm,
  FORM_TYPE,
  readOutcome,
  postUpload,
  type UploadOptions,
  upload,
  type UploadReply,
} from './import-kit.ts'

const good = buildZip(buildBundle())
const listUploads = ({ home }: Daemon): string[] => {
  const folder = join(home, 'imports', 'tmp')
  return existsSync(folder) ? readdirSync(folder) : []
}
const listImports = async (daemon: Daemon, query = '') =>
  (await daemon.get(`/api/skills/import/list${query}`)).json<{
    items: { stage_state: string; last_error_code?: string }[]
    total: number
  }>()

const REFUSED_UPLOADS: readonly {
  what: string
  code: string
  sent: UploadOptions
  bytes?: Buffer
}[] = [
  {
    what: 'another extension',
    code: 'SKILL_IMPORT_UNSUPPORTED_EXTENSION',
    sent: { filename: 'a.tar' },
  },
  { what: 'no name', code: 'SKILL_IMPORT_ARCHIVE_REQUIRED', sent: { filename: '' } },
  { what: 'another type', code: 'SKILL_IMPORT_UNSUPPORTED_MIME', sent: { type: 'text/plain' } },
  {
    what: 'a file that is not a zip',
    code: 'SKILL_IMPORT_ARCHIVE_REQUIRED',
    sent: {},
    bytes: Buffer.from('plain words'),
  },
  { what: 'no bytes', code: 'SKILL_IMPORT_ARCHIVE_REQUIRED', sent: {}, bytes: Buffer.alloc(0) },
  { what: 'an unknown key', code: 'INVALID_REQUEST', sent: { metadata: { colour: 'red' } } },
  { what: 'metadata that is not JSON', code: 'INVALID_REQUEST', sent: { metadata: '{' } },
  { what: 'another source', code: 'INVALID_REQUEST', sent: { metadata: { source: 'a friend' } } },
  {
    what: 'an unknown pack',
    code: 'SKILL_IMPORT_PACK_UNKNOWN',
    sent: { metadata: { requested_pack_id: 'none' } },
  },
]

test.each(REFUSED_UPLOADS)(
  '$what is rejected as $code, and nothing is stored',
  async ({ code, sent, bytes = good }) => {
    const daemon = await startDaemon()
    expect(readOutcome(await postUpload(daemon, bytes, sent))).toBe(code)
    expect(listUploads(daemon)).toEqual([])
    for (const { stage_state } of (await listImports(daemon)).items) expect(stage_state).toBe('discarded')
  },
)

test('zip archives are accepted under all their types and file names', async () => {
  const daemon = await startDaemon()
  for (const sent of [
    { type: 'application/octet-stream' },
    { type: 'application/x-zip-compressed', filename: 'A.ZIP' },
    { filename: 'tidy-notes.skill' },
    {
      filename: 'notes.skillbundle.zip',
      metadata: { source: 'anthropic_bundle', notes: 'from a friend', schema_version: 1 },
    },
  ]) {
    expect((await upload(daemon, good, sent)).accepted).toBe(true)
  }
  expect((await listImports(daemon)).total).toBe(4)
  expect((await listImports(daemon, '?source=anthropic_bundle')).items).toMatchObject([{ skill_name: 'notes' }])
  expect((await listImports(daemon, '?state=expired')).total).toBe(0)
})

test('other bodies and forms without a bundle are rejected', async () => {
  const daemon = await startDaemon()
  const url = '/api/skills/import/uploads'
  expect(readOutcome(await daemon.post(url, {}))).toBe('UNSUPPORTED_MEDIA_TYPE')
  const headers = { 'content-type': FORM_TYPE }
  const ask = (payload: string) => daemon.request({ method: 'POST', url, headers, payload })
  expect(readOutcome(await ask('--form-boundary-7c1--\r\n'))).toBe('SKILL_IMPORT_ARCHIVE_REQUIRED')
  expect(readOutcome(await ask('no form at all'))).toBe('INVALID_REQUEST')
  const other = await daemon.request({
    method: 'POST',
    url: '/api/skills/import/discard',
    headers,
    payload: buildForm(good),
  })
  expect(readOutcome(other)).toBe('UNSUPPORTED_MEDIA_TYPE')
  expect((await listImports(daemon)).total).toBe(0)
})

test('a repeated client_request_id returns the first import and rejects another bundle', async () => {
  const daemon = await startDaemon()
  const metadata = { client_request_id: 'once' }
  const first = await upload(daemon, good, { metadata })
  const second = await upload(daemon, good, { metadata })
  expect(second).toEqual(first)
  expect([(await listImports(daemon)).total, listUploads(daemon).length]).toEqual([1, 1])

  const other = await postUpload(daemon, buildZip(buildBundle('other')), { metadata })
  expect(readOutcome(other)).toBe('IDEMPOTENCY_CONFLICT')
  expect(listUploads(daemon)).toEqual([first.temp_artifact.temp_artifact_ref])
})

/** Sends a form over a socket in chunks. */
function streamUpload(
  url: string,
  write: (send: (bytes: Buffer) => Promise<void>, abort: () => void) => Promise<void>,
): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${adminToken}`, 'content-type': FORM_TYPE }
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

const whole = buildForm(Buffer.from('@@'))
const opening = whole.subarray(0, whole.indexOf('@@'))
const closing = whole.subarray(whole.indexOf('@@') + 2)

test('100 MB are accepted; one byte more is rejected, and no file stays', async () => {
  const daemon = await startDaemon()
  const { url } = await daemon.listen()
  const chunk = Buffer.alloc(1 << 20, 'PK\u0003\u0004')
  const send100 = async (more: Buffer) =>
    streamUpload(url, async (send) => {
      await send(opening)
      for (let sent = 0; sent < 100; sent += 1) await send(chunk)
      await send(more)
      await send(closing)
    })
  const over = await send100(Buffer.from('x'))
  expect([over.status, readOutcome({ statusCode: over.status, body: over.body })]).toEqual([
    413,
    'SKILL_IMPORT_FILE_TOO_LARGE',
  ])
  expect(listUploads(daemon)).toEqual([])
  expect((await listImports(daemon)).items).toMatchObject([
    { stage_state: 'discarded', last_error_code: 'SKILL_IMPORT_FILE_TOO_LARGE' },
  ])

  const just = await send100(Buffer.alloc(0))
  expect(just.status).toBe(201)
  expect((JSON.parse(just.body) as UploadReply).temp_artifact.byte_size).toBe(104_857_600)
}, 60_000)

test('an aborted upload leaves no file and is discarded', async () => {
  const daemon = await startDaemon()
  const { url } = await daemon.listen()
  const broken = streamUpload(url, async (send, abort) => {
    await send(opening)
    await send(Buffer.from('PK\u0003\u0004 and then'))
    await expect.poll(() => listUploads(daemon).length).toBe(1)
    abort()
  })
  await expect(broken).rejects.toThrow(/socket|abort/i)
  await expect.poll(() => listUploads(daemon)).toEqual([])
  await expect.poll(async () => (await listImports(daemon)).items[0]?.stage_state).toBe('discarded')
})

test('an upload interrupted by a kill is discarded at the next start, and its files are removed', async () => {
  const daemon = await startDaemon()
  const { temp_artifact, import_id } = await upload(daemon, good)
  await daemon.system.store.write((tx) => {
    tx.db.exec(`UPDATE skill_imports SET stage_state = 'upload_pending' WHERE import_id = '${import_id}'`)
  })
  const { home } = daemon
  await daemon.stop()
  const { temp_artifact_ref } = temp_artifact
  writeFileSync(join(home, 'imports', 'tmp', `${temp_artifact_ref}.part`), 'PK')
  const next = await startDaemon({ home })
  expect((await listImports(next)).items).toMatchObject([{ stage_state: 'discarded', last_error_code: 'INTERRUPTED' }])
  await expect.poll(() => listUploads(next)).toEqual([])
})
