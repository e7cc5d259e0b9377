import type { DocumentMedia } from '@apprentice/contracts/documents/fields.ts'
import { findDispatch } from '../../store/connectors/dispatches.ts'
import { findOperation, updateOperation } from '../../store/documents/document-operations.ts'
import { findDocument } from '../../store/documents/documents.ts'
import type { CommandContext } from '../command/context.ts'
import { endDispatch } from '../connectors/dispatch-outcomes.ts'
import { addDocument } from './documents.ts'

/** A result that an operation has written to the files of documents. */
export interface WrittenOutput {
  readonly content_hash_sha256: string
  readonly byte_size: number
  readonly media_type: DocumentMedia
  /** Added to the name of the source. */
  readonly suffix: string
}

export type OperationOutcome =
  | { readonly kind: 'done'; readonly outputs: readonly WrittenOutput[]; readonly warning_codes: readonly string[] }
  | {
      readonly kind: 'failed'
      readonly error_code: string
      readonly reason_code: string
      readonly message: string
    }

type Ending = 'cancelled' | 'expired' | 'interrupted' | 'failed'

const OUTPUT_LIFETIME_MS = 90 * 86_400_000
const LONGEST_NAME = 200

/** Records how an operation ended: its outputs become documents of the same owner and class. */
export function finishOperation(ctx: CommandContext, operationId: string, outcome: OperationOutcome): void {
  const row = findOperation(ctx.tx, operationId)
  if (row === undefined || findDispatch(ctx.tx, operationId)?.completed_at !== undefined) return
  if (outcome.kind === 'failed') {
    const { error_code, message: error_message, reason_code } = outcome
    const receipt_id = endDispatch(ctx, operationId, { status: 'failed', error_code, error_message })
    updateOperation(ctx.tx, { ...row, reason_code, receipt_id })
    return
  }
  const source = findDocument(ctx.tx, row.source_ref)
  const name = (source?.file_name ?? 'document').slice(0, LONGEST_NAME)
  const expires_at = source?.expires_at ?? new Date(Date.parse(ctx.now) + OUTPUT_LIFETIME_MS).toISOString()
  const output_refs = outcome.outputs.map(({ suffix, ...content }) => {
    const { data_class } = row
    const file_name = `${name}${suffix}`
    return addDocument(ctx, {
      ...content,
      kind: 'output',
      file_name,
      data_class,
      operation_id: operationId,
      expires_at,
    }).document_ref
  })
  const receipt_id = endDispatch(ctx, operationId, { status: 'succeeded' })
  updateOperation(ctx.tx, { ...row, output_refs, warning_codes: [...outcome.warning_codes], receipt_id })
}

/** Ends an operation without a result. */
export function stopOperation(ctx: CommandContext, operationId: string, ending: Ending): void {
  const row = findOperation(ctx.tx, operationId)
  const isFault = ending === 'failed' || ending === 'expired'
  const receipt_id = endDispatch(ctx, operationId, {
    // What ran out of time has failed; only an approval expires.
    status: isFault ? 'failed' : ending,
    error_code: isFault ? 'ACROBAT_EXTRACTION_FAILED' : ending,
    ...(ending === 'expired' ? { error_message: 'The operation took too long.' } : {}),
  })
  if (row === undefined || receipt_id === undefined) return
  updateOperation(ctx.tx, { ...row, reason_code: ending === 'expired' ? 'time_limit' : ending, receipt_id })
}
