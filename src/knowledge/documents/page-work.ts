import type { TableMode } from '@apprentice/contracts/documents/adapter.ts'
import type { Table } from '../tables/geometry.ts'
import type { RedactionProposal } from './redaction.ts'

// What workers get and return for some pages of a document.

export interface TableInput {
  readonly words_file: string
  readonly first_page: number
  /** Pictures of the pages, in which drawn lines are searched. */
  readonly pictures: readonly { readonly page: number; readonly file: string; readonly longer_side: number }[]
  readonly mode: TableMode
}

export interface FoundTables {
  readonly tables: readonly (Table & { readonly page: number })[]
  readonly textless_pages: readonly number[]
}

export interface SensitiveInput {
  readonly words_file?: string | undefined
  readonly first_page: number
  /** Outputs of OCR. `page` is that of the first page in the file. */
  readonly recognized: readonly { readonly page: number; readonly file: string; readonly scale: number }[]
  readonly patterns: readonly string[]
  /** Makes the hashes of texts useless outside of this proposal. It is not kept. */
  readonly key: string
}

export interface FoundSensitive {
  readonly proposals: readonly RedactionProposal[]
  readonly textless_pages: readonly number[]
}
