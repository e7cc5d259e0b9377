import { z } from 'zod'
import { DateTime, SchemaVersion, strictRequestBody, Uuid } from '../base/fields.ts'
import { route } from '../base/route.ts'
import { DispatchStatus } from '../connectors/dispatch.ts'
import { DataClass, DocumentRef, PageRange, SourceRef, SourceRefKind } from './fields.ts'

const TAG = 'documents'
/** The adapter among the connector servers. */
export const ACROBAT_SERVER_ID = 'acrobat'

export const AcrobatCapability = z.enum(['extract_text', 'extract_tables', 'ocr', 'redaction_prep'])
export type AcrobatCapability = z.infer<typeof AcrobatCapability>

export const TableMode = z.enum(['auto', 'strict', 'layout_preserving'])
export type TableMode = z.infer<typeof TableMode>

/** What a redaction looks for: a kind of text, a person (`name:Ada Lovelace`), or other words (`term:Project X`). */
export const RedactionPattern = z
  .string()
  .max(120)
  .regex(/^(?:email|phone|iban|card|(?:name|term):.*\S.*)$/, 'must be email, phone, iban, card, name:… or term:…')

export const AdapterHealth = z
  .object({
    adapter_state: z.enum(['healthy', 'degraded', 'disabled', 'missing']),
    supported_capabilities: z.array(AcrobatCapability),
    reason_code: z.string().max(120).optional(),
    last_checked_at: DateTime.optional(),
    ocr_languages: z.array(z.string().max(40)).describe('The languages that can be given as `language_hint`'),
    schema_version: SchemaVersion,
  })
  .meta({ id: 'AdapterHealth' })
export type AdapterHealth = z.infer<typeof AdapterHealth>

export const AcrobatOperation = z
  .object({
    operation_id: Uuid,
    capability: AcrobatCapability,
    status: z
      .enum(['ok', 'degraded', 'blocked', 'failed'])
      .describe('`blocked`: there is no output, because the operation waits, runs, was denied or was stopped'),
    output_ref: z.string().max(240).optional(),
    warning_codes: z.array(z.string().max(120)),
    receipt_id: Uuid.optional(),
    error_code: z.string().max(120).optional(),
    error_message: z.string().max(500).optional(),
    state: DispatchStatus,
    reason_code: z.string().max(120).optional().describe('Why it failed'),
    further_output_refs: z.array(DocumentRef).describe('The same result in other formats'),
    correlation_id: z.string().max(200),
    source_ref: z.string().max(240),
    data_class: DataClass,
    created_at: DateTime,
    completed_at: DateTime.optional(),
    schema_version: SchemaVersion,
  })
  .meta({ id: 'AcrobatOperation' })
export type AcrobatOperation = z.infer<typeof AcrobatOperation>

const sourceFields = {
  source_ref_kind: SourceRefKind,
  source_ref: SourceRef,
  page_range: PageRange.optional(),
  why_needed: z.string().max(500).optional().describe('Shown to the person who decides'),
  session_ref: z.string().min(1).max(240).optional().describe('The session that an approval may cover'),
  turn_ref: z.string().min(1).max(240).optional().describe('The turn that an approval may cover'),
}

const FAILURES = [
  'ACROBAT_UNAVAILABLE',
  'ACROBAT_SOURCE_NOT_FOUND',
  'ACROBAT_EXTRACTION_FAILED',
  'MCP_POLICY_DENIED',
] as const

export const getAdapterHealth = route({
  method: 'GET',
  url: '/api/adapters/acrobat/health',
  tag: TAG,
  summary: 'Get what the document adapter can do with the programs that are installed',
  waits: { for: 'the programs, which are asked what they can do', at_most_ms: 10_000 },
  privilege: 'read',
  reply: AdapterHealth,
})

