import { hash } from 'node:crypto'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { deflateSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { shareDaemon } from '../kit/daemon.ts'
import { addDocument, operate, readCode, readDetails, runOperation } from './document-kit.ts'
import { makePdf } from './make-pdf.ts'

const shared = shareDaemon()

interface Text {
  pages: { page: number; text: string }[]
}

/** A PDF of these objects, the first of which is the catalogue. */
function assemble(objects: readonly (string | Buffer)[], trailer = ''): Buffer {
  const pieces: Buffer[] = [Buffer.from('%PDF-1.7\n')]
  const offsets: number[] = []
  let size = pieces[0]?.length ?? 0
  const add = (piece: Buffer) => {
    pieces.push(piece)
    size += piece.length
  }
  for (const [at, object] of objects.entries()) {
    offsets.push(size)
    add(Buffer.concat([Buffer.from(`${at + 1} 0 obj\n`), Buffer.from(object), Buffer.from('\nendobj\n')]))
  }
  const start = size
  const rows = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('')
  add(Buffer.from(`xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${rows}`))
  add(Buffer.from(`trailer\n<< /Size ${objects.length + 1} /Root 1 0 R ${trailer} >>\nstartxref\n${start}\n%%EOF\n`))
  return Buffer.concat(pieces)
}

const stream = (content: Buffer, more = ''): Buffer =>
  Buffer.concat([Buffer.from(`<< /Length ${content.length} ${more} >>\nstream\n`), content, Buffer.from('\nendstream')])

const page = (content: Buffer, { filter = '', catalog = '', trailer = '' } = {}): Buffer =>
  assemble(
    [
      `<< /Type /Catalog /Pages 2 0 R ${catalog} >>`,
      '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
      '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 300] /Contents 4 0 R /Resources << /Font << /F 5 0 R >> >> >>',
      stream(content, filter),
      '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    ],
    trailer,
  )

async function readReason(content: Buffer, capability: 'extract_text' | 'ocr' = 'extract_text'): Promise<string> {
  const { document_ref } = await addDocument(shared(), content)
  const reply = await operate(shared(), capability, document_ref)
  expect([reply.statusCode, readCode(reply)], reply.body).toEqual([502, 'ACROBAT_EXTRACTION_FAILED'])
  const { message } = reply.json<{ error: { message: string } }>().error
  // Nothing of what a program printed, which may name files.
  expect(message).not.toContain('/')
  return readDetails(reply)['reason_code'] ?? ''
}

const md5 = (...parts: readonly Buffer[]): Buffer => hash('md5', Buffer.concat(parts), 'buffer')

function rc4(key: Buffer, data: Buffer): Buffer {
  const state = Uint8Array.from({ length: 256 }, (_, at) => at)
  const swap = (a: number, b: number): void => {
    const kept = state[a] ?? 0
    state[a] = state[b] ?? 0
    state[b] = kept
  }
  for (let at = 0, other = 0; at < 256; at += 1) {
    other = (other + (state[at] ?? 0) + (key[at % key.length] ?? 0)) % 256
    swap(at, other)
  }
  let [at, other] = [0, 0]
  return data.map((byte) => {
    at = (at + 1) % 256
    other = (other + (state[at] ?? 0)) % 256
    swap(at, other)
    return byte ^ (state[((state[at] ?? 0) + (state[other] ?? 0)) % 256] ?? 0)
  }) as Buffer
}

/** A page that only those who know the password can open: the standard handler of PDF with a key of 40 bits. */
function encryptPage(content: Buffer, password: string): Buffer {
  const filler = Buffer.from('28bf4e5e4e758a4164004e56fffa01082e2e00b6d0683e802f0ca9fe6453697a', 'hex')
  const padded = Buffer.concat([Buffer.from(password), filler]).subarray(0, 32)
  const owner = rc4(md5(padded).subarray(0, 5), padded)
  const key = md5(padded, owner, Buffer.from('fcffffff00', 'hex')).subarray(0, 5)
  const names = { O: owner, U: rc4(key, filler) }
  const entries = Object.entries(names).map(([name, value]) => `/${name} <${value.toString('hex')}>`)
  const trailer = `/Encrypt << /Filter /Standard /V 1 /R 2 ${entries.join(' ')} /P -4 >> /ID [<00> <00>]`
  // The content is the object 4.
  const contentKey = md5(key, Buffer.from('0400000000', 'hex')).subarray(0, 10)
  return page(rc4(contentKey, content), { trailer })
}

test('a document that needs a password is refused as such, and one that is encrypted without one is read', async () => {
  const content = Buffer.from('BT /F 12 Tf 20 200 Td (Encrypted text) Tj ET')
  expect(await readReason(encryptPage(content, 'secret'))).toBe('encrypted')
  const { document_ref } = await addDocument(shared(), encryptPage(content, ''))
  const done = await runOperation(shared(), 'extract_text', document_ref)
  expect(done.output.json<Text>().pages[0]?.text.trim()).toBe('Encrypted text')
})

test('a truncated document and one without pages are damaged', async () => {
  expect(await readReason(Buffer.from('%PDF-1.7\n%%EOF'))).toBe('damaged')
  const whole = await makePdf((pen) => pen.write('Cut off', 50, 50))
  expect(await readReason(whole.subarray(0, 200))).toBe('damaged')
  // What is left of a document without its end is either read or refused.
  const { document_ref } = await addDocument(shared(), whole.subarray(0, Math.floor(whole.length * 0.8)))
  const reply = await operate(shared(), 'extract_text', document_ref)
  if (reply.statusCode !== 200) expect(readDetails(reply)['reason_code'], reply.body).toBe('damaged')
  expect(
    await readReason(assemble(['<< /Type /Catalog /Pages 2 0 R >>', '<< /Type /Pages /Kids [] /Count 0 >>'])),
  ).toBe('damaged')
})

test('a truncated picture is refused', async () => {
  const png = Buffer.from('89504e470d0a1a0a0000000d494844520000001000000010', 'hex')
  expect(await readReason(png, 'ocr')).toBe('damaged')
})

test('a small picture that would fill the memory is refused before it is opened', async () => {
  const png = Buffer.from('89504e470d0a1a0a0000000d494844520001000000010000', 'hex')
  expect(await readReason(png, 'ocr')).toBe('picture_too_large')
})

test('a stream that unpacks to a thousand times its size does not harm the daemon', async () => {
  // 16 MB of operators without text, twice packed.
  const bomb = deflateSync(deflateSync(Buffer.alloc(16 * 1024 * 1024, ' q Q')))
  expect(bomb.length).toBeLessThan(10_000)
  const { document_ref } = await addDocument(shared(), page(bomb, { filter: '/Filter [/FlateDecode /FlateDecode]' }))
  const started = Date.now()
  const reply = await operate(shared(), 'extract_text', document_ref)
  // Either it is read to its end, without text, or a limit ends it.
  expect([200, 502]).toContain(reply.statusCode)
  expect(Date.now() - started).toBeLessThan(80_000)
  expect((await shared().get('/healthz')).statusCode).toBe(200)
})

test('deep nesting and pages that contain themselves end with a typed failure or without text', async () => {
  const deep = page(Buffer.from('['.repeat(200_000)), {
    catalog: `/Deep ${'<< /A '.repeat(5000)}1${' >>'.repeat(5000)}`,
  })
  const circle = assemble([
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [2 0 R 2 0 R] /Count 1000000 >>',
  ])
  for (const content of [deep, circle]) {
    const { document_ref } = await addDocument(shared(), content)
    const reply = await operate(shared(), 'extract_text', document_ref, { page_range: '1-3' })
    expect([200, 502], reply.body).toContain(reply.statusCode)
    if (reply.statusCode === 502) expect(readCode(reply)).toBe('ACROBAT_EXTRACTION_FAILED')
  }
})

test('scripts, launched programs and remote resources of a document do nothing', async () => {
  const mark = join(shared().home, 'was-here')
  const actions = `/OpenAction << /S /JavaScript /JS (app.launchURL\\('file://${mark}'\\)) >> /AA << /WC << /S /Launch /F (touch ${mark}) >> >>`
  const content = Buffer.from('BT /F 12 Tf 20 200 Td (Harmless text) Tj ET')
  const { document_ref } = await addDocument(shared(), page(content, { catalog: actions }))
  const done = await runOperation(shared(), 'extract_text', document_ref)
  expect(done.output.json<Text>().pages[0]?.text.trim()).toBe('Harmless text')
  expect(existsSync(mark)).toBe(false)
})

test('a document of 1,000 pages is read in parts', async () => {
  const pdf = await makePdf((pen) => {
    for (let number = 1; number <= 1000; number += 1) {
      pen.addPage()
      pen.write(`Page ${number}`, 50, 50)
    }
  })
  const { document_ref } = await addDocument(shared(), pdf)
  const done = await runOperation(shared(), 'extract_text', document_ref)
  expect(done.output.json<Text>().pages).toHaveLength(1000)
  expect(done.output.json<Text>().pages.every(({ page, text }) => text.trim() === `Page ${page}`)).toBe(true)
})

test('no working folder stays behind', () => {
  const folder = join(shared().home, 'document-work')
  expect(existsSync(folder) ? readdirSync(folder) : []).toEqual([])
})
