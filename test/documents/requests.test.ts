import { expect, test } from 'vitest'
import { parsePageRange } from '@apprentice/contracts/documents/fields.ts'
import { shareDaemon } from '../kit/daemon.ts'
import { addDocument, operate, readCode } from './document-kit.ts'
import { makePdf } from './make-pdf.ts'

const shared = shareDaemon()
const UNKNOWN = 'doc_00000000-0000-4000-8000-000000000000'

test.each([
  '/etc/passwd',
  '..',
  'a/b',
  'a\\b',
  '~/paper.pdf',
  'C:paper.pdf',
  'c:',
  'file:paper.pdf',
  'FILE:x',
  'doc_..1',
  '%2Fetc',
  '',
])('41. a reference like a path is refused: %s', async (source_ref) => {
  const reply = await operate(shared(), 'extract_text', source_ref)
  expect([reply.statusCode, readCode(reply)]).toEqual([400, 'INVALID_REQUEST'])
})

test('41. a capability that is not that of the route is refused', async () => {
  const { document_ref } = await addDocument(shared(), await makePdf((pen) => pen.write('x', 50, 50)))
  const reply = await operate(shared(), 'extract_text', document_ref, { capability: 'ocr' })
  expect([reply.statusCode, readCode(reply)]).toEqual([400, 'INVALID_REQUEST'])
  expect((await operate(shared(), 'extract_text', document_ref)).statusCode).toBe(200)
})

test.each([
  ['extract_text', { page_range: '0' }],
  ['extract_text', { page_range: '3-1' }],
  ['extract_text', { page_range: '5,2' }],
  ['extract_text', { page_range: '1,1' }],
  ['extract_text', { page_range: '1-' }],
  ['extract_text', { source_ref_kind: 'path' }],
  ['extract_text', { ocr_fallback: 'yes' }],
  ['extract_text', { other: 1 }],
  ['extract_text', { schema_version: 2 }],
  ['extract_tables', { table_mode: 'loose' }],
  ['ocr', { language_hint: '../eng' }],
  ['ocr', { language_hint: 'a'.repeat(41) }],
  ['redaction_prep', {}],
  ['redaction_prep', { pattern_set: [] }],
  ['redaction_prep', { pattern_set: ['password'] }],
  ['redaction_prep', { pattern_set: ['name: '] }],
  ['redaction_prep', { pattern_set: [`term:${'x'.repeat(116)}`] }],
] as const)('%s refuses %j', async (capability, body) => {
  const reply = await operate(shared(), capability, UNKNOWN, body)
  expect([reply.statusCode, readCode(reply)], reply.body).toEqual([400, 'INVALID_REQUEST'])
})

test.each(['document_ref', 'temp_artifact_ref', 'materialized_bundle'])('an unknown %s is not found', async (kind) => {
  const reply = await operate(shared(), 'extract_text', UNKNOWN, { source_ref_kind: kind })
  expect([reply.statusCode, readCode(reply)]).toEqual([404, 'ACROBAT_SOURCE_NOT_FOUND'])
})

test('page ranges are ascending parts', () => {
  expect(parsePageRange('1-3,7')).toEqual([
    { from: 1, to: 3 },
    { from: 7, to: 7 },
  ])
  for (const text of ['', 'a', '1,', '2-1', '3,3', '0-2', '1-3,3', '99999999']) {
    expect(parsePageRange(text), text).toBeUndefined()
  }
})
