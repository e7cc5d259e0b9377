import type { LightMyRequestResponse } from 'fastify'
import type { AcrobatOperation } from '@apprentice/contracts/documents/adapter.ts'
import type { StoredDocument } from '@apprentice/contracts/documents/documents.ts'
import { expect } from 'vitest'
import { type DocumentRow, findDocument, insertDocument } from '../../src/store/documents/documents.ts'
import type { Daemon } from '../kit/daemon.ts'

const BOUNDARY = 'document-boundary'

export interface UploadParts {
  readonly name?: string
  readonly metadata?: object
  readonly token?: string
}

export function sendDocument(
  daemon: Daemon,
  content: Buffer,
  { name = 'paper.pdf', metadata, token }: UploadParts = {},
): Promise<LightMyRequestResponse> {
  const part = (head: string, body: Buffer | string) =>
    Buffer.concat([Buffer.from(`--${BOUNDARY}\r\n${head}\r\n\r\n`), Buffer.from(body), Buffer.from('\r\n')])
  const parts = [
    ...(metadata === undefined
      ? []
      : [part('Content-Disposition: form-data; name="metadata"', JSON.stringify(metadata))]),
    part(
      `Content-Disposition: form-data; name="document"; filename="${name}"\r\nContent-Type: application/octet-stream`,
      content,
    ),
    Buffer.from(`--${BOUNDARY}--\r\n`),
  ]
  return daemon.request({
    method: 'POST',
    url: '/api/documents',
    headers: { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` },
    payload: Buffer.concat(parts),
    ...(token === undefined ? {} : { token }),
  })
}

/** Uploads a document that anybody may read without being asked. */
export async function addDocument(daemon: Daemon, content: Buffer, parts: UploadParts = {}): Promise<StoredDocument> {
  const reply = await sendDocument(daemon, content, { metadata: { data_class: 'internal' }, ...parts })
  expect(reply.statusCode, reply.body).toBe(201)
  return reply.json<{ document: StoredDocument }>().document
}

const MOST_BYTES = 2 * 1024 ** 3

/** Records a large output beside the user's only document, so that `freeBytes` are left. Returns its reference. */
export async function fillRoom(daemon: Daemon, only: StoredDocument, freeBytes: number): Promise<string> {
  const { store } = daemon.system
  const row = store.read((reader) => findDocument(reader, only.document_ref))
  const document_ref = 'doc_00000000-0000-4000-8000-000000000001'
  const byte_size = MOST_BYTES - only.byte_size - freeBytes
  await store.write((tx) => insertDocument(tx, { ...row, document_ref, kind: 'output', byte_size } as DocumentRow))
  return document_ref
}

const ROUTES = {
  extract_text: 'extract-text',
  extract_tables: 'extract-tables',
  ocr: 'ocr',
  redaction_prep: 'redaction-prep',
} as const
type Capability = keyof typeof ROUTES

export const operate = (
  daemon: Daemon,
  capability: Capability,
  source_ref: string,
  { token, ...more }: { readonly token?: string; readonly [field: string]: unknown } = {},
): Promise<LightMyRequestResponse> =>
  daemon.post(
    `/api/adapters/acrobat/${ROUTES[capability]}`,
    { capability, source_ref_kind: 'document_ref', source_ref, schema_version: 1, ...more },
    token,
  )

export const readDocument = (daemon: Daemon, ref: string): Promise<LightMyRequestResponse> =>
  daemon.get(`/api/documents/${ref}/content`)

/** Runs an operation to its end. Returns its record and what it wrote. */
export async function runOperation(
  daemon: Daemon,
  capability: Capability,
  source_ref: string,
  more: object = {},
): Promise<AcrobatOperation & { readonly output: LightMyRequestResponse }> {
  const reply = await operate(daemon, capability, source_ref, { ...more })
  expect(reply.statusCode, reply.body).toBe(200)
  const operation = reply.json<AcrobatOperation>()
  const output = await readDocument(daemon, operation.output_ref ?? '')
  expect(output.statusCode, output.body).toBe(200)
  return { ...operation, output }
}

export const readCode = (reply: LightMyRequestResponse): string => reply.json<{ error: { code: string } }>().error.code

export const readDetails = (reply: LightMyRequestResponse): Record<string, string> =>
  reply.json<{ error: { details: Record<string, string> } }>().error.details
