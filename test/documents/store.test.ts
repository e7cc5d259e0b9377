import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { shareDaemon, startDaemon } from '../kit/daemon.ts'
import {
  addDocument,
  fillRoom,
  operate,
  readCode,
  readDetails,
  readDocument,
  runOperation,
  sendDocument,
} from './document-kit.ts'
import { makePdf, makePicture } from './make-pdf.ts'

const shared = shareDaemon()
const PDF = await makePdf((pen) => pen.write('Stored text', 50, 50))

const listFiles = (home: string): string[] => {
  const folder = join(home, 'documents')
  const names = existsSync(folder) ? readdirSync(folder, { recursive: true, encoding: 'utf8' }) : []
  return names.filter((name) => /\/[0-9a-f-]{36,64}$/.test(name))
}

test('an uploaded document is described, listed, downloaded and deleted, and nobody else sees it', async () => {
  const daemon = await startDaemon()
  const made = await addDocument(daemon, PDF, {
    name: '../folder/Letter %22one%22.pdf',
    metadata: { data_class: 'public' },
  })
  expect(made).toMatchObject({
    kind: 'upload',
    file_name: 'Letter "one".pdf',
    media_type: 'application/pdf',
    byte_size: PDF.length,
    data_class: 'public',
    expires_at: '2026-05-30T12:00:00.000Z',
  })
  const url = `/api/documents/${made.document_ref}`
  expect((await daemon.get(url)).json()).toEqual(made)
  expect((await daemon.get('/api/documents?kind=upload')).json()).toMatchObject({ total: 1, documents: [made] })
  expect((await daemon.get('/api/documents?kind=output')).json()).toMatchObject({ total: 0, documents: [] })
  const content = await readDocument(daemon, made.document_ref)
  expect(content.rawPayload.equals(PDF)).toBe(true)
  expect(content.headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'content-type': 'application/pdf' })
  expect(content.headers['content-disposition']).toMatch(/^attachment; filename\*=UTF-8''Letter%20%22one%22.pdf$/)

  const ben = await daemon.tokenFor('ben')
  const foreign = [await daemon.get(url, ben), await daemon.get(`${url}/content`, ben), await daemon.delete(url, ben)]
  expect(foreign.map((reply) => [reply.statusCode, readCode(reply)])).toEqual(
    Array.from({ length: 3 }, () => [404, 'DOCUMENT_NOT_FOUND']),
  )
  expect((await daemon.get('/api/documents', ben)).json()).toMatchObject({ total: 0 })
  const read = await operate(daemon, 'extract_text', made.document_ref, { token: ben })
  expect([read.statusCode, readCode(read)]).toEqual([404, 'ACROBAT_SOURCE_NOT_FOUND'])

  expect(listFiles(daemon.home)).toHaveLength(1)
  expect((await daemon.delete(url)).json()).toMatchObject({ deleted: true })
  expect((await daemon.get(url)).statusCode).toBe(404)
  expect(listFiles(daemon.home)).toEqual([])
})

test('the type is found from the content, and anything else leaves nothing behind', async () => {
  const daemon = await startDaemon()
  const png = makePicture(['x'])
  expect(await addDocument(daemon, png, { name: 'scan.pdf' })).toMatchObject({ media_type: 'image/png' })
  const before = listFiles(daemon.home)
  for (const content of ['MZ program', '', '<html>%PDF', 'PK\u0003\u0004', `${' '.repeat(2000)}%PDF-1.7`]) {
    const reply = await sendDocument(daemon, Buffer.from(content), { name: 'paper.pdf' })
    expect([reply.statusCode, readCode(reply)], content).toEqual([415, 'DOCUMENT_TYPE_UNSUPPORTED'])
  }
  expect(listFiles(daemon.home)).toEqual(before)
  expect((await daemon.get('/api/documents')).json()).toMatchObject({ total: 1 })
})

test('an upload of more than 100 MB is refused while it comes in, and leaves nothing behind', async () => {
  const daemon = await startDaemon()
  const reply = await sendDocument(daemon, Buffer.concat([PDF, Buffer.alloc(100 * 1024 * 1024)]))
  expect([reply.statusCode, readCode(reply)]).toEqual([413, 'DOCUMENT_TOO_LARGE'])
  expect(listFiles(daemon.home)).toEqual([])
})

