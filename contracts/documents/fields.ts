import { z } from 'zod'

/** How sensitive a document is. It decides whether a person is asked before the document is read. */
export const DataClass = z.enum(['public', 'internal', 'confidential', 'privileged', 'unknown'])
export type DataClass = z.infer<typeof DataClass>

export const DocumentRef = z.string().regex(/^doc_[0-9a-f-]{36}$/)

export const DocumentMedia = z.enum([
  'application/pdf',
  'image/png',
  'image/jpeg',
  'image/tiff',
  'application/json',
  'text/plain',
  'text/csv',
])
export type DocumentMedia = z.infer<typeof DocumentMedia>

export const SourceRefKind = z.enum(['document_ref', 'temp_artifact_ref', 'materialized_bundle'])
export type SourceRefKind = z.infer<typeof SourceRefKind>

/** A reference that the daemon gave out. Paths, drive letters and addresses of files have characters that it lacks. */
export const SourceRef = z
  .string()
  .max(240)
  .regex(/^(?![A-Za-z]:)(?![Ff][Ii][Ll][Ee]:)[A-Za-z0-9][A-Za-z0-9._:-]*$/, 'must be a reference, not a path')
  .regex(/^(?!.*\.\.)/, 'must be a reference, not a path')

/** The first and the last page of a part of a document, from 1. */
export interface PageSpan {
  readonly from: number
  readonly to: number
}

const PAGE_RANGE = /^\d+(-\d+)?(,\d+(-\d+)?)*$/
const LARGEST_PAGE = 9_999_999

/** The parts that a text such as `1-3,7` names. Undefined if the pages are not ascending or the text is no page range. */
export function parsePageRange(text: string): PageSpan[] | undefined {
  if (!PAGE_RANGE.test(text)) return undefined
  const spans = text.split(',').map((part) => {
    const [from = 0, to = from] = part.split('-').map(Number)
    return { from, to }
  })
  const isAscending = spans.every(
    ({ from, to }, at) => from >= 1 && to >= from && to <= LARGEST_PAGE && from > (spans[at - 1]?.to ?? 0),
  )
  return isAscending ? spans : undefined
}

export const PageRange = z
  .string()
  .max(120)
  .regex(PAGE_RANGE)
  .refine((text) => parsePageRange(text) !== undefined, 'must name pages from 1, in ascending order')