export const extractText = route({
  method: 'POST',
  url: '/api/adapters/acrobat/extract-text',
  tag: TAG,
  summary: 'Extract the text of a document, page by page',
  waits: { for: 'the programs that read the document', at_most_ms: 60_000 },
  privilege: 'write',
  body: strictRequestBody({
    capability: z.literal('extract_text'),
    ...sourceFields,
    ocr_fallback: z.boolean().default(false).describe('Whether pages without text are read by OCR'),
  }),
  reply: AcrobatOperation,
  pending_status: 202,
  fails: [...FAILURES, 'MCP_ASK_FIRST_REQUIRED'],
})

export const extractTables = route({
  method: 'POST',
  url: '/api/adapters/acrobat/extract-tables',
  tag: TAG,
  summary: 'Extract the tables of a document as JSON and CSV',
  waits: { for: 'the programs that read the document', at_most_ms: 60_000 },
  privilege: 'write',
  body: strictRequestBody({
    capability: z.literal('extract_tables'),
    ...sourceFields,
    table_mode: TableMode.default('auto').describe(
      '`strict`: tables with ruled lines; `auto`: also columns that are aligned; `layout_preserving`: each page as a grid',
    ),
  }),
  reply: AcrobatOperation,
  pending_status: 202,
  fails: [...FAILURES, 'MCP_ASK_FIRST_REQUIRED'],
})

export const recognizeText = route({
  method: 'POST',
  url: '/api/adapters/acrobat/ocr',
  tag: TAG,
  summary: 'Read the text in pictures of pages, with the box of each word',
  waits: { for: 'the programs that read the document', at_most_ms: 60_000 },
  privilege: 'write',
  body: strictRequestBody({
    capability: z.literal('ocr'),
    ...sourceFields,
    language_hint: z
      .string()
      .max(40)
      .regex(/^[A-Za-z]{2,12}(?:[_-][A-Za-z]{2,12})*(?:\+[A-Za-z]{2,12}(?:[_-][A-Za-z]{2,12})*)*$/)
      .optional()
      .describe('Languages as in `ocr_languages` of the health, or two letters, joined by `+`'),
  }),
  reply: AcrobatOperation,
  pending_status: 202,
  fails: [...FAILURES, 'ACROBAT_OCR_UNSUPPORTED', 'MCP_ASK_FIRST_REQUIRED'],
})

export const prepareRedaction = route({
  method: 'POST',
  url: '/api/adapters/acrobat/redaction-prep',
  tag: TAG,
  summary: 'Propose what to redact, as an overlay of boxes; the document is not changed, and a person is always asked',
  waits: { for: 'the programs that read the document', at_most_ms: 60_000 },
  privilege: 'write',
  body: strictRequestBody({
    capability: z.literal('redaction_prep'),
    ...sourceFields,
    pattern_set: z.array(RedactionPattern).min(1).max(200),
  }),
  reply: AcrobatOperation,
  pending_status: 202,
  fails: [...FAILURES, 'ACROBAT_REDACTION_PREP_REQUIRES_APPROVAL'],
})

export const listOperations = route({
  method: 'GET',
  url: '/api/adapters/acrobat/operations',
  tag: TAG,
  summary: 'List your newest operations',
  privilege: 'read',
  query: z.object({ limit: z.coerce.number().int().min(1).max(100).default(20) }),
  reply: z.object({ operations: z.array(AcrobatOperation), schema_version: SchemaVersion }),
})

export const getOperation = route({
  method: 'GET',
  url: '/api/adapters/acrobat/operations/:operationId',
  tag: TAG,
  summary: 'Get an operation',
  privilege: 'read',
  params: z.object({ operationId: Uuid }),
  reply: AcrobatOperation,
  fails: ['ACROBAT_OPERATION_NOT_FOUND'],
})

export const cancelOperation = route({
  method: 'POST',
  url: '/api/adapters/acrobat/operations/:operationId/cancel',
  tag: TAG,
  summary: 'Withdraw an operation that waits for approval, or stop one that runs',
  privilege: 'write',
  params: z.object({ operationId: Uuid }),
  body: strictRequestBody({}),
  reply: AcrobatOperation,
  fails: ['ACROBAT_OPERATION_NOT_FOUND'],
})
