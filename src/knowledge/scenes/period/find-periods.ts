import { addDays } from './local-date.ts'
import { type Period, toMonth, toMonthToDate, toWeek, toWeekAround } from './period.ts'
import { OTHER_TIMES, THIS_MONTH } from './other-times.ts'
import { MONTH_NAME_CHOICE, MONTH_NAMES, normalizePeriodText } from './period-text.ts'

/** A period of a text. Without a year it stands for one of several. */
export interface FoundPeriod {
  readonly words: string
  /** One, or the possible ones if the year is not given: of the current year first. */
  readonly periods: readonly Period[]
  /** Whether it depends on the current year. */
  readonly isRelative: boolean
}

interface Today {
  readonly day: Date
  readonly year: number
  readonly month: number
}

type Groups = Readonly<Record<string, string | undefined>>
interface Rule {
  readonly pattern: RegExp
  readonly isRelative: boolean
  /** Returns the periods of each mention; none for words that are no period and must not be read as one. */
  readonly read: (groups: Groups, today: Today) => readonly (readonly (Period | undefined)[])[]
}

const YEAR = String.raw`(?<![\d])(?<year>(?:19|20)\d\d)`
const MONTH = String.raw`(?<month>0?[1-9]|1[0-2])(?!\d)`
const WEEK = String.raw`(?<week>0?[1-9]|[1-4]\d|5[0-3])(?!\d)`
const NAME = String.raw`(?<![a-z])(?<name>${MONTH_NAME_CHOICE})(?![a-z])\.?`
const TO = String.raw` ?(?:-|~|—|–|至|到|、|,|和|与|及) ?`
const TO_DATE = '至今|以来|累计|截至今(?:天|日)|截止今(?:天|日)|到今(?:天|日)|到目前'

const one = (period: Period | undefined): readonly (readonly (Period | undefined)[])[] => [[period]]
const number = (text: string | undefined): number => Number(text)

/** Earlier rules come first: the words that one has read are not read by the others. */
const RULES: readonly Rule[] = [
  rule(String.raw`${YEAR}[-/.]${MONTH}${TO}(?<lastYear>(?:19|20)\d\d)[-/.](?<last>0?[1-9]|1[0-2])(?!\d)`, (groups) => [
    [toMonth(number(groups['year']), number(groups['month']))],
    [toMonth(number(groups['lastYear']), number(groups['last']))],
  ]),
  ...OTHER_TIMES.days.map(ignore),
  // Two months joined by a hyphen or a word.
  rule(String.raw`${YEAR}[-/.]${MONTH}${TO}(?<last>0?[1-9]|1[0-2])(?!\d)`, readMonthsOfYear),
  rule(String.raw`${YEAR}年${MONTH}月?${TO}(?<last>0?[1-9]|1[0-2])月`, readMonthsOfYear),
  rule(String.raw`(?<!\d)${MONTH}月?${TO}(?<last>0?[1-9]|1[0-2])月`, ({ month, last }, today) => [
    withoutYear(today, (year) => toMonth(year, number(month))),
    withoutYear(today, (year) => toMonth(year, number(last))),
  ]),
  ...OTHER_TIMES.parts.map(ignore),
  // Weeks of a year.
  rule(String.raw`${YEAR}(?:年第?| ?第)${WEEK}周`, readYearWeek),
  rule(String.raw`${YEAR} ?-? ?w(?:eek)? ?${WEEK}`, readYearWeek),
  rule(String.raw`(?<![a-z])w(?:eek)? ?${WEEK}(?: of|,|/)? ?${YEAR}(?!\d)`, readYearWeek),
  // Months of a year.
  rule(String.raw`${YEAR}年${MONTH}月`, readYearMonth),
  rule(String.raw`${YEAR}[-/.]${MONTH}(?![./-]?\d)`, readYearMonth),
  rule(String.raw`${YEAR}(?<month>0[1-9]|1[0-2])(?!\d)`, readYearMonth),
  rule(String.raw`${NAME},? ?(?:of )?${YEAR}(?!\d)`, readNamedMonth),
  rule(String.raw`${YEAR}[ ,-]{1,2}${NAME}`, readNamedMonth),
  rule(String.raw`(?<relative>今年|本年|去年|前年)(?:的)?${MONTH}月`, ({ relative = '', month }, { year }) =>
    one(toMonth(year - (YEARS_AGO[relative] ?? 0), number(month))),
  ),
  rule(String.raw`(?<relative>今年|本年|去年|前年)(?:的)?第${WEEK}周`, ({ relative = '', week }, { year }) =>
    one(toWeek(year - (YEARS_AGO[relative] ?? 0), number(week))),
  ),
  // Relative to today.
  rule(String.raw`(?<relative>去年|前年)的?(?:${THIS_MONTH}|同月)`, ({ relative = '' }, { year, month }) =>
    one(toMonth(year - (YEARS_AGO[relative] ?? 0), month)),
  ),
  relativeRule(
    String.raw`(?:${THIS_MONTH}) ?(?:${TO_DATE})|(?<![a-z])(?:month[ -]to[ -]date|mtd)(?![a-z])`,
    (_, { day }) => one(toMonthToDate(day)),
  ),
  relativeRule('上上月', (_, { year, month }) => one(toMonth(year, month - 2))),
  relativeRule(String.raw`上月|(?<![a-z])(?:last|previous) month(?![a-z])`, (_, { year, month }) =>
    one(toMonth(year, month - 1)),
  ),
  relativeRule(String.raw`${THIS_MONTH}|(?<![a-z])(?:this|current) month(?![a-z])`, (_, { year, month }) =>
    one(toMonth(year, month)),
  ),
  relativeRule('上上周', (_, { day }) => one(toWeekAround(addDays(day, -14)))),
  relativeRule(String.raw`上周|(?<![a-z])(?:last|previous) week(?![a-z])`, (_, { day }) =>
    one(toWeekAround(addDays(day, -7))),
  ),
  relativeRule(String.raw`本周|这周|当周|(?<![a-z])(?:this|current) week(?![a-z])`, (_, { day }) =>
    one(toWeekAround(day)),
  ),
  // Without a year.
  rule(String.raw`(?<![\d.,/-])${MONTH}月`, ({ month }, today) => [
    withoutYear(today, (year) => toMonth(year, number(month))),
  ]),
  rule(String.raw`第${WEEK}周`, readBareWeek),
  rule(String.raw`(?<![a-z])w(?:eek)? ?${WEEK}(?![a-z])`, readBareWeek),
  // "may" is mostly not a month.
  rule(String.raw`(?!may(?![a-z]))${NAME}`, ({ name = '' }, today) => [
    withoutYear(today, (year) => toMonth(year, MONTH_NAMES[name] ?? 0)),
  ]),
]