test.each([
  ['no document', []],
  ['a second document', ['document', 'document']],
  ['a part of another name', ['bundle']],
  ['metadata after the document', ['document', 'metadata']],
])('a form with %s is invalid', async (_what, names) => {
  const parts = names.map(
    (name) =>
      `--b\r\nContent-Disposition: form-data; name="${name}"; filename="a"\r\n\r\n${PDF.toString('latin1')}\r\n`,
  )
  const reply = await shared().request({
    method: 'POST',
    url: '/api/documents',
    headers: { 'content-type': 'multipart/form-data; boundary=b' },
    payload: Buffer.from(`${parts.join('')}--b--\r\n`, 'latin1'),
  })
  expect([reply.statusCode, readCode(reply)]).toEqual([400, 'INVALID_REQUEST'])
})

test('metadata that the contract does not know is refused', async () => {
  for (const metadata of [{ data_class: 'secret' }, { retention_days: 0 }, { other: 1 }]) {
    expect(readCode(await sendDocument(shared(), PDF, { metadata }))).toBe('INVALID_REQUEST')
  }
})

test('a repeated upload is one document, and equal contents are stored once', async () => {
  const daemon = await startDaemon()
  const metadata = { client_request_id: 'once', data_class: 'internal' }
  const first = await addDocument(daemon, PDF, { metadata })
  expect(await addDocument(daemon, PDF, { metadata })).toEqual(first)
  const conflict = await sendDocument(daemon, makePicture(['y']), { metadata })
  expect(readCode(conflict)).toBe('IDEMPOTENCY_CONFLICT')
  const second = await addDocument(daemon, PDF)
  expect(second.document_ref).not.toBe(first.document_ref)
  await daemon.delete(`/api/documents/${first.document_ref}`)
  expect((await readDocument(daemon, second.document_ref)).statusCode).toBe(200)
})

test('a user stores at most 2 GiB, outputs included, and others are not affected', async () => {
  const daemon = await startDaemon()
  const stored = await addDocument(daemon, PDF)
  const large = await fillRoom(daemon, stored, 10)
  const before = listFiles(daemon.home)
  const refused = await sendDocument(daemon, makePicture(['more than ten bytes']))
  expect([refused.statusCode, readCode(refused)]).toEqual([413, 'DOCUMENT_QUOTA_EXCEEDED'])
  expect(readDetails(refused)).toMatchObject({ free_bytes: 10 })
  expect((await daemon.get('/api/documents')).json()).toMatchObject({ total: 2 })
  expect(before).toHaveLength(1)
  expect((await sendDocument(daemon, PDF, { token: await daemon.tokenFor('ada') })).statusCode).toBe(201)
  await daemon.delete(`/api/documents/${large}`)
  expect((await sendDocument(daemon, PDF)).statusCode).toBe(201)
})

test('a document is deleted with its outputs when its time has passed', async () => {
  const daemon = await startDaemon()
  const { document_ref } = await addDocument(daemon, PDF, { metadata: { retention_days: 1, data_class: 'public' } })
  const kept = await addDocument(daemon, PDF, { metadata: { retention_days: 3 } })
  const { output_ref = '' } = await runOperation(daemon, 'extract_text', document_ref)
  daemon.clock.advance(86_400_000 - 1)
  await daemon.system.sweeper.sweepNow()
  expect((await daemon.get(`/api/documents/${document_ref}`)).statusCode).toBe(200)
  daemon.clock.advance(1)
  await daemon.system.sweeper.sweepNow()
  for (const ref of [document_ref, output_ref]) expect((await daemon.get(`/api/documents/${ref}`)).statusCode).toBe(404)
  expect((await daemon.get(`/api/documents/${kept.document_ref}`)).statusCode).toBe(200)
})

test('outputs have the class of their source, name it, and contain what was asked for', async () => {
  const daemon = shared()
  const source = await addDocument(daemon, PDF, { metadata: { data_class: 'public' } })
  const done = await runOperation(daemon, 'extract_text', source.document_ref)
  const { document_ref, content_hash_sha256 } = source
  expect(done.output.json<{ source: object }>().source).toEqual({ document_ref, content_hash_sha256 })
  expect((await daemon.get(`/api/documents/${done.output_ref}`)).json()).toMatchObject({
    kind: 'output',
    data_class: 'public',
    operation_id: done.operation_id,
    expires_at: source.expires_at,
    file_name: 'paper.pdf.extract_text.json',
  })
  // The source is as it was.
  const stored = join(daemon.home, 'documents', content_hash_sha256.slice(0, 2), content_hash_sha256)
  expect(readFileSync(stored).equals(PDF)).toBe(true)
})
