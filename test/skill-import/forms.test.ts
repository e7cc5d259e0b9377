import { Buffer } from 'node:buffer'
import { existsSync, readdirSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { adminToken, type Daemon, startDaemon } from '../kit/daemon.ts'
import { goodBundle, makeZip } from './archive.ts'
import { refusal } from './importing.ts'

const url = '/api/skills/import/uploads'
const boundary = 'b-17'
const zip = makeZip(goodBundle())
const bundleHead = 'content-disposition: form-data; name="bundle"; filename="a.zip"'
const zipType = 'content-type: application/zip'

interface Part {
  readonly head: readonly string[]
  readonly body?: Buffer | string
}

const bundle: Part = { head: [bundleHead, zipType], body: zip }
const field = (name: string, body: Buffer | string = '{}'): Part => ({
  head: [`content-disposition: form-data; name="${name}"`],
  body,
})

const formOf = (parts: readonly Part[]): Buffer =>
  Buffer.concat([
    ...parts.flatMap(({ head, body = '' }) => [
      Buffer.from(`--${boundary}\r\n${head.join('\r\n')}\r\n\r\n`),
      Buffer.from(body),
      Buffer.from('\r\n'),
    ]),
    Buffer.from(`--${boundary}--\r\n`),
  ])

/** Sends forms over a socket, so that they come in the pieces a network makes. */
async function aDaemon() {
  const daemon = await startDaemon()
  const { url: address } = await daemon.listen()
  const ask = async (payload: Buffer, type = `multipart/form-data; boundary=${boundary}`) => {
    const headers = { authorization: `Bearer ${adminToken}`, 'content-type': type }
    const sent = { method: 'POST', headers, body: new Uint8Array(payload) }
    const reply = await fetch(address + url, sent)
    const body = await reply.text()
    return { statusCode: reply.status, body, json: JSON.parse(body) as unknown }
  }
  return { daemon, address, ask }
}

interface Refused {
  readonly error: { readonly message: string; readonly details: object }
}

const kept = ({ home }: Daemon): string[] => {
  const folder = join(home, 'imports', 'tmp')
  return existsSync(folder) ? readdirSync(folder) : []
}

const whole = formOf([bundle])
const broken: readonly (readonly [string, Buffer])[] = [
  ['nothing at all', Buffer.alloc(0)],
  ['no delimiter', Buffer.from('some words')],
  ['half a part', whole.subarray(0, -40)],
  ['half a header', Buffer.from(`--${boundary}\r\ncontent-disposition: form-da`)],
  ['no last delimiter', whole.subarray(0, whole.lastIndexOf('\r\n--'))],
  ['two bundles', formOf([bundle, bundle])],
  ['a part nobody asked for', formOf([bundle, field('more')])],
  ['a part nobody asked for first', formOf([field('more'), bundle])],
  ['a part without a name', formOf([{ head: ['content-disposition: form-data'] }, bundle])],
  ['a part named as every object has it', formOf([field('constructor'), bundle])],
  ['a part named __proto__', formOf([field('__proto__'), bundle])],
  ['parts without end', formOf([bundle, ...Array.from({ length: 3000 }, () => field('metadata'))])],
  ['many metadata', formOf([...Array.from({ length: 21 }, () => field('metadata')), bundle])],
  ['metadata without end', formOf([field('metadata', ' '.repeat(17_000)), bundle])],
  [
    'a long header',
    formOf([{ ...bundle, head: [bundleHead, zipType, `x: ${'y'.repeat(99_000)}`] }]),
  ],
  [
    'many headers',
    formOf([
      {
        ...bundle,
        head: [bundleHead, zipType, ...Array.from({ length: 4000 }, (_, at) => `x${at}: y`)],
      },
    ]),
  ],
  [
    'much before the first part',
    Buffer.concat([Buffer.from(`${'words '.repeat(4000)}\r\n`), whole]),
  ],
  [
    'a part of no kind in one piece',
    formOf([bundle, { head: ['x: y'], body: Buffer.alloc(40_000, 'z') }]),
  ],
  [
    'much in a part of no kind',
    formOf([{ head: ['x: y'], body: Buffer.alloc(1 << 20, 'z') }, bundle]),
  ],
]

test.each(broken)(
  'a form with %s is refused by name, and nothing is kept',
  async (_what, payload) => {
    const { daemon, ask } = await aDaemon()
    const reply = await ask(payload)
    expect([reply.statusCode, refusal(reply)]).toEqual([400, 'INVALID_REQUEST'])
    const { message, details } = (reply.json as Refused).error
    expect([message, details]).toEqual([
      expect.stringMatching(/^The form cannot be read: [a-z ]+\S* ?.*\.$/),
      { field: 'body' },
    ])
    expect(kept(daemon)).toEqual([])
    expect((await ask(whole)).statusCode).toBe(201)
  },
)

test.each([
  ['no boundary', 'multipart/form-data', 'UNSUPPORTED_MEDIA_TYPE'],
  ['an empty boundary', 'multipart/form-data; boundary=', 'INVALID_REQUEST'],
  ['another boundary', 'multipart/form-data; boundary=other', 'INVALID_REQUEST'],
  ['a boundary without end', `multipart/form-data; boundary=${'b'.repeat(300)}`, 'INVALID_REQUEST'],
  ['another kind of parts', `multipart/mixed; boundary=${boundary}`, 'UNSUPPORTED_MEDIA_TYPE'],
])('a type with %s is refused', async (_what, type, code) => {
  const { daemon, ask } = await aDaemon()
  expect(refusal(await ask(whole, type))).toBe(code)
  expect(kept(daemon)).toEqual([])
})

test('a form is understood however it is spelt', async () => {
  const { ask } = await aDaemon()
  const head = [
    'Content-Type:application/octet-stream; x=y',
    String.raw`Content-Disposition: form-data; filename="größe \"1\" %222%22.zip"; name=bundle`,
  ]
  const payload = formOf([{ head, body: zip }])
  for (const type of [
    `Multipart/Form-Data; charset=utf-8; boundary="${boundary}"`,
    `multipart/form-data;boundary=${boundary}`,
  ]) {
    const reply = await ask(payload, type)
    expect(reply.statusCode, reply.body).toBe(201)
    expect(reply.json).toMatchObject({
      temp_artifact: { original_filename: 'größe "1" "2".zip', byte_size: zip.length },
    })
  }
})

test('an upload that is refused early is answered while it still comes, and is not kept', async () => {
  const { daemon, address } = await aDaemon()
  const { port } = new URL(address)
  const socket = connect(Number(port), '127.0.0.1')
  let answer = ''
  socket.on('data', (piece) => (answer += String(piece)))
  socket.on('error', () => undefined)
  const head = ['content-disposition: form-data; name="bundle"; filename="a.tar"', zipType]
  const body = formOf([{ head, body: Buffer.alloc(8 << 20, 'PK') }])
  socket.write(
    `POST ${url} HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer ${adminToken}\r\n` +
      `content-type: multipart/form-data; boundary=${boundary}\r\ncontent-length: ${body.length}\r\n\r\n`,
  )
  socket.write(body.subarray(0, 4 << 20))
  await expect.poll(() => answer).toContain('SKILL_IMPORT_UNSUPPORTED_EXTENSION')
  expect(answer).toMatch(/^HTTP\/1\.1 415 /)
  socket.destroy()
  expect(kept(daemon)).toEqual([])
})
