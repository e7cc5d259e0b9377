import { type Calendar, type CalendarDay, findCalendar } from '../../../../screen/calendar/calendar.ts'
import { type CalendarDate, isSameDay } from '../../../../screen/calendar/calendar-date.ts'
import { collectOnScreenNodes, findWindow } from '../../../../screen/matcher.ts'
import type { UiNode } from '../../../../screen/tree/hierarchy.ts'
import type { ScreenReading } from '../../screen-reading.ts'

/** A calendar, and the screen it was read from. */
export interface ShownCalendar {
  readonly reading: ScreenReading
  readonly nodes: readonly UiNode[]
  readonly calendar: Calendar
}

export function readCalendar(reading: ScreenReading): ShownCalendar | undefined {
  const { hierarchy } = reading
  const nodes = collectOnScreenNodes(hierarchy.roots, findWindow(hierarchy))
  const calendar = findCalendar(nodes)
  return calendar && { reading, nodes, calendar }
}

export const findDay = ({ calendar }: ShownCalendar, date: CalendarDate): CalendarDay | undefined =>
  calendar.days.find((day) => isSameDay(day.date, date))
