/** Start and end of a part of a text. */
type Place = readonly [number, number]

const LOCAL = /[A-Za-z0-9._%+-]/
const HOST = /[A-Za-z0-9.-]/
const LONGEST_LOCAL = 64
const LONGEST_HOST = 253

/** E-mail addresses. */
export function findEmails(text: string): Place[] {
  const places: Place[] = []
  for (let at = text.indexOf('@'); at >= 0; at = text.indexOf('@', at + 1)) {
    let start = at
    while (start > 0 && at - start < LONGEST_LOCAL && LOCAL.test(text[start - 1] ?? '')) start -= 1
    let end = at + 1
    while (end < text.length && end - at <= LONGEST_HOST && HOST.test(text[end] ?? '')) end += 1
    while (end > at && /[.-]/.test(text[end - 1] ?? '')) end -= 1
    while (start < at && text[start] === '.') start += 1
    const labels = text.slice(at + 1, end).split('.')
    const isHost = labels.length > 1 && labels.every((one) => one !== '') && /^[A-Za-z]{2,}$/.test(labels.at(-1) ?? '')
    if (start < at && isHost) places.push([start, end])
  }
  return places
}

/** The lengths of account numbers by country. For others every length that the standard allows is tried. */
const IBAN_LENGTHS: Readonly<Record<string, number>> = {
  AT: 20,
  BE: 16,
  BG: 22,
  CH: 21,
  CY: 28,
  CZ: 24,
  DE: 22,
  DK: 18,
  EE: 20,
  ES: 24,
  FI: 18,
  FR: 27,
  GB: 22,
  GR: 27,
  HR: 21,
  HU: 28,
  IE: 22,
  IT: 27,
  LI: 21,
  LT: 20,
  LU: 20,
  LV: 21,
  MT: 31,
  NL: 18,
  NO: 15,
  PL: 28,
  PT: 25,
  RO: 24,
  SE: 24,
  SI: 19,
  SK: 24,
}
const IBAN_START = /[A-Z]{2}\d{2}/g
const SHORTEST_IBAN = 15
const LONGEST_IBAN = 34

/** International account numbers whose check digits are right, with or without spaces. */
export function findIbans(text: string): Place[] {
  const places: Place[] = []
  for (const { index } of text.matchAll(IBAN_START)) {
    if (/[A-Za-z0-9]/.test(text[index - 1] ?? '') || index < (places.at(-1)?.[1] ?? 0)) continue
    const end = findIbanEnd(text, index)
    if (end !== undefined) places.push([index, end])
  }
  return places
}

function findIbanEnd(text: string, start: number): number | undefined {
  const known = IBAN_LENGTHS[text.slice(start, start + 2)]
  const [shortest, longest] = known === undefined ? [SHORTEST_IBAN, LONGEST_IBAN] : [known, known]
  let digits = ''
  let found: number | undefined
  for (let at = start; at < text.length && digits.length < longest; at += 1) {
    const one = text[at] ?? ''
    if (one === ' ') {
      if (text[at + 1] === ' ') break
      continue
    }
    if (!/[A-Z0-9]/.test(one)) break
    digits += one
    const isAtEnd = !/[A-Za-z0-9]/.test(text[at + 1] ?? '')
    if (digits.length >= shortest && isAtEnd && hasCheckDigits(digits)) found = at + 1
  }
  return found
}

/** The remainder by 97 of the number, with its first four characters moved to the end and letters as numbers, is 1. */
export function hasCheckDigits(iban: string): boolean {
  let rest = 0
  for (const one of iban.slice(4) + iban.slice(0, 4)) {
    const value = Number.parseInt(one, 36)
    rest = (rest * (value > 9 ? 100 : 10) + value) % 97
  }
  return rest === 1
}

/** Digits with single separators between them, at most 40 characters long. */
function listDigitRuns(text: string, start: RegExp, separators: RegExp): Place[] {
  const places: Place[] = []
  let at = 0
  while (at < text.length) {
    const isStart = start.test(text[at] ?? '') && !/[\p{L}\p{N}]/u.test(text[at - 1] ?? '')
    if (!isStart) {
      at += 1
      continue
    }
    let [end, cursor, gap] = [at, at, 0]
    while (cursor < text.length && gap <= 2) {
      const one = text[cursor] ?? ''
      const isDigit = /\d/.test(one)
      if (!isDigit && cursor !== at && !separators.test(one)) break
      gap = isDigit ? 0 : gap + 1
      cursor += 1
      if (isDigit) end = cursor
    }
    if (end > at && !/\p{L}/u.test(text[end] ?? '')) places.push([at, end])
    at = Math.max(end, at) + 1
  }
  return places
}

const MIN_CARD = 13
const MAX_CARD = 19

/** Numbers of payment cards whose last digit is right. */
export function findCards(text: string): Place[] {
  return listDigitRuns(text, /\d/, /[ -]/).filter(([start, end]) => {
    const digits = text.slice(start, end).replaceAll(/\D/g, '')
    return digits.length >= MIN_CARD && digits.length <= MAX_CARD && isLuhn(digits) && !/^0+$/.test(digits)
  })
}

/** Every second digit from the right is doubled; the sum of all is a multiple of 10. */
export function isLuhn(digits: string): boolean {
  let sum = 0
  for (const [at, one] of Array.from(digits).toReversed().entries()) {
    const doubled = at % 2 === 0 ? Number(one) : Number(one) * 2
    sum += doubled > 9 ? doubled - 9 : doubled
  }
  return sum % 10 === 0
}

const DATE = /^(?:\d{1,2}[./-]\d{1,2}[./-]\d{2,4}|\d{4}-\d{2}-\d{2})$/
const NATIONAL = /^\(?\d{3}\)?[ .-]{0,2}\d{3}[ .-]\d{4}$/
const MIN_PHONE = 7
const MAX_PHONE = 15

/** Phone numbers that start with a plus, with 0, or are grouped as in North America. */
export function findPhones(text: string): Place[] {
  return listDigitRuns(text, /[\d(+]/, /[ ()./-]/).filter(([start, end]) => {
    const found = text.slice(start, end)
    const count = found.replaceAll(/\D/g, '').length
    if (count < MIN_PHONE || count > MAX_PHONE || DATE.test(found)) return false
    return /^(?:\+|\(?0)/.test(found) || NATIONAL.test(found)
  })
}
