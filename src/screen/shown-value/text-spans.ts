import type { Span } from './dates.ts'
import type { ScannedLabel } from './scanned-label.ts'
import { isWholeWords, measurePrefixes } from './text-search.ts'
import { compactCode, type ShownValue } from './value.ts'

export interface TextSpan extends Span {
  readonly shown_as: 'equal' | 'part' | 'word' | 'first_line' | 'shortened'
}

/** How a place shows its own text. Undefined if it is inside a longer word or number. */
export function classifyPlace(label: ScannedLabel, { start, end }: Span): 'equal' | 'part' | 'word' | undefined {
  if (start === 0 && end === label.text.length) return 'equal'
  if (label.edges.starts[start] === 1 && label.edges.ends[end] === 1) return 'part'
  if (!isWordLike(label.text.slice(start, Math.min(end, start + 40)))) return undefined
  return isWholeWords(label.folded, start, end) ? 'word' : undefined
}

/** More than one character, at least one of them a letter or a digit. */
function isWordLike(text: string): boolean {
  return /[\p{L}\p{N}]/u.test(text) && Array.from(text.slice(0, 3)).length > 1
}

/** Places with the same text, with its first line, or with its start before an ellipsis. */
export function listTextSpans(label: ScannedLabel, value: ShownValue): TextSpan[] {
  const spans = findOccurrences(label, label.folded, value.folded, value.text)
  if (spans.length > 0) return spans
  if (/[ıİ]/.test(label.text + value.text)) {
    const turkish = findOccurrences(label, label.turkish, value.turkish, value.text)
    if (turkish.length > 0) return turkish
  }
  if (!value.folded.includes('ß') || label.folded.includes('ß')) return []
  const spelled = value.folded.replaceAll('ß', 'ss')
  return findOccurrences(label, label.folded, spelled, spelled)
}

function findOccurrences(label: ScannedLabel, shown: string, wanted: string, written: string): TextSpan[] {
  const mayBeCut = label.text.includes('...') || written.includes('\n')
  if (!mayBeCut && !shown.includes(wanted)) return []
  const lengths = measurePrefixes(shown, wanted, label)
  const spans: TextSpan[] = []
  for (let start = 0; start < lengths.length; start++) {
    if ((lengths[start] ?? 0) < wanted.length) continue
    const place = { start, end: start + wanted.length }
    const shown_as = classifyPlace(label, place)
    if (shown_as !== undefined) spans.push({ ...place, shown_as })
  }
  if (spans.length > 0) return spans
  return [...listFirstLines(label, lengths, written), ...listShortened(label, lengths, wanted)]
}

function listFirstLines({ edges }: ScannedLabel, lengths: Int32Array, written: string): TextSpan[] {
  const length = written.indexOf('\n')
  if (length === -1 || countLetters(written.slice(0, length)) < MIN_LETTERS) return []
  return Array.from(lengths.entries())
    .filter(([start, common]) => common >= length && edges.starts[start] === 1 && edges.ends[start + length] === 1)
    .map(([start]) => ({ start, end: start + length, shown_as: 'first_line' }))
}

/** A start of the value from the start of a part to an ellipsis. */
function listShortened(label: ScannedLabel, lengths: Int32Array, wanted: string): TextSpan[] {
  const { text, edges } = label
  const spans: TextSpan[] = []
  let from = 0
  for (const { 0: dots, index } of text.matchAll(/\.{3,}/g)) {
    const end = text[index - 1] === ' ' ? index - 1 : index
    for (let start = from; start < end; start++) {
      label.steps++
      const length = end - start
      if (edges.starts[start] !== 1 || (lengths[start] ?? 0) < length || wanted.length <= length) continue
      if (countLetters(wanted.slice(0, Math.min(length, 200))) < MIN_LETTERS) continue
      spans.push({ start, end: index + dots.length, shown_as: 'shortened' })
      break
    }
    from = index + dots.length
  }
  return spans
}

const MIN_LETTERS = 3

function countLetters(text: string): number {
  return text.match(/[\p{L}\p{N}]/gu)?.length ?? 0
}

/** Places with the same phone, card or account number in other groups. */
export function listCodeSpans(label: ScannedLabel, { code }: ShownValue): Span[] {
  if (code === undefined || !label.hasDigits) return []
  const { text, places } = compactCode(label.folded)
  const lengths = measurePrefixes(text, code, label)
  return Array.from(lengths.entries()).flatMap(([at, common]) => {
    if (common < code.length) return []
    const [start, end] = [places[at] ?? 0, (places[at + code.length - 1] ?? 0) + 1]
    return isWholeCode(label.folded, start, end) ? [{ start, end }] : []
  })
}

function isWholeCode(folded: string, start: number, end: number): boolean {
  const [before, behind] = [folded.slice(Math.max(0, start - 2), start), folded.slice(end, end + 2)]
  return !/[\p{L}\p{N}]$|\d[ \-./(]$|\+$/u.test(before) && !/^[\p{L}\p{N}]|^[ \-./)]\d/u.test(behind)
}

/** `•••• 1234` for a code that ends so. */
export function listMaskedSpans(label: ScannedLabel, { code }: ShownValue): Span[] {
  if (code === undefined || code.length < MIN_MASKED || !label.hasDigits) return []
  return Array.from(label.folded.matchAll(MASKED)).flatMap(({ 0: whole, 1: mask = '', 2: digits = '', index }) => {
    const isMask = mask.replaceAll(/[ -]/g, '').length >= 2 && code.endsWith(digits)
    return isMask ? [{ start: index, end: index + whole.length }] : []
  })
}

const MIN_MASKED = 8
const MASK = '[\u2022\u25cf\u2219\u00b7*#x.]'
/** Starts only where the mask starts, so that each character is read once. */
const MASKED = new RegExp(
  `(?<!${MASK}|${MASK}[ -]|[\\p{L}\\p{N}])(${MASK}(?:[ -]?${MASK})*[ -]?)(\\d{3,6})(?!\\d)`,
  'gu',
)
