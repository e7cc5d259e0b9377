import { Buffer } from 'node:buffer'
import { existsSync, readdirSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { adminToken, type Daemon, startDaemon } from '../kit/daemon.ts'
import { buildBundle, buildZip } from './zip-builder.ts'
import { readOutcome } from './import-kit.ts'

const UPLOAD_URL = '/api/skills/import/uploads'
const BOUNDARY = 'b-17'
const zip = buildZip(buildBundle())
const BUNDLE_HEAD = 'content-disposition: form-data; name="bundle"; filename="a.zip"'
const ZIP_TYPE = 'content-type: application/zip'

interface Part {
  readonly head: readonly string[]
  readonly body?: Buffer | string
}

const bundle: Part = { head: [BUNDLE_HEAD, ZIP_TYPE], body: zip }
const buildField = (name: string, body: Buffer | string = '{}'): Part => ({
  head: [`content-disposition: form-data; name="${name}"`],
  body,
})

const buildForm = (parts: readonly Part[]): Buffer =>
  Buffer.concat([
    ...parts.flatMap(({ head, body = '' }) => [
      Buffer.from(`--${BOUNDARY}\r\n${head.join('\r\n')}\r\n\r\n`),
      Buffer.from(body),
      Buffer.from('\r\n'),
    ]),
    Buffer.from(`--${BOUNDARY}--\r\n`),
  ])

/** Sends forms over a socket, so that they arrive in several chunks. */
async function startUploadDaemon() {
  const daemon = await startDaemon()
  const { url: address } = await daemon.listen()
  const postForm = async (payload: Buffer, type = `multipart/form-data; boundary=${BOUNDARY}`) => {
    const headers = { authorization: `Bearer ${adminToken}`, 'content-type': type }
    const sent = { method: 'POST', headers, body: new Uint8Array(payload) }
    const reply = await fetch(address + UPLOAD_URL, sent)
    const body = await reply.text()
    return { statusCode: reply.status, body, json: JSON.parse(body) as unknown }
  }
  return { daemon, address, postForm }
}

interface ErrorReply {
  readonly error: { readonly message: string; readonly details: object }
}

const listUploads = ({ home }: Daemon): string[] => {
  const folder = join(home, 'imports', 'tmp')
  return existsSync(folder) ? readdirSync(folder) : []
}

const whole = buildForm([bundle])
const broken: readonly (readonly [string, Buffer])[] = [
  ['nothing at all', Buffer.alloc(0)],
  ['no delimiter', Buffer.from('some words')],
  ['half a part', whole.subarray(0, -40)],
  ['half a header', Buffer.from(`--${BOUNDARY}\r\ncontent-disposition: form-da`)],
  ['no last delimiter', whole.subarray(0, whole.lastIndexOf('\r\n--'))],
  ['two bundles', buildForm([bundle, bundle])],
  ['an unknown part', buildForm([bundle, buildField('more')])],
  ['an unknown part first', buildForm([buildField('more'), bundle])],
  ['a part without a name', buildForm([{ head: ['content-disposition: form-data'] }, bundle])],
  ['a part named constructor', buildForm([buildField('constructor'), bundle])],
  ['a part named __proto__', buildForm([buildField('__proto__'), bundle])],
  ['thousands of parts', buildForm([bundle, ...Array.from({ length: 3000 }, () => buildField('metadata'))])],
  ['many metadata', buildForm([...Array.from({ length: 21 }, () => buildField('metadata')), bundle])],
  ['too much metadata', buildForm([buildField('metadata', ' '.repeat(17_000)), bundle])],
  ['a long header', buildForm([{ ...bundle, head: [BUNDLE_HEAD, ZIP_TYPE, `x: ${'y'.repeat(99_000)}`] }])],
  [
    'many headers',
    buildForm([
      {
        ...bundle,
        head: [BUNDLE_HEAD, ZIP_TYPE, ...Array.from({ length: 4000 }, (_, at) => `x${at}: y`)],
      },
    ]),
  ],
  ['a long preamble', Buffer.concat([Buffer.from(`${'words '.repeat(4000)}\r\n`), whole])],
  ['a part without a disposition', buildForm([bundle, { head: ['x: y'], body: Buffer.alloc(40_000, 'z') }])],
  ['a large part without a disposition', buildForm([{ head: ['x: y'], body: Buffer.alloc(1 << 20, 'z') }, bundle])],
]

test.each(broken)('a form with %s is rejected with a message, and nothing is stored', async (_description, payload) => {
  const { daemon, postForm } = await startUploadDaemon()
  const reply = await postForm(payload)
  expect([reply.statusCode, readOutcome(reply)]).toEqual([400, 'INVALID_REQUEST'])
  const { message, details } = (reply.json as ErrorReply).error
  expect([message, details]).toEqual([
    expect.stringMatching(/^The form in the body is invalid: [a-z ]+\S* ?.*\.$/),
    { field: 'body' },
  ])
  expect(listUploads(daemon)).toEqual([])
  expect((await postForm(whole)).statusCode).toBe(201)
})

test.each([
  ['no boundary', 'multipart/form-data', 'UNSUPPORTED_MEDIA_TYPE'],
  ['an empty boundary', 'multipart/form-data; boundary=', 'INVALID_REQUEST'],
  ['another boundary', 'multipart/form-data; boundary=other', 'INVALID_REQUEST'],
  ['a too long boundary', `multipart/form-data; boundary=${'b'.repeat(300)}`, 'INVALID_REQUEST'],
  ['another multipart subtype', `multipart/mixed; boundary=${BOUNDARY}`, 'UNSUPPORTED_MEDIA_TYPE'],
])('a content type with %s is rejected', async (_description, type, code) => {
  const { daemon, postForm } = await startUploadDaemon()
  expect(readOutcome(await postForm(whole, type))).toBe(code)
  expect(listUploads(daemon)).toEqual([])
})

test('variants of header case, order, quoting and encoding are accepted', async () => {
  const { postForm } = await startUploadDaemon()
  const head = [
    'Content-Type:application/octet-stream; x=y',
    String.raw`Content-Disposition: form-data; filename="größe \"1\" %222%22.zip"; name=bundle`,
  ]
  const payload = buildForm([{ head, body: zip }])
  for (const type of [
    `Multipart/Form-Data; charset=utf-8; boundary="${BOUNDARY}"`,
    `multipart/form-data;boundary=${BOUNDARY}`,
  ]) {
    const reply = await postForm(payload, type)
    expect(reply.statusCode, reply.body).toBe(201)
    expect(reply.json).toMatchObject({
      temp_artifact: { original_filename: 'größe "1" "2".zip', byte_size: zip.length },
    })
  }
})

test('an upload rejected early gets its reply before the body ends, and nothing is stored', async () => {
  const { daemon, address } = await startUploadDaemon()
  const { port } = new URL(address)
  const socket = connect(Number(port), '127.0.0.1')
  let answer = ''
  socket.on('data', (piece) => (answer += String(piece)))
  socket.on('error', () => undefined)
  const head = ['content-disposition: form-data; name="bundle"; filename="a.tar"', ZIP_TYPE]
  const body = buildForm([{ head, body: Buffer.alloc(8 << 20, 'PK') }])
  socket.write(
    `POST ${UPLOAD_URL} HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer ${adminToken}\r\n` +
      `content-type: multipart/form-data; boundary=${BOUNDARY}\r\ncontent-length: ${body.length}\r\n\r\n`,
  )
  socket.write(body.subarray(0, 4 << 20))
  await expect.poll(() => answer).toContain('SKILL_IMPORT_UNSUPPORTED_EXTENSION')
  expect(answer).toMatch(/^HTTP\/1\.1 415 /)
  socket.destroy()
  expect(listUploads(daemon)).toEqual([])
})

test('a file under another part name is answered with what is required, and nothing is stored', async () => {
  const { daemon, postForm } = await startUploadDaemon()
  const head = [BUNDLE_HEAD.replace('name="bundle"', 'name="file"'), ZIP_TYPE]
  const reply = await postForm(buildForm([{ ...bundle, head }]))
  expect([reply.statusCode, reply.json]).toMatchObject([400, { error: { code: 'SKILL_IMPORT_ARCHIVE_REQUIRED' } }])
  expect(listUploads(daemon)).toEqual([])
})
