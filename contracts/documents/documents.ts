import { z } from 'zod'
import { DateTime, SchemaVersion, strictRequestBody, Uuid } from '../base/fields.ts'
import { pageFields, PageQuery } from '../base/page.ts'
import { route } from '../base/route.ts'
import { DataClass, DocumentMedia, DocumentRef } from './fields.ts'

const TAG = 'documents'
const documentParams = z.object({ documentRef: DocumentRef })

export const StoredDocument = z
  .object({
    document_ref: DocumentRef,
    kind: z.enum(['upload', 'output']).describe('`output`: written by an operation of the adapter'),
    file_name: z.string().max(240),
    media_type: DocumentMedia,
    byte_size: z.int().min(0),
    content_hash_sha256: z.string().regex(/^[0-9a-f]{64}$/),
    data_class: DataClass,
    operation_id: Uuid.optional().describe('The operation that wrote it'),
    created_at: DateTime,
    expires_at: DateTime.describe('When it is deleted'),
    schema_version: SchemaVersion,
  })
  .meta({ id: 'StoredDocument' })
export type StoredDocument = z.infer<typeof StoredDocument>

/** The optional `metadata` part of an upload, as JSON. */
export const DocumentMetadata = strictRequestBody({
  data_class: DataClass.default('unknown'),
  retention_days: z.int().min(1).max(3650).default(90),
})
export type DocumentMetadata = z.output<typeof DocumentMetadata>

export const uploadDocument = route({
  method: 'POST',
  url: '/api/documents',
  tag: TAG,
  summary: 'Upload a document (PDF, PNG, JPEG or TIFF, at most 100 MB); its type is found from its content',
  privilege: 'write',
  form: z.object({
    document: z.string().meta({ format: 'binary' }),
    metadata: DocumentMetadata.optional(),
  }),
  reply: z.object({ document: StoredDocument, schema_version: SchemaVersion }),
  status: 201,
  fails: ['DOCUMENT_TOO_LARGE', 'DOCUMENT_QUOTA_EXCEEDED', 'DOCUMENT_TYPE_UNSUPPORTED'],
})

export const listDocuments = route({
  method: 'GET',
  url: '/api/documents',
  tag: TAG,
  summary: 'List your documents, newest first',
  privilege: 'read',
  query: PageQuery.extend({ kind: z.enum(['upload', 'output']).optional() }),
  reply: z.object({ documents: z.array(StoredDocument), ...pageFields, schema_version: SchemaVersion }),
})

export const getDocument = route({
  method: 'GET',
  url: '/api/documents/:documentRef',
  tag: TAG,
  summary: 'Get what is known about a document',
  privilege: 'read',
  params: documentParams,
  reply: StoredDocument,
  fails: ['DOCUMENT_NOT_FOUND'],
})

export const downloadDocument = route({
  method: 'GET',
  url: '/api/documents/:documentRef/content',
  tag: TAG,
  summary: 'Download a document as it was uploaded or written',
  privilege: 'read',
  params: documentParams,
  reply: z.unknown(),
  media: 'application/octet-stream',
  fails: ['DOCUMENT_NOT_FOUND'],
})

export const deleteDocument = route({
  method: 'DELETE',
  url: '/api/documents/:documentRef',
  tag: TAG,
  summary: 'Delete a document that no operation reads; what operations wrote from it stays',
  privilege: 'write',
  params: documentParams,
  reply: z.object({ deleted: z.literal(true), document_ref: DocumentRef, schema_version: SchemaVersion }),
  fails: ['DOCUMENT_NOT_FOUND', 'DOCUMENT_IN_USE'],
})
