import { isNear } from '../../screen/displayed-number.ts'
import { readNumber } from '../../screen/shown-value/numbers.ts'
import { findShownValue } from '../../screen/shown-value/shown-value.ts'
import { toHourOfDay } from '../../screen/shown-value/times.ts'
import { readValue } from '../../screen/shown-value/value.ts'
import { splitWords } from './goal/words.ts'

/** A value that a goal asks for. At most one of `number`, `time` and `date` is set. */
export interface WantedValue {
  readonly text: string
  readonly number?: number | undefined
  /** The sign of its unit: `%`, `°`, or the letters behind the number. */
  readonly unit: string
  readonly time?: { readonly hour: number; readonly minute: number } | undefined
  readonly date?: { readonly day: number; readonly month: number; readonly year?: number | undefined } | undefined
}

export function readWanted(text: string): WantedValue {
  const value = readValue(text)
  const [date] = value?.date?.readings ?? []
  if (date !== undefined) return { text, unit: '', date }
  const time = value?.time
  const hour = time === undefined ? undefined : toHourOfDay(time.hour, time.half)
  if (time !== undefined && hour !== undefined) return { text, unit: '', time: { hour, minute: time.minute } }
  if (!/^\s*[+\-\p{Sc}]?\s?\p{Nd}/u.test(text)) return { text, unit: '' }
  return { text, number: readNumber(text), unit: readUnit(text) }
}

/** Whether a label shows the value and nothing else of its kind. */
export function showsWanted(label: string, wanted: WantedValue): boolean {
  if (wanted.number !== undefined) return showsNumber(label, wanted)
  const shown = findShownValue(label, wanted.text)
  return shown !== undefined && shown !== 'word'
}

/** Compares the first number of a label; its unit, if both have one, must be the same. */
function showsNumber(label: string, { number, unit, text }: WantedValue): boolean {
  const shown = readNumber(label)
  if (number === undefined || shown === undefined || !isNear(shown, number)) return false
  const rest = splitWords(label.replaceAll(/[\p{Nd}.,]+/gu, ' '))
  const known = splitWords(text.replaceAll(/[\p{Nd}.,]+/gu, ' '))
  const extra = rest.filter((word) => !known.some((one) => isSameUnit(one, word)))
  return isUnitFitting(label, unit) && (extra.length === 0 || (unit === '' && rest.length === 1))
}

/** False if the label shows another unit: a goal of 40 % is not one of 40 °C. */
export function isUnitFitting(label: string, unit: string): boolean {
  const shown = readUnit(label)
  return unit === '' || shown === '' || isSameUnit(unit, shown)
}

/** `min` and `Minuten` are the same unit. */
function isSameUnit(one: string, other: string): boolean {
  return one.startsWith(other) || other.startsWith(one) || (one.slice(0, 3) === other.slice(0, 3) && one.length > 2)
}

function readUnit(text: string): string {
  const [, unit = ''] = /\p{Nd}[\p{Nd}.,]{0,40}\s?(%|°|\p{L}+)/u.exec(text) ?? []
  const [word = ''] = splitWords(unit)
  if (unit === '%' || /^(?:percent|prozent|pourcent|procent)$/u.test(word)) return '%'
  return unit === '°' || /^(?:degr|grad|grau)|^[cf]$/u.test(word) ? '°' : word
}
