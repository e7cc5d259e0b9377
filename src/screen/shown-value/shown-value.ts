import type { Span } from './dates.ts'
import { type ScannedLabel, scanLabel } from './scanned-label.ts'
import { classifyPlace, listCodeSpans, listMaskedSpans, listTextSpans } from './text-spans.ts'
import { listBooleanSpans, listDateSpans, listNumberSpans, listTimeSpans } from './typed-spans.ts'
import { readValue, type ShownValue } from './value.ts'

export type ShownAs = 'equal' | 'part' | 'word' | 'number' | 'date' | 'time' | 'shortened' | 'first_line' | 'boolean'

/** Strongest first. */
export const SHOWN_AS: readonly ShownAs[] = [
  'equal',
  'part',
  'word',
  'number',
  'date',
  'time',
  'boolean',
  'first_line',
  'shortened',
]

export interface ShownSpan extends Span {
  readonly shown_as: ShownAs
}

/**
 * How a label shows a value; undefined if it does not. Texts are compared trimmed, with single spaces, NFKC, plain
 * quotes and dashes, and without regard to case; diacritics count.
 *
 * - `equal`: the whole label. `part`: a line, or a segment between separators, brackets or quotes.
 * - `word`: the same text as whole words or as a whole number, not inside a longer one. A number may be one of several:
 *   `5 of 8` shows 5 and 8 as `word`, which does not tell which of them is meant.
 * - `number`: the same number in another format, or the same phone, card or account number in other groups. No rounding.
 *   An amount with a currency may have a minus that the value lacks.
 * - `date`, `time`: the same date or time in another format. A date may lack the year, and a weekday must fit. A value
 *   without AM or PM is of 24 hours.
 * - `boolean`: true or false as a part that is a word like on, off, yes or no.
 * - `first_line`: the first line of a longer value. `shortened`: its start before an ellipsis, or a masked code.
 *
 * `today` (ISO) lets words for yesterday, today and tomorrow show a date.
 */
export function findShownValue(label: string, value: string, today?: string): ShownAs | undefined {
  const wanted = readValue(value)
  if (wanted === undefined) return undefined
  const kinds = new Set(listShownSpans(scanLabel(label), wanted, today).map(({ shown_as }) => shown_as))
  return SHOWN_AS.find((kind) => kinds.has(kind))
}

export function showsValue(label: string, value: string, today?: string): boolean {
  return findShownValue(label, value, today) !== undefined
}

/** All places of a label that show the value. */
export function listShownSpans(label: ScannedLabel, value: ShownValue, today: string | undefined): ShownSpan[] {
  if (label.folded === value.folded && label.text !== '') {
    return [{ start: 0, end: label.text.length, shown_as: 'equal' }]
  }
  const typed = [
    ...toShown(label, value, listNumberSpans(label, value), 'number'),
    ...toShown(label, value, listDateSpans(label, value, today), 'date'),
    ...toShown(label, value, listTimeSpans(label, value), 'time'),
    ...toShown(label, value, listBooleanSpans(label, value), 'boolean'),
    ...toShown(label, value, listCodeSpans(label, value), 'number'),
    ...toShown(label, value, listMaskedSpans(label, value), 'shortened'),
  ]
  return isTyped(value) ? typed : [...listTextSpans(label, value), ...typed]
}

/** Numbers, codes, dates and times are found as such only: as texts they may be parts of others. */
function isTyped({ number, code, date, time }: ShownValue): boolean {
  return number !== undefined || code !== undefined || date !== undefined || time !== undefined
}

function toShown(label: ScannedLabel, value: ShownValue, spans: readonly Span[], kind: ShownAs): ShownSpan[] {
  return spans.map((span) => {
    const isSameText = label.folded.slice(span.start, span.end) === value.folded
    return { ...span, shown_as: isSameText ? (classifyPlace(label, span) ?? 'word') : kind }
  })
}
