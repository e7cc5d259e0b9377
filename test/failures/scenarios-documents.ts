import type { FailureCode } from '@apprentice/contracts/base/failures.ts'
import { startWithPrograms } from '../documents/chosen-programs.ts'
import { addDocument, fillRoom, operate, sendDocument } from '../documents/document-kit.ts'
import { patch } from '../connectors/connector-kit.ts'
import { type Scenario, withDaemon } from './scenarios.ts'

const UNKNOWN = '00000000-0000-4000-8000-000000000000'
/** Enough to be stored, and too little to be read. */
const BROKEN = Buffer.from('%PDF-1.7\n%%EOF')
const MORE_THAN_ALLOWED = 100 * 1024 * 1024

export const documentScenarios = {
  DOCUMENT_NOT_FOUND: withDaemon((daemon) => daemon.get(`/api/documents/doc_${UNKNOWN}`)),
  DOCUMENT_TOO_LARGE: withDaemon((daemon) =>
    sendDocument(daemon, Buffer.concat([BROKEN, Buffer.alloc(MORE_THAN_ALLOWED)])),
  ),
  DOCUMENT_QUOTA_EXCEEDED: withDaemon(async (daemon) => {
    await fillRoom(daemon, await addDocument(daemon, BROKEN), BROKEN.length - 1)
    return sendDocument(daemon, BROKEN)
  }),
  DOCUMENT_TYPE_UNSUPPORTED: withDaemon((daemon) => sendDocument(daemon, Buffer.from('a text'))),
  DOCUMENT_IN_USE: withDaemon(async (daemon) => {
    const { document_ref } = await addDocument(daemon, BROKEN)
    await operate(daemon, 'redaction_prep', document_ref, { pattern_set: ['email'] })
    return daemon.delete(`/api/documents/${document_ref}`)
  }),
  ACROBAT_UNAVAILABLE: withDaemon(async (daemon) => {
    const { document_ref } = await addDocument(daemon, BROKEN)
    await patch(daemon, '/api/mcp/servers/acrobat', { enabled: false })
    return operate(daemon, 'extract_text', document_ref)
  }),
  ACROBAT_SOURCE_NOT_FOUND: withDaemon((daemon) => operate(daemon, 'extract_text', `doc_${UNKNOWN}`)),
  ACROBAT_OCR_UNSUPPORTED: async () => {
    const { daemon } = await startWithPrograms('pdfinfo', 'pdftotext')
    const { document_ref } = await addDocument(daemon, BROKEN)
    return operate(daemon, 'ocr', document_ref)
  },
  ACROBAT_EXTRACTION_FAILED: withDaemon(async (daemon) => {
    const { document_ref } = await addDocument(daemon, BROKEN)
    return operate(daemon, 'extract_text', document_ref)
  }),
  ACROBAT_REDACTION_PREP_REQUIRES_APPROVAL: withDaemon(async (daemon) => {
    const { document_ref } = await addDocument(daemon, BROKEN)
    return operate(daemon, 'redaction_prep', document_ref, { pattern_set: ['email'] })
  }),
  ACROBAT_OPERATION_NOT_FOUND: withDaemon((daemon) => daemon.get(`/api/adapters/acrobat/operations/${UNKNOWN}`)),
} satisfies Partial<Record<FailureCode, Scenario>>
