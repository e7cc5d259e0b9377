import type { FastifyInstance } from 'fastify'
import {
  type AcrobatOperation,
  cancelOperation,
  extractTables,
  extractText,
  getAdapterHealth,
  getOperation,
  listOperations,
  prepareRedaction,
  recognizeText,
} from '@apprentice/contracts/documents/adapter.ts'
import {
  deleteDocument,
  downloadDocument,
  getDocument,
  listDocuments,
} from '@apprentice/contracts/documents/documents.ts'
import type { System } from '../../daemon/system.ts'
import { withdrawApproval } from '../../domain/connectors/approvals.ts'
import { readAdapterHealth } from '../../domain/documents/adapter.ts'
import * as documents from '../../domain/documents/documents.ts'
import {
  type OperationRequest,
  readOperation,
  listOperations as listOwn,
  startOperation,
} from '../../domain/documents/operations.ts'
import { documentUploadRoutes } from './uploads.ts'
import { Failure } from '../../failure/failure.ts'
import type { FailureCode } from '@apprentice/contracts/base/failures.ts'
import { mountContract, type RequestContext } from '../../http/contract-routes.ts'

/** How long a request waits for the end of its operation. A longer one is answered with 202. */
const WAIT_MS = 60_000
const SETTLE_MARGIN_MS = 5000

/** The routes of stored documents and of the adapter that reads them. */
export async function documentRoutes(app: FastifyInstance, system: System): Promise<void> {
  await documentUploadRoutes(app, system)
  storedDocumentRoutes(app, system)
  documentAdapterRoutes(app, system)
}

function storedDocumentRoutes(app: FastifyInstance, system: System): void {
  const { commands } = system
  const { storage, isReferenced } = system.documents
  const on = mountContract(app)

  on(listDocuments)(({ query, caller }) =>
    commands.read((reader) => {
      const { page, page_size } = query
      const found = documents.listDocuments(reader, { ...query, owner: caller.user_id })
      return { ...found, page, page_size, schema_version: 1 as const }
    }),
  )
  on(getDocument)(({ params, caller }) =>
    commands.read((reader) => documents.getDocument(reader, params.documentRef, caller.user_id)),
  )
  on(downloadDocument)(({ params, caller }, reply) => {
    const found = commands.read((reader) => documents.getDocument(reader, params.documentRef, caller.user_id))
    const name = encodeURIComponent(found.file_name)
    // Browsers must not show a foreign document as a page of this origin.
    void reply.header('content-disposition', `attachment; filename*=UTF-8''${name}`)
    void reply.header('x-content-type-options', 'nosniff')
    void reply.type(found.media_type).header('content-length', found.byte_size)
    return storage.stream(found.content_hash_sha256)
  })
  on(deleteDocument)(async (request) => {
    const { documentRef: document_ref } = request.params
    const { content_hash_sha256 } = await commands.command(request, (ctx) =>
      documents.removeDocument(ctx, document_ref),
    )
    await storage.remove(content_hash_sha256, isReferenced)
    return { deleted: true as const, document_ref, schema_version: 1 as const }
  })
}

function documentAdapterRoutes(app: FastifyInstance, system: System): void {
  const { commands, jobs } = system
  const on = mountContract(app)
  const read = (operationId: string, owner: string) =>
    commands.read((reader) => readOperation(reader, operationId, owner))

  on(getAdapterHealth)(async () => {
    const facts = await system.documents.refresh()
    return commands.read((reader) => readAdapterHealth(reader, facts))
  })
  for (const contract of [extractText, extractTables, recognizeText, prepareRedaction] as const) {
    on(contract as typeof extractText)(async (request, reply) => {
      const { pending, operation } = await runOperation(system, request, request.body)
      if (pending) void reply.code(202)
      return operation
    })
  }
  on(listOperations)(({ query, caller }) =>
    commands.read((reader) => ({
      operations: listOwn(reader, caller.user_id, query.limit),
      schema_version: 1 as const,
    })),
  )
  on(getOperation)(({ params, caller }) => read(params.operationId, caller.user_id))
  on(cancelOperation)(async (request) => {
    const { operationId } = request.params
    const { correlation_id } = read(operationId, request.caller.user_id)
    const isWithdrawn = await commands.write(request, (ctx) =>
      withdrawApproval({ ...ctx, correlation_id }, operationId),
    )
    if (!isWithdrawn && (await jobs.cancel(operationId))) await jobs.waitUntilSettled(operationId, SETTLE_MARGIN_MS)
    return read(operationId, request.caller.user_id)
  })
}

/** Starts an operation and waits for its end. A repeated request finds the first operation, whatever became of it. */
async function runOperation(
  { commands, jobs, connectors, documents: { refresh } }: System,
  request: RequestContext,
  body: OperationRequest,
): Promise<{ readonly pending: boolean; readonly operation: AcrobatOperation }> {
  const { user_id } = request.caller
  const facts = await refresh()
  const { operation_id } = await commands.command(request, (ctx) =>
    startOperation(ctx, { cipher: connectors.vault, facts }, body),
  )
  const read = () => commands.read((reader) => readOperation(reader, operation_id, user_id))
  const first = read()
  if (first.state === 'waiting_for_approval') throw askFirst(first)
  await jobs.waitUntilSettled(operation_id, WAIT_MS)
  const operation = read()
  if (operation.status === 'failed') throw toFailure(operation)
  return { pending: operation.completed_at === undefined, operation }
}

function askFirst({ operation_id, correlation_id, capability }: AcrobatOperation): Failure {
  const code = capability === 'redaction_prep' ? 'ACROBAT_REDACTION_PREP_REQUIRES_APPROVAL' : 'MCP_ASK_FIRST_REQUIRED'
  return new Failure(code, `A person has to approve ${capability} of this document.`, {
    details: { dispatch_id: operation_id, correlation_id },
  })
}

const REFUSALS: readonly FailureCode[] = [
  'ACROBAT_UNAVAILABLE',
  'ACROBAT_SOURCE_NOT_FOUND',
  'ACROBAT_OCR_UNSUPPORTED',
  'MCP_POLICY_DENIED',
]

function toFailure({ error_code, error_message, reason_code, operation_id }: AcrobatOperation): Failure {
  const code = REFUSALS.find((one) => one === error_code) ?? 'ACROBAT_EXTRACTION_FAILED'
  return new Failure(code, error_message ?? 'The document could not be read.', {
    details: { operation_id, reason_code },
  })
}