const YEARS_AGO: Readonly<Record<string, number>> = { 今年: 0, 本年: 0, 去年: 1, 前年: 2 }

/** The periods that a folded text mentions, in the order of the rules. */
export function findPeriods(folded: string, day: Date): FoundPeriod[] {
  const today = { day, year: day.getUTCFullYear(), month: day.getUTCMonth() + 1 }
  let text = normalizePeriodText(folded)
  const found: FoundPeriod[] = []
  for (const { pattern, read, isRelative } of RULES) {
    for (const match of text.matchAll(pattern)) {
      for (const possible of read(match.groups ?? {}, today)) {
        const periods = possible.filter((period) => period !== undefined)
        if (periods.length > 0) found.push({ words: match[0].trim(), periods, isRelative })
      }
    }
    // What was read is blanked, so that no other rule reads a part of it.
    text = text.replace(pattern, (words) => '\0'.repeat(words.length))
  }
  return found
}

const LOOSE_YEAR =
  /(?<!\d)(?:19|20)\d\d(?!\d)|去年|前年|明年|(?<!\d)\d\d年|(?<![a-z])(?:(?:last|previous|next) year|years? ago)(?![a-z])/

/** Whether the text names a year that belongs to no period. */
export const hasLooseYear = (folded: string, found: readonly FoundPeriod[]): boolean => {
  let text = normalizePeriodText(folded)
  for (const { words } of found) text = text.replaceAll(words, '\0')
  return LOOSE_YEAR.test(text)
}

function rule(source: string, read: Rule['read']): Rule {
  return { pattern: new RegExp(source, 'gu'), read, isRelative: false }
}

function relativeRule(source: string, read: Rule['read']): Rule {
  return { ...rule(source, read), isRelative: true }
}

function ignore(source: string): Rule {
  return rule(source, () => [])
}

function readMonthsOfYear({ year, month, last }: Groups) {
  return [[toMonth(number(year), number(month))], [toMonth(number(year), number(last))]]
}

function readYearMonth({ year, month }: Groups) {
  return one(toMonth(number(year), number(month)))
}

function readYearWeek({ year, week }: Groups) {
  return one(toWeek(number(year), number(week)))
}

function readNamedMonth({ year, name = '' }: Groups) {
  return one(toMonth(number(year), MONTH_NAMES[name] ?? 0))
}

function readBareWeek({ week }: Groups, today: Today) {
  return [withoutYear(today, (year) => toWeek(year, number(week)))]
}

function withoutYear({ year }: Today, read: (year: number) => Period | undefined): readonly (Period | undefined)[] {
  return [read(year), read(year - 1)]
}
