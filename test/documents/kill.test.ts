import type { AcrobatOperation } from '@apprentice/contracts/documents/adapter.ts'
import type { StoredDocument } from '@apprentice/contracts/documents/documents.ts'
import { expect, test, vi } from 'vitest'
import { openHome } from '../connectors/killed-home.ts'
import { makePdf, makePicture } from './make-pdf.ts'

const LONG = { timeout: 120_000 }
const LINES = Array.from({ length: 15 }, () => 'A line of a scanned page')

test('an OCR that a kill interrupts runs again after the next start, and has one result', async () => {
  const home = await openHome()
  await home.start()
  const pdf = await makePdf(async (pen) => {
    for (let page = 0; page < 3; page += 1) {
      pen.addPage()
      await pen.picture(makePicture(LINES))
    }
  })
  const form = new FormData()
  form.append('metadata', JSON.stringify({ data_class: 'internal' }))
  form.append('document', new Blob([pdf]), 'scan.pdf')
  const { document } = await home.upload<{ document: StoredDocument }>('/api/documents', form)
  const body = {
    capability: 'ocr',
    source_ref_kind: 'document_ref',
    source_ref: document.document_ref,
    client_request_id: 'one',
  }
  const listOperations = async () =>
    (await home.get<{ operations: AcrobatOperation[] }>('/api/adapters/acrobat/operations')).operations
  const asking = home.post('/api/adapters/acrobat/ocr', body).catch(() => undefined)
  await vi.waitUntil(async () => (await listOperations()).some(({ state }) => state === 'running'), LONG)
  await home.kill()
  await asking
  await home.start()
  await vi.waitUntil(async () => (await listOperations()).every(({ completed_at }) => completed_at !== undefined), LONG)
  expect(await listOperations()).toMatchObject([{ status: 'ok', state: 'succeeded', warning_codes: [] }])
  // One output and its plain text. The repeated request finds them.
  const { total } = await home.get<{ total: number }>('/api/documents?kind=output')
  expect(total).toBe(2)
  expect(await home.post('/api/adapters/acrobat/ocr', body)).toMatchObject({ status: 'ok' })
  expect(await home.get('/api/documents?kind=output')).toMatchObject({ total: 2 })
}, 300_000)
