import { z } from 'zod'
import { findPeriods, type FoundPeriod, hasLooseYear } from '../period/find-periods.ts'
import { isTimeZone, toLocalDay } from '../period/local-date.ts'
import type { Period } from '../period/period.ts'
import { type Candidate, defineResolver, type Resolution } from './resolver.ts'

const MAX_CANDIDATES = 10
const EXAMPLES = { month: ['2026-03', '2026年3月', '上月'], week: ['2026-W12', '2026年第12周', '上周'] } as const

/**
 * A month or a week, in Chinese or English, also relative to the day of the dispatch. Two periods in one instruction are
 * ambiguous, and so is a month or a week without a year, unless the configuration allows the current year.
 */
export const monthWeekPeriod = defineResolver({
  type: 'month_week_period',
  config: z.object({
    modes: z
      .array(z.enum(['month', 'week']))
      .min(1)
      .default(['month', 'week']),
    allow_current_year: z.boolean().default(false),
    time_zone: z.string().refine(isTimeZone, 'must be an IANA time zone such as Asia/Shanghai').optional(),
  }),
  prepare: ({ modes, allow_current_year, time_zone }, { name }) => ({
    arg_names: [name],
    examples: modes.flatMap((mode) => EXAMPLES[mode]),
    resolve({ folded }, moment): Resolution {
      const day = toLocalDay(moment.now, time_zone ?? moment.time_zone)
      const mentioned = findPeriods(folded, day)
      const namesYear = hasLooseYear(folded, mentioned)
      const found = mentioned
        // "Last month" of another year is not the last month.
        .filter(({ isRelative }) => !(isRelative && namesYear))
        .map((one) => ({ ...one, periods: one.periods.filter(({ mode }) => modes.includes(mode)) }))
        .filter(({ periods }) => periods.length > 0)
      const isYearOpen = !allow_current_year || namesYear
      const candidates = listPeriods(found, isYearOpen).map((period) => toCandidate(name, period))
      const [only] = candidates
      if (only === undefined) return { status: 'missing' }
      if (candidates.length > 1) return { status: 'ambiguous', candidates: candidates.slice(0, MAX_CANDIDATES) }
      return { status: 'resolved', ...only, found: [...new Set(found.map(({ words }) => words))] }
    },
  }),
})

/** The different periods that the mentions may mean. A mention without a year means the current one only if it may. */
function listPeriods(found: readonly FoundPeriod[], isYearOpen: boolean): Period[] {
  const certain = found.filter(({ periods }) => periods.length === 1).flatMap(({ periods }) => periods)
  const open = found.filter(({ periods }) => periods.length > 1)
  const meant = open.flatMap(({ periods }) => {
    // A year that another mention of the same month gives counts.
    const named = periods.filter((period) => certain.some((one) => isSame(one, period)))
    if (named.length > 0) return named
    return isYearOpen ? periods : periods.slice(0, 1)
  })
  const all = [...certain, ...meant]
  return all.filter((period, at) => all.findIndex((one) => isSame(one, period)) === at)
}

const isSame = (a: Period, b: Period): boolean => a.mode === b.mode && a.start === b.start && a.end === b.end

const toCandidate = (name: string, { mode, start, end, label }: Period): Candidate => ({
  label,
  args: { [name]: { mode, start, end, label } },
})
