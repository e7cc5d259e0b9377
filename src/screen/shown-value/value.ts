import type { DateToken } from './dates.ts'
import { foldText, foldTurkishText } from './normalize.ts'
import type { NumberToken } from './numbers.ts'
import { rememberRecent } from './remember.ts'
import { ScannedLabel } from './scanned-label.ts'
import type { TimeToken } from './times.ts'

export interface NumberValue {
  readonly token: NumberToken
  /** Letters and signs beside it: a currency, a unit, a percent sign. */
  readonly unit: string
  /** `007` is no seven. */
  readonly is_code: boolean
}

/** A value as it may be looked for in a label. At most one of `number`, `date` and `time` is set, or date and time. */
export interface ShownValue {
  readonly text: string
  readonly folded: string
  /** Other spellings to compare with: `ss` for `ß`, case pairs of Turkish. */
  readonly turkish: string
  readonly number: NumberValue | undefined
  readonly date: DateToken | undefined
  readonly time: TimeToken | undefined
  readonly boolean: boolean | undefined
  /** Letters and digits of a phone, card or account number, without its grouping. */
  readonly code: string | undefined
}

/** Undefined for a value without any character. */
export const readValue = rememberRecent(500, buildValue)

function buildValue(value: string): ShownValue | undefined {
  const label = new ScannedLabel(value)
  const { text, folded } = label
  if (text === '') return undefined
  const isShort = text.length <= MAX_TYPED && !text.includes('\n')
  const typed = isShort ? readTyped(label) : NOT_TYPED
  const isMoment = typed.date !== undefined || typed.time !== undefined
  return {
    text,
    folded,
    turkish: foldTurkishText(text),
    ...typed,
    boolean: folded === 'true' ? true : folded === 'false' ? false : undefined,
    code: isShort && !isMoment ? readCode(folded) : undefined,
  }
}

/** Removes what groups the digits of a code. The places of the kept characters are in `places`. */
export function compactCode(folded: string): { readonly text: string; readonly places: readonly number[] } {
  const places: number[] = []
  for (let index = 0; index < folded.length; index++) {
    if (!GROUPING.test(folded[index] ?? '')) places.push(index)
  }
  return { text: places.map((place) => folded[place]).join(''), places }
}

const GROUPING = /[ \-()./]/
/** Longer values are texts. */
const MAX_TYPED = 64
const NOT_TYPED = { number: undefined, date: undefined, time: undefined }

function readTyped(label: ScannedLabel): Pick<ShownValue, 'number' | 'date' | 'time'> {
  if (!label.hasDigits) return NOT_TYPED
  const { text, dates, times } = label
  const [date, time] = [dates.length === 1 ? dates[0] : undefined, times.length === 1 ? times[0] : undefined]
  const isWhole = (one: { start: number; end: number }) => one.start === 0 && one.end === text.length
  if (date !== undefined && isWhole(date)) return { ...NOT_TYPED, date }
  if (time !== undefined && isWhole(time)) return { ...NOT_TYPED, time }
  if (date !== undefined && time !== undefined && isDateAndTime(foldText(text), date, time)) {
    return { ...NOT_TYPED, date, time }
  }
  return { ...NOT_TYPED, number: readNumberValue(label) }
}

function isDateAndTime(folded: string, date: DateToken, time: TimeToken): boolean {
  const rest = folded.slice(0, date.start) + folded.slice(date.end, time.start) + folded.slice(time.end)
  return date.start === 0 && time.start >= date.end && /^(?:t|,? |,? at )?z?$/.test(rest)
}

function readNumberValue({ text, numbers }: ScannedLabel): NumberValue | undefined {
  const [token] = numbers
  if (token === undefined || numbers.length !== 1) return undefined
  const before = text.slice(0, Math.min(token.start, token.currency?.start ?? token.start))
  const around = foldText(text.slice(0, token.start) + text.slice(token.end)).trim()
  const digits = text.slice(token.digits_start, token.end)
  if (before.trim() !== '' || !UNIT.test(around)) return undefined
  return { token, unit: around, is_code: /^0\d{2,}$/.test(digits) }
}

const UNIT = /^(?:[\p{L}\p{M}\p{Sc}%°/\u00b2\u00b3]{1,6})?$/u

/** A phone number, a card number or an international account number. */
function readCode(folded: string): string | undefined {
  const { text } = compactCode(folded)
  if (/^\+?\d{7,19}$/.test(text) || /^[a-z]{2}\d{2}[a-z0-9]{8,30}$/.test(text)) return text
  return undefined
}
