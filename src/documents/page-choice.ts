import { type PageSpan, parsePageRange } from '@apprentice/contracts/documents/fields.ts'
import { EngineFault } from './engine-fault.ts'

/** The pages of a document to read, at most so many of them. */
export function choosePages(
  pageRange: string | undefined,
  count: number,
  most: number,
): { readonly spans: readonly PageSpan[]; readonly warning_codes: readonly string[] } {
  const asked = (pageRange === undefined ? undefined : parsePageRange(pageRange)) ?? [{ from: 1, to: count }]
  const warning_codes: string[] = []
  const spans: PageSpan[] = []
  let left = most
  for (const { from, to } of asked) {
    if (to > count && !warning_codes.includes('PAGE_RANGE_BEYOND_END')) warning_codes.push('PAGE_RANGE_BEYOND_END')
    const last = Math.min(to, count)
    if (from > last) continue
    const end = Math.min(last, from + left - 1)
    if (end < last && !warning_codes.includes('PAGE_LIMIT_REACHED')) warning_codes.push('PAGE_LIMIT_REACHED')
    if (end < from) continue
    spans.push({ from, to: end })
    left -= end - from + 1
  }
  if (spans.length === 0) throw new EngineFault('page_range_empty')
  return { spans, warning_codes }
}
