/** Replaces digits, dates, times, counters and amounts by a mark. A label with another number becomes equal. */
export function maskText(text: string): string {
  return text
    .replaceAll(/\s+/gu, ' ')
    .trim()
    .replaceAll(NUMBER, MARK)
    .replaceAll(readNamedDate(), (found) => (SHORT_CAPITALS.test(found) ? found : MARK))
    .replaceAll(REPEATED_MARK, MARK)
}

/** Whether nothing but numbers, units and punctuation is left of a text: a time, a date, a counter, an amount, a share. */
export function isMeasure(text: string): boolean {
  if (isPhoneNumber(text)) return false
  const masked = maskText(text)
  if (!masked.includes(MARK)) return false
  const letters = masked.replaceAll(/[^\p{L}]/gu, '')
  return letters.length <= MAX_UNIT_LETTERS
}

/** Whether a text is a phone number: a plus, a bracket or a zero, and digits in groups. It names somebody. */
export function isPhoneNumber(text: string): boolean {
  const plain = text.replaceAll(/[\u2066-\u2069\u200e\u200f\u202a-\u202e]/gu, '').trim()
  return PHONE_NUMBER.test(plain) && !PLAIN_DATE.test(plain) && (plain.match(/\p{Nd}/gu)?.length ?? 0) >= MIN_DIGITS
}

const PHONE_NUMBER = /^(?:\+|\(|[0٠۰])[\p{Nd}\s()\u2010-\u2014-]+$/u
const PLAIN_DATE = /^\p{Nd}{1,2}\P{Nd}{1,3}\p{Nd}{1,2}\P{Nd}{1,3}\p{Nd}{2,4}$/u
const MIN_DIGITS = 6

const MARK = '#'
/** Two capitals beside a number are no weekday but part of a code: "MO 17" on a number plate. */
const SHORT_CAPITALS = /(?<!\p{L})\p{Lu}{2}(?!\p{L})/u
const MAX_UNIT_LETTERS = 3

/** A number with sign, currency, groups, decimals, time colons, date separators, a percent sign or half of the day. */
const NUMBER =
  /[-+−±~≈<>]?\s?\p{Sc}?\s?[-+−]?\p{Nd}+(?:[.,:/'’٬٫-]?\p{Nd}+)*(?:\s?(?:%|٪|\p{Sc}|[ap]\.?\s?m\.?(?!\p{L})))?/giu

/** A month or a weekday beside a number. The pattern is built on first use: formatters are slow to make. */
function readNamedDate(): RegExp {
  namedDate ??= buildNamedDate(listDateNames())
  return namedDate
}

let namedDate: RegExp | undefined

function buildNamedDate(names: string): RegExp {
  return new RegExp(
    `(?:(?<!\\p{L})(?:${names})\\.?,?\\s*${MARK})|(?:${MARK}\\s*(?:de\\s+)?(?:${names})(?!\\p{L})\\.?,?)`,
    'giu',
  )
}

const REPEATED_MARK = /#(?:[\s,./:–-]*#)+/gu

function listDateNames(): string {
  const names = new Set<string>()
  for (const locale of ['en', 'de', 'fr', 'es', 'it', 'pt', 'nl', 'pl', 'ru', 'uk', 'tr', 'ar', 'he', 'hi', 'id']) {
    for (const length of ['long', 'short'] as const) {
      const month = new Intl.DateTimeFormat(locale, { month: length, day: 'numeric', timeZone: 'UTC' })
      const weekday = new Intl.DateTimeFormat(locale, { weekday: length, timeZone: 'UTC' })
      for (let at = 0; at < 12; at += 1) {
        addPart(names, month, 'month', Date.UTC(2024, at, 15))
        addPart(names, weekday, 'weekday', Date.UTC(2024, 0, 1 + (at % 7)))
      }
    }
  }
  return [...names].toSorted((a, b) => b.length - a.length).join('|')
}

function addPart(names: Set<string>, format: Intl.DateTimeFormat, type: 'month' | 'weekday', time: number): void {
  const value = format.formatToParts(time).find((part) => part.type === type)?.value ?? ''
  const name = value.replaceAll('.', '').toLowerCase()
  if (name.length > 1) names.add(name.replaceAll(/[^\p{L}\p{M}\s]/gu, ''))
}
