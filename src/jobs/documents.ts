import type { ProgramFacts } from '../knowledge/documents/adapter-health.ts'
import { assertSupported, readAdapterHealth } from '../domain/documents/adapter.ts'
import {
  finishOperation,
  type OperationOutcome,
  stopOperation,
  type WrittenOutput,
} from '../domain/documents/operation-outcomes.ts'
import { assertOperationAllowed, getSource, type OperationRequest } from '../domain/documents/operations.ts'
import { acknowledgeResume } from '../domain/connectors/approvals.ts'
import { setDispatch } from '../domain/connectors/dispatch-rows.ts'
import { formatPayloadRef, readSecretText, type VaultCipher } from '../domain/connectors/registry/vault.ts'
import { Failure } from '../failure/failure.ts'
import { findDispatch } from '../store/connectors/dispatches.ts'
import type { Job } from '../store/command/jobs.ts'
import { findOperation } from '../store/documents/document-operations.ts'
import type { JobHandler } from './handler.ts'
import type { DocumentReaderPort, DocumentReading, DocumentStoragePort } from './ports.ts'
import type { RunnerDeps } from './runner.ts'

interface DocumentJobDeps extends RunnerDeps {
  readonly cipher: VaultCipher
  readonly reader: DocumentReaderPort & { check(): Promise<ProgramFacts> }
  readonly storage: DocumentStoragePort
}

const readId = ({ payload }: Job): string => (payload as { dispatch_id: string }).dispatch_id

/**
 * Runs operations on documents. One that a stop of the daemon interrupts runs again, because it changes nothing but what
 * it returns: its outputs are recorded once, when it settles.
 */
export function documentJobs(deps: DocumentJobDeps): JobHandler {
  return {
    resume: 'rerun',
    onStarted: (ctx, job) => {
      const dispatch = findDispatch(ctx.tx, readId(job))
      if (dispatch === undefined) return
      acknowledgeResume(ctx, dispatch.dispatch_id)
      setDispatch(ctx, { ...dispatch, status: 'running', started_at: ctx.now })
    },
    run: (job, signal) => runOperation(deps, readId(job), signal),
    onSettled: (ctx, job) => {
      const id = readId(job)
      if (job.state === 'succeeded') finishOperation(ctx, id, job.result as OperationOutcome)
      else if (job.state !== 'queued' && job.state !== 'running') stopOperation(ctx, id, job.state)
    },
  }
}

async function runOperation(deps: DocumentJobDeps, id: string, signal: AbortSignal): Promise<OperationOutcome> {
  try {
    const reading = prepareReading(deps, id, await deps.reader.check())
    const { outputs, warning_codes } = await deps.reader.run(reading, signal)
    const written: WrittenOutput[] = []
    for (const { pieces, media_type, suffix } of outputs) {
      const { sha256, bytes } = await deps.storage.write(pieces)
      written.push({ content_hash_sha256: sha256, byte_size: bytes, media_type, suffix })
    }
    return { kind: 'done', outputs: written, warning_codes }
  } catch (error) {
    signal.throwIfAborted()
    const fault = describeFault(error)
    if (fault === undefined) throw error
    deps.log.info({ operation_id: id, reason_code: fault.reason_code }, 'a document could not be read')
    return { kind: 'failed', ...fault }
  }
}

function prepareReading({ store, cipher, clock }: DocumentJobDeps, id: string, facts: ProgramFacts): DocumentReading {
  return store.read((reader): DocumentReading => {
    const row = findOperation(reader, id)
    const text = readSecretText(reader, cipher, formatPayloadRef(id))
    if (row === undefined || text === undefined) {
      throw new Failure('ACROBAT_EXTRACTION_FAILED', 'The vault lacks the request.', {
        details: { reason_code: 'payload_unreadable' },
      })
    }
    const request = JSON.parse(text) as OperationRequest
    assertSupported(readAdapterHealth(reader, facts), row.capability)
    assertOperationAllowed(reader, row.capability, clock().toISOString())
    const { document_ref, content_hash_sha256, media_type } = getSource(reader, request, row.owner_user_id)
    return {
      operation_id: id,
      capability: row.capability,
      document_ref,
      content_hash_sha256,
      media_type,
      page_range: request.page_range,
      ocr_fallback: request.capability === 'extract_text' && request.ocr_fallback,
      table_mode: request.capability === 'extract_tables' ? request.table_mode : 'auto',
      language_hint: request.capability === 'ocr' ? request.language_hint : undefined,
      pattern_set: request.capability === 'redaction_prep' ? request.pattern_set : [],
    }
  })
}

/** What a person can act on. Undefined for a defect of the program. */
function describeFault(error: unknown): Omit<Extract<OperationOutcome, { kind: 'failed' }>, 'kind'> | undefined {
  if (error instanceof Failure) {
    const isLimit = error.code === 'WORK_LIMIT_EXCEEDED'
    const { reason_code } = (error.details ?? {}) as { readonly reason_code?: string }
    return {
      error_code: isLimit ? 'ACROBAT_EXTRACTION_FAILED' : error.code,
      reason_code: isLimit ? 'work_limit' : (reason_code ?? error.code),
      message: error.message,
    }
  }
  const { reason } = error as { readonly reason?: unknown }
  if (!(error instanceof Error) || typeof reason !== 'string') return undefined
  return { error_code: 'ACROBAT_EXTRACTION_FAILED', reason_code: reason, message: error.message }
}
