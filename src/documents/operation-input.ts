import type { AcrobatCapability, TableMode } from '@apprentice/contracts/documents/adapter.ts'
import type { DocumentMedia, PageSpan } from '@apprentice/contracts/documents/fields.ts'
import type { FoundSensitive, FoundTables, SensitiveInput, TableInput } from '../knowledge/documents/page-work.ts'

/** One operation on a stored document. */
export interface OperationInput {
  readonly operation_id: string
  readonly capability: AcrobatCapability
  readonly document_ref: string
  readonly content_hash_sha256: string
  readonly media_type: DocumentMedia
  readonly page_range?: string | undefined
  readonly ocr_fallback: boolean
  readonly table_mode: TableMode
  readonly language_hint?: string | undefined
  readonly pattern_set: readonly string[]
}

/** A result before it is stored. */
export interface OperationOutput {
  readonly media_type: DocumentMedia
  readonly suffix: string
  /** Each is short enough for one turn of the event loop. */
  readonly pieces: Iterable<string>
}

export interface OperationResult {
  readonly outputs: readonly OperationOutput[]
  readonly warning_codes: readonly string[]
}

/** Work that takes long for large pages, done outside the event loop. Implemented in `src/workers/document-pages.ts`. */
export interface PageWorker {
  findTables(input: TableInput, signal: AbortSignal): Promise<FoundTables>
  findSensitive(input: SensitiveInput, signal: AbortSignal): Promise<FoundSensitive>
}

/** Splits pages into parts that one call of a program reads. */
export function* splitSpans(spans: readonly PageSpan[], size: number): Generator<PageSpan> {
  for (const { from, to } of spans) {
    for (let start = from; start <= to; start += size) yield { from: start, to: Math.min(to, start + size - 1) }
  }
}
