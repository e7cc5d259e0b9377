import type { NodeOf } from '../documents/app-node.ts'
import {
  addDays,
  addMonths,
  countDays,
  formatDate,
  readFirstWeekday,
  readWeekday,
} from '../documents/date-functions.ts'
import { evaluate, formatValue, toNumber } from '../documents/evaluation.ts'
import { buildScope, type AppContext } from '../model/scope.ts'
import { createView, type View } from '../model/view.ts'
import { writeValue } from './controls.ts'
import { readPositions } from './scroll-control.ts'
import type { ViewBase } from './view-base.ts'

type CalendarNode = NodeOf<'calendar'>

interface Month {
  readonly node: CalendarNode
  readonly context: AppContext
  readonly base: ViewBase
  readonly locale: string
  /** The chosen date. */
  readonly chosen: string
  /** The first day of the displayed month. */
  readonly first: string
  turn(by: number): void
}

/** Creates a month calendar with buttons for the previous and next month. A tap on a day writes its date. */
export function inflateCalendar(node: CalendarNode, context: AppContext, base: ViewBase): View {
  const { device } = context
  const positions = readPositions(context)
  const chosen = formatValue(evaluate(node.bind, buildScope(context)))
  const today = new Date(device.clock.now()).toISOString().slice(0, 10)
  const shown = addMonths(chosen, 0) === '' ? today : chosen
  // The displayed month is counted from the year 2000, so that it stays when a day is chosen.
  const own = toMonthNumber(shown)
  const at = toNumber(positions.get(base.key) ?? own)
  const turn = (by: number): void => void positions.set(base.key, at + by)
  const month = { node, context, base, locale: device.locale, chosen, first: addMonths('2000-01-01', at), turn }
  const children = [createHeader(month), createWeekdays(month), createDays(month)]
  for (const [index, child] of children.entries()) child.index = index
  return createView({
    ...base,
    className: node.class ?? 'android.widget.DatePicker',
    children,
    onSwipe: { ...base.onSwipe, left: () => turn(1), right: () => turn(-1) },
    layout: { ...base.layout, flow: 'column', width: node.width ?? 'fill' },
  })
}

function toMonthNumber(date: string): number {
  return (Number(date.slice(0, 4)) - 2000) * 12 + Number(date.slice(5, 7)) - 1
}

function createHeader(month: Month): View {
  const { base, first, locale } = month
  const part = (name: string, className: string) => ({
    key: `${base.key}/${name}`,
    packageName: base.packageName,
    className,
  })
  const arrow = (name: 'prev' | 'next', by: number): View =>
    createView({
      ...part(name, 'android.widget.ImageButton'),
      resourceId: `android:id/${name}`,
      index: by < 0 ? 0 : 2,
      description: by < 0 ? 'Previous month' : 'Next month',
      clickable: true,
      focusable: true,
      enabled: hasDays(month, by),
      onTap: () => month.turn(by),
      layout: { width: 126, height: 126 },
      style: { ...base.style, shape: 'image', icon: by < 0 ? '<' : '>' },
    })
  const title = createView({
    ...part('title', 'android.widget.TextView'),
    index: 1,
    text: formatDate(first, 'MMMM yyyy', locale),
    layout: { weight: 1 },
    style: { ...base.style, textAlign: 'center', bold: true },
  })
  return createView({
    ...part('header', 'android.widget.LinearLayout'),
    children: [arrow('prev', -1), title, arrow('next', 1)],
    layout: { flow: 'row', align: 'center', width: 'fill' },
  })
}

/** Whether a day of the next or previous month can be chosen. */
function hasDays(month: Month, by: number): boolean {
  const first = addMonths(month.first, by)
  return isAllowed(month, by > 0 ? first : addDays(month.first, -1))
}

function isAllowed({ node, context }: Month, date: string): boolean {
  const limit = (expression: CalendarNode['min']): string =>
    expression === undefined ? '' : formatValue(evaluate(expression, buildScope(context)))
  const [min, max] = [limit(node.min), limit(node.max)]
  return (min === '' || date >= min) && (max === '' || date <= max)
}

/** The initials of the weekdays. The picker of Android only draws them. */
function createWeekdays({ base, locale }: Month): View {
  const monday = '2024-01-01'
  const start = readFirstWeekday(locale) - 1
  const children = Array.from({ length: 7 }, (_unused, index) =>
    createView({
      key: `${base.key}/weekday/${index}`,
      packageName: base.packageName,
      className: 'android.widget.TextView',
      text: formatDate(addDays(monday, start + index), 'EEEEE', locale),
      dumped: false,
      layout: { weight: 1 },
      style: { ...base.style, textAlign: 'center', size: 32, color: '#757575' },
    }),
  )
  const layout = { flow: 'row', width: 'fill' } as const
  const className = 'android.view.View'
  const key = `${base.key}/weekdays`
  return createView({ key, packageName: base.packageName, className, dumped: false, children, layout })
}

function createDays(month: Month): View {
  const { base, first, locale } = month
  const blanks = (readWeekday(first) - readFirstWeekday(locale) + 7) % 7
  const days = countDays(first, addMonths(first, 1))
  const cells = Array.from({ length: blanks + days }, (_unused, index) => createDay(month, index - blanks))
  return createView({
    key: `${base.key}/days`,
    packageName: base.packageName,
    className: 'android.view.View',
    resourceId: 'android:id/month_view',
    children: cells,
    layout: { flow: 'grid', columns: 7, width: 'fill' },
  })
}

function createDay(month: Month, day: number): View {
  const { node, context, base, first, chosen, locale } = month
  const date = addDays(first, day)
  const start = { key: `${base.key}/day/${day}`, packageName: base.packageName, className: 'android.view.View' }
  const layout = { width: 'fill', height: 120 } as const
  if (day < 0) return createView({ ...start, dumped: false, layout })
  const isChosen = date === chosen.slice(0, 10)
  const shape = isChosen ? 'chip' : 'plain'
  return createView({
    ...start,
    index: day,
    text: String(day + 1),
    description: formatDate(date, 'dd MMMM yyyy', locale),
    clickable: true,
    focusable: true,
    checked: isChosen,
    enabled: base.enabled !== false && isAllowed(month, date),
    onTap: () => writeValue(node, context, date),
    layout,
    style: { ...base.style, textAlign: 'center', shape, isChosen },
  })
}
