import { expect, test } from 'vitest'
import { foldText } from '../../src/knowledge/scenes/text/fold-text.ts'
import { findWeekStart, formatDay, readWeek, toDay } from '../../src/knowledge/scenes/period/local-date.ts'
import { toInstructionText } from '../../src/knowledge/scenes/resolve-params.ts'
import { monthWeekPeriod } from '../../src/knowledge/scenes/resolvers/month-week-period.ts'

/** A Wednesday in week 12. */
const NOW = new Date('2026-03-18T04:00:00.000Z')

function resolve(text: string, config: Record<string, unknown> = {}, now = NOW, time_zone = 'Asia/Shanghai'): unknown {
  const opened = monthWeekPeriod.open(config)
  if ('problems' in opened) return opened.problems
  const prepared = opened.prepare('period', new Map())
  if ('problem' in prepared) return prepared.problem
  const found = prepared.resolve(toInstructionText(text), { now, time_zone })
  if (found.status === 'missing') return 'missing'
  if (found.status === 'ambiguous') return found.candidates.map(({ label }) => label)
  return found.args['period']
}

const month = (start: string, end: string, label = start.slice(0, 7)) => ({ mode: 'month', start, end, label })
const week = (start: string, end: string, label: string) => ({ mode: 'week', start, end, label })
const MARCH = month('2026-03-01', '2026-03-31')
const WEEK_12 = week('2026-03-16', '2026-03-22', '2026-W12')

test.each([
  ['2026-03', MARCH],
  ['2026/3', MARCH],
  ['2026.03', MARCH],
  ['202603', MARCH],
  ['2026年3月', MARCH],
  ['2026年03月份', MARCH],
  ['２０２６年３月', MARCH],
  ['2026 年 3 月', MARCH],
  ['二〇二六年三月', MARCH],
  ['二零二六年三月', MARCH],
  ['今年3月', MARCH],
  ['本年三月', MARCH],
  ['兰州公司 2026年3月 台区线损 月累计', MARCH],
  ['2026年3月 (2026-03)', MARCH],
  ['本月 2026年3月', MARCH],
  ['2026年3月,3月的线损', MARCH],
  ['二○二六年三月', MARCH],
  ['今年本月', MARCH],
  ['去年本月', month('2025-03-01', '2025-03-31')],
  ['去年同月', month('2025-03-01', '2025-03-31')],
  // Words that only begin like a part of a month, or like a day.
  ['2026年3月初始线损', MARCH],
  ['2026年3月后台数据', MARCH],
  ['2026年3月前10名', MARCH],
  ['2026年3月10千伏线损', MARCH],
  ['来自2026年3月', MARCH],
  ['本月月报', MARCH],
  ['2026年2月', month('2026-02-01', '2026-02-28')],
  ['2028-02', month('2028-02-01', '2028-02-29')],
  ['去年12月', month('2025-12-01', '2025-12-31')],
  ['去年十一月', month('2025-11-01', '2025-11-30')],
  ['前年10月', month('2024-10-01', '2024-10-31')],
  ['March 2026', MARCH],
  ['Mar. 2026', MARCH],
  ['2026 march', MARCH],
  ['May 2026', month('2026-05-01', '2026-05-31')],
  ['fuel report for september 2025', month('2025-09-01', '2025-09-30')],
])('%s is a month', (text, expected) => {
  expect(resolve(text)).toEqual(expected)
})

test.each([
  ['本月', MARCH],
  ['这个月', MARCH],
  ['当月', MARCH],
  ['this month', MARCH],
  ['上月', month('2026-02-01', '2026-02-28')],
  ['上个月', month('2026-02-01', '2026-02-28')],
  ['上月累计', month('2026-02-01', '2026-02-28')],
  ['last month', month('2026-02-01', '2026-02-28')],
  ['上上月', month('2026-01-01', '2026-01-31')],
  ['上上个月', month('2026-01-01', '2026-01-31')],
  ['本月至今', month('2026-03-01', '2026-03-18', '2026-03 to 2026-03-18')],
  ['本月累计', month('2026-03-01', '2026-03-18', '2026-03 to 2026-03-18')],
  ['month to date', month('2026-03-01', '2026-03-18', '2026-03 to 2026-03-18')],
  ['MTD', month('2026-03-01', '2026-03-18', '2026-03 to 2026-03-18')],
  ['本周', WEEK_12],
  ['这个星期', WEEK_12],
  ['this week', WEEK_12],
  ['上周', week('2026-03-09', '2026-03-15', '2026-W11')],
  ['上个星期', week('2026-03-09', '2026-03-15', '2026-W11')],
  ['last week', week('2026-03-09', '2026-03-15', '2026-W11')],
  ['上上周', week('2026-03-02', '2026-03-08', '2026-W10')],
])('%s is relative to the clock', (text, expected) => {
  expect(resolve(text)).toEqual(expected)
})

