import { normalizeLabel } from '../../../screen/shown-value/normalize.ts'
import { ScannedLabel } from '../../../screen/shown-value/scanned-label.ts'
import { isUnit } from '../../../screen/shown-value/units.ts'
import { isFiller } from './small-words.ts'
import { readVerb } from './verbs.ts'
import { splitWords } from './words.ts'

/** A word, a quoted text, a number, time or date with its unit, or a mark between clauses or before a value. */
export interface Token {
  readonly kind: 'word' | 'quoted' | 'value' | 'mark'
  /** As written; a quoted text without its quotes. */
  readonly raw: string
  /** In the form in which words are compared. Empty for other kinds. */
  readonly word: string
  readonly start: number
  readonly end: number
  /** A value with a unit, a time or a date says by itself what it is. */
  readonly marked?: boolean
}

/** Splits a goal into tokens. Nothing inside quotes, numbers, times and dates is a word. */
export function splitTokens(sentence: string): { readonly text: string; readonly tokens: Token[] } {
  const text = normalizeLabel(sentence)
  const quoted = listQuoted(text)
  const plain = blank(text, quoted)
  const values = listValues(plain)
  const words = listWordsAndMarks(blank(plain, values))
  const tokens = [...quoted, ...values, ...words].toSorted((a, b) => a.start - b.start)
  return { text, tokens }
}

function listQuoted(text: string): Token[] {
  return Array.from(text.matchAll(QUOTED), (match) => {
    const raw = (match[1] ?? match[2] ?? '').trim()
    return { kind: 'quoted' as const, raw, word: '', start: match.index, end: match.index + match[0].length }
  }).filter(({ raw }) => raw !== '')
}

const QUOTED = /"([^"]+)"|(?<![\p{L}\p{N}])'([^']+)'(?![\p{L}\p{N}])/gu

/** Keeps all places: what is taken becomes a character that is no word and no number. */
function blank(text: string, taken: readonly { readonly start: number; readonly end: number }[]): string {
  return taken.reduce(
    (rest, { start, end }) => rest.slice(0, start) + BLANK.repeat(end - start) + rest.slice(end),
    text,
  )
}

const BLANK = '\u0001'

function listValues(plain: string): Token[] {
  const hours = Array.from(plain.matchAll(HOUR), ({ 0: found, index, groups }) => ({
    start: index,
    end: index + found.length,
    raw: `${groups?.['hour']}:${(groups?.['minute'] ?? '0').padStart(2, '0')}`,
  }))
  const label = new ScannedLabel(blankVerbs(blank(plain, hours)))
  const dates = label.dates.filter(({ weak }) => !weak)
  const clocks = [...label.times, ...dates]
  const numbers = label.numbers.map((span) => {
    const { start, end } = trimLetters(plain, span)
    return { start, end: extendByUnit(plain, end) }
  })
  const marked = [...hours, ...clocks.map((span) => ({ ...span, raw: plain.slice(span.start, span.end) }))]
  return [
    ...marked.map(({ start, end, raw }) => toValue({ start, end, raw }, true)),
    ...numbers.map(({ start, end }) => {
      const raw = plain.slice(start, end)
      return toValue({ start, end, raw }, /[^\d\s.,+-]/u.test(raw))
    }),
  ]
}

/** "21 set" is an Italian date, and no date in "to 21 set the heating". */
function blankVerbs(plain: string): string {
  return plain.replaceAll(/\p{L}+/gu, (word) =>
    readVerb(splitWords(word)[0] ?? '') === undefined ? word : BLANK.repeat(word.length),
  )
}

/** A word beside a number is not its unit because it looks like a currency: "set" and "try" are none here. */
function trimLetters(plain: string, { start, end }: { readonly start: number; readonly end: number }) {
  const written = plain.slice(start, end)
  const before = /^\p{L}+\s?/u.exec(written)?.[0].length ?? 0
  const behind = /(?:\s|(?<!\p{L}))\p{L}+$/u.exec(written)?.[0].length ?? 0
  return { start: start + before, end: end - behind }
}

const toValue = ({ start, end, raw }: { start: number; end: number; raw: string }, marked: boolean): Token => ({
  kind: 'value',
  raw: raw.trim(),
  word: '',
  start,
  end,
  marked,
})

/** "7 Uhr", "7 Uhr 15", "7 uur", "7 o'clock". */
const HOUR =
  /(?<!\d[.:,]?)(?<hour>2[0-4]|[01]?\d)\s?(?:uhr|uur|o'clock|oclock)(?:\s(?<minute>[0-5]?\d)(?![\d.:]))?(?!\p{L})/giu

/** The end of a number with the unit behind it: `21 °C`, `21 Grad`, `40 percent`, `2 min`. */
function extendByUnit(plain: string, end: number): number {
  const [found, unit = ''] = /^\s?(%|°\s?[cfCF]?(?!\p{L})|\p{L}+)/u.exec(plain.slice(end)) ?? []
  const isKnown = found !== undefined && (/^[%°]/u.test(unit) || isUnit(unit) || UNIT_WORDS.test(unit))
  const isGlued = found?.startsWith(unit) === true
  const [word = ''] = splitWords(unit)
  const isOther = word.length === 1 || isFiller(word) || readVerb(word) !== undefined
  return isKnown && (isGlued || !isOther) ? end + found.length : end
}

const UNIT_WORDS =
  /^(?:percent|prozent|pourcent|procent|degrees?|grad|degrés?|grados?|gradi|graus?|graden|minutes?|minuten?|minutos?|minuti|minuut|seconds?|sekunden?|secondes?|segundos?|secondi|seconden?|hours?|stunden?|heures?|horas?|ore|uren|euros?|dollars?|eur|usd|gbp|chf)$/iu

function listWordsAndMarks(plain: string): Token[] {
  return Array.from(plain.matchAll(WORD_OR_MARK), ({ 0: raw, index }): Token => {
    const isWord = /[\p{L}\p{N}]/u.test(raw)
    const word = isWord ? splitWords(raw).join('') : ''
    return { kind: isWord ? 'word' : 'mark', raw, word, start: index, end: index + raw.length }
  })
}

/** `l'heure` and `peux-tu` are two words, `Wi-Fi` and `don't` are one. An ampersand is a connector. */
const WORD_OR_MARK =
  /(?<![\p{L}\p{N}])(?:[cdjlmnst]|qu|all|dell|nell|sull)'(?=\p{L})|[\p{L}\p{N}][\p{L}\p{M}\p{N}]*(?:['\-_](?!(?:tu|vous|moi|nous|le|la|les)(?!\p{L}))[\p{L}\p{N}][\p{L}\p{M}\p{N}]*)*-?|->|[,;:=.!?&+\n\u2192]/giu
