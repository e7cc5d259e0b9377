/**
 * The text that labels and values are compared in: NFKC, without invisible characters, with plain quotes and dashes,
 * single spaces and single line breaks. Case is kept. A narrow space between digits stays, because it joins them.
 */
export function normalizeLabel(text: string): string {
  return text
    .replace(INVISIBLE, '')
    .replace(DIGIT_SPACE, NARROW_SPACE)
    .replace(COMPATIBLE, (run) => run.normalize('NFKC'))
    .replace(SINGLE_QUOTES, "'")
    .replace(DOUBLE_QUOTES, '"')
    .replace(DASHES, '-')
    .replace(/\s+/gu, joinSpaces)
    .trim()
}

/** Lower case with single spaces for line breaks. The length is kept, so places in one are places in the other. */
export function foldText(normalized: string): string {
  return normalized
    .replaceAll('İ', 'i')
    .toLowerCase()
    .replaceAll('ς', 'σ')
    .replace(/[\n\u202f]/g, ' ')
}

/** Like `foldText`, with the case pairs of Turkish: `ı` and `I`, `i` and `İ`. */
export function foldTurkishText(normalized: string): string {
  return foldText(normalized.replaceAll('I', 'ı'))
}

/**
 * Lower case with ASCII digits and plain separators, for scanners of numbers and dates. Works on any text. The length
 * is kept.
 */
export function foldForScan(text: string): string {
  return text
    .replaceAll('İ', 'i')
    .toLowerCase()
    .replace(/[\u0080-\uffff]/g, (character) => SCAN_FOLDS.get(character) ?? character)
}

/** Direction marks, soft hyphens, zero-width spaces. Joiners stay: they are part of emoji and of words. */
const INVISIBLE = /[\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]/g
/** Superscripts, ordinals, fractions and circled digits do not become plain digits or letters. */
const COMPATIBLE = /[^\u00aa\u00b2\u00b3\u00b9\u00ba\u00bc-\u00be\u2070-\u209c\u202f\u2116\u2150-\u218b\u2460-\u24ff]+/g
const NARROW_SPACE = '\u202f'
const DIGIT_SPACE = /(?<=\p{Nd})[\u00a0\u2007\u2009\u202f](?=\p{Nd})/gu
const SINGLE_QUOTES = /[\u2018-\u201b\u2032\u2039\u203a\u02bc]/g
const DOUBLE_QUOTES = /[\u201c-\u201f\u2033\u00ab\u00bb]/g
const DASHES = /[\u2010-\u2015\u2212\ufe58\ufe63\uff0d]/g

function joinSpaces(run: string, start: number, whole: string): string {
  if (run === NARROW_SPACE && isBetweenDigits(whole, start)) return run
  return /[\n\r\u2028\u2029]/.test(run) ? '\n' : ' '
}

function isBetweenDigits(text: string, at: number): boolean {
  return /\p{Nd}/u.test(text[at - 1] ?? '') && /\p{Nd}/u.test(text[at + 1] ?? '')
}

/** First characters of rows of ten digits: Arabic-Indic, Persian, Devanagari, Bengali, Thai, full width. */
const DIGIT_ROWS = [0x0660, 0x06f0, 0x0966, 0x09e6, 0x0e50, 0xff10]

const SCAN_FOLDS: ReadonlyMap<string, string> = new Map([
  ...DIGIT_ROWS.flatMap((first) =>
    Array.from({ length: 10 }, (_, digit): [string, string] => [String.fromCharCode(first + digit), String(digit)]),
  ),
  ...listFolds('\u00a0\u2007\u2009\u202f\u3000', ' '),
  ...listFolds('\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe63\uff0d', '-'),
  ...listFolds('\u2018\u2019\u201b\u2032\u02bc\u066c', "'"),
  ...listFolds('\u066b\uff0e', '.'),
  ...listFolds('\uff0c', ','),
  ...listFolds('\uff1a', ':'),
  ...listFolds('\uff0f', '/'),
  ...listFolds('\uff0b', '+'),
  ...listFolds('\uff05\u066a', '%'),
  ...listFolds('\u2028\u2029', '\n'),
])

function listFolds(from: string, to: string): [string, string][] {
  return Array.from(from, (character): [string, string] => [character, to])
}