test.each([
  ['2026年第12周', WEEK_12],
  ['2026年12周', WEEK_12],
  ['2026年第十二周', WEEK_12],
  ['2026年第12週', WEEK_12],
  ['2026年第12个星期', WEEK_12],
  ['2026-W12', WEEK_12],
  ['2026w12', WEEK_12],
  ['week 12 of 2026', WEEK_12],
  ['2026 week 12', WEEK_12],
  ['今年第12周', WEEK_12],
  ['2026年第1周', week('2025-12-29', '2026-01-04', '2026-W01')],
  ['2026年第53周', week('2026-12-28', '2027-01-03', '2026-W53')],
])('%s is a week of ISO 8601', (text, expected) => {
  expect(resolve(text)).toEqual(expected)
})

test.each([
  ['线损 月累计'],
  ['2026年13月'],
  ['2026-13'],
  ['2026年第54周'],
  ['2025年第53周'],
  ['2026-03-15'],
  ['2026年3月15日'],
  ['3月15号'],
  ['2026年三月十五日'],
  ['2026年3月15 兰州公司'],
  ['本月15日'],
  ['上月三号'],
  ['15 March 2026'],
  ['the 15th of March 2026'],
  ['2026 March 15'],
  ['March 15, 2026'],
  ['本周一'],
  ['上个星期五'],
  ['上周末'],
  ['2026年第12周周三'],
  ['Monday of last week'],
  ["last week's Friday"],
  ['Friday of week 12 2026'],
  // Parts of a month.
  ['2026年3月上旬'],
  ['2026-03下旬'],
  ['上月中旬'],
  ['本月上半月'],
  ['2026年3月底'],
  ['上月末'],
  ['the first week of March 2026'],
  ['second half of last month'],
  ['end of March 2026'],
  ['mid-March 2026'],
  // Everything before or after a month.
  ['2026年3月以前'],
  ['上月之后'],
  ['2026年3月前的线损'],
  ['截至2026年3月'],
  ['自上月'],
  ['since March 2026'],
  ['until last month'],
  // Of another year, which nothing says which.
  ['2025年 上月'],
  ['去年上周'],
  ['last month of 2025'],
  ['this month last year'],
  ['近3个月'],
  ['过去3月'],
  ['每月'],
  ['统一月报'],
  ['2026年3月至今'],
  ['12周'],
  ['I may need the fuel report'],
  ['下个月'],
  ['1234567'],
  ['12026-03'],
])('%s is no period', (text) => {
  expect(resolve(text)).toBe('missing')
})

test.each([
  ['3月', ['2026-03', '2025-03']],
  ['三月份', ['2026-03', '2025-03']],
  ['march', ['2026-03', '2025-03']],
  ['第12周', ['2026-W12', '2025-W12']],
  ['第53周', ['2026-W53']],
  ['2026年3月 2026年4月', ['2026-03', '2026-04']],
  ['2026年3月至5月', ['2026-03', '2026-05']],
  ['2026年3-5月', ['2026-03', '2026-05']],
  ['2026-03~05', ['2026-03', '2026-05']],
  ['2026-03至2026-05', ['2026-03', '2026-05']],
  ['2026-03-2026-05', ['2026-03', '2026-05']],
  ['1-3月', ['2026-01', '2025-01', '2026-03', '2025-03']],
  ['2026年3月 第12周', ['2026-03', '2026-W12', '2025-W12']],
  ['上月和本月', ['2026-02', '2026-03']],
])('%s may mean several periods', (text, labels) => {
  const found = resolve(text)
  // A week that only one year has is certain.
  if (labels.length === 1) expect(found).toMatchObject({ label: labels[0] })
  else expect(found).toEqual(labels)
})

test('a month without a year means the current year only if the configuration allows it', () => {
  expect(resolve('3月', { allow_current_year: true })).toEqual(MARCH)
  expect(resolve('第12周', { allow_current_year: true })).toEqual(WEEK_12)
  expect(resolve('2025年的数据 3月', { allow_current_year: true })).toEqual(['2026-03', '2025-03'])
})

test('only the modes of the configuration are periods', () => {
  expect(resolve('2026年第12周', { modes: ['month'] })).toBe('missing')
  expect(resolve('2026年3月 第12周', { modes: ['month'] })).toEqual(MARCH)
})

test('the time zone decides the day', () => {
  const newYear = new Date('2025-12-31T20:00:00.000Z')
  expect(resolve('本月', {}, newYear)).toMatchObject({ label: '2026-01' })
  expect(resolve('本月', {}, newYear, 'America/New_York')).toMatchObject({ label: '2025-12' })
  expect(resolve('本月', { time_zone: 'UTC' }, newYear)).toMatchObject({ label: '2025-12' })
  expect(resolve('x', { time_zone: 'Nowhere/City' })).toEqual([
    { key: 'time_zone', reason: expect.stringContaining('IANA') },
  ])
})

test('every day is in the week that the weeks of its year give', () => {
  for (let day = toDay(2015, 1, 1); day < toDay(2033, 1, 1); day = new Date(day.getTime() + 86_400_000)) {
    const { year, week: number } = readWeek(day)
    const start = findWeekStart(year, number)
    const distance = (day.getTime() - (start?.getTime() ?? 0)) / 86_400_000
    expect([formatDay(day), distance >= 0 && distance < 7]).toEqual([formatDay(day), true])
  }
})

test('forms of characters do not matter', () => {
  expect(foldText('  ２０２６年　ABC（ｘ） ')).toBe('2026年 abc(x)')
})
