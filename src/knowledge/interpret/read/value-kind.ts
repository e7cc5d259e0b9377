import { readCurrency } from '../../../screen/shown-value/currencies.ts'
import { readCalendarNames } from '../../../screen/shown-value/calendar-names.ts'
import { foldText } from '../../../screen/shown-value/normalize.ts'
import { readHalf } from '../../../screen/shown-value/times.ts'
import { isUnit } from '../../../screen/shown-value/units.ts'
import { readValue } from '../../../screen/shown-value/value.ts'

/** What a value is by its form: an e-mail address, a date, an amount. Undefined if the form says nothing. */
export function nameValueKind(text: string): string | undefined {
  const value = readValue(text)
  if (value === undefined) return undefined
  if (/^[\w.+-]+@[\w-]+\.[\w.-]+$/u.test(text.trim())) return 'email'
  if (/^(?:https?:\/\/|www\.)\S+$/iu.test(text.trim())) return 'link'
  if (value.date !== undefined) return 'date'
  if (value.time !== undefined) return 'time'
  if (value.code !== undefined) return /^[a-z]/.test(value.code) ? 'account_number' : nameDigits(text)
  return value.number === undefined ? undefined : nameUnit(value.number.unit)
}

const nameDigits = (text: string): string => (/^\s*(?:\+|0|\()/.test(text) ? 'phone_number' : 'number')

function nameUnit(unit: string): string | undefined {
  if (unit === '') return undefined
  if (readCurrency(unit) !== undefined || /^\p{Sc}$/u.test(unit)) return 'amount'
  return Object.entries(UNIT_KINDS).find(([, pattern]) => pattern.test(unit))?.[0]
}

const UNIT_KINDS: Readonly<Record<string, RegExp>> = {
  percentage: /^%$/,
  temperature: /^°?[cf]$|^°$/,
  duration: /^(?:h|hr|hrs|hours?|min|mins|minutes?|s|sec|secs|seconds?|d|days?|w|weeks?|months?|years?|std|tage?)$/,
  weight: /^(?:kg|g|mg|lbs?|oz|кг)$/,
  distance: /^(?:km|m|cm|mi|ft|км)$/,
  speed: /^[x×]$|^km\/h$|^mph$/,
}

/** What the options of a group are by their form: sizes, units, days. Undefined if they are of no known kind. */
export function nameOptionKind(options: readonly string[]): string | undefined {
  if (options.length < 2) return undefined
  const folded = options.map((text) => foldText(text.trim()))
  if (options.every((text) => readHalf(text) !== undefined)) return 'am_pm'
  if (folded.some((text) => EVERYTHING.test(text))) return 'filter'
  const { months } = readCalendarNames()
  if (options.every(isDay)) return 'day'
  if (folded.every((text) => months.has(text))) return 'month'
  if (options.length >= 20 && folded.every((text) => /^(?:[1-9]|[12]\d|3[01])$/.test(text))) return 'day'
  const kind = Object.entries(OPTION_KINDS).find(([, words]) => folded.filter((text) => words.has(text)).length >= 2)
  if (kind !== undefined) return kind[0]
  if (folded.every((text) => isUnit(text) || PIECES.has(text))) return 'unit'
  if (folded.every((text) => ON_OR_OFF.test(text))) return 'on_or_off'
  const kinds = new Set(options.map((text) => nameValueKind(text)))
  const [only] = kinds
  return kinds.size === 1 ? only : undefined
}

/** Whether a text names a day: "Thursday", "Thu 5", "Fri 20 Mar", "Today". */
export function isDay(text: string): boolean {
  const folded = foldText(text.trim())
  const { weekdays } = readCalendarNames()
  if (weekdays.has(folded) || NEAR_DAYS.has(folded)) return true
  const [first = '', ...rest] = folded.split(/[\s.,]+/u).filter((word) => word !== '')
  return weekdays.has(first) && rest.length <= 3 && rest.some((word) => /^\d{1,2}$/.test(word))
}

const toSet = (words: string): ReadonlySet<string> => new Set(words.split('|'))

/** At least two of the options are such words. */
const OPTION_KINDS: Readonly<Record<string, ReadonlySet<string>>> = {
  size: toSet('small|medium|large|regular|xs|s|m|l|xl|xxl|klein|mittel|groß|petit|moyen|grand|pequeño|mediano|grande'),
  priority: toSet('low|normal|high|urgent|critical|niedrig|hoch|dringend|basse|haute|baja|alta|bassa'),
  color: toSet('red|green|blue|yellow|black|white|orange|purple|pink|grey|gray|brown|rot|grün|blau|gelb|schwarz|weiß'),
  frequency: toSet(
    'daily|weekly|monthly|yearly|never|once|hourly|every day|weekdays|weekends|täglich|wöchentlich|monatlich|jährlich|nie|einmal',
  ),
}
const NEAR_DAYS = toSet('today|tomorrow|heute|morgen|demain|hoy|mañana|oggi|domani|vandaag|hoje|amanhã')
const PIECES = toSet('pcs|pack|packs|piece|pieces|bottle|bottles|bag|box|can|cans|stück')
const ON_OR_OFF = /(?:^|\s)(?:on|off|ein|aus|an)$/u
/** One of the options shows everything. */
const EVERYTHING =
  /^(?:all|everything|alle|alles|tous|toutes|tout|todos?|todas|tutti|tutte|hepsi|все|全部|すべて|전체)(?!\p{L})/u
