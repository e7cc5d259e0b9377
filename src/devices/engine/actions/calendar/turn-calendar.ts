import { type CalendarDay, countTurns } from '../../../../screen/calendar/calendar.ts'
import { type CalendarDate, countMonths, formatDate } from '../../../../screen/calendar/calendar-date.ts'
import { findTurnButtons } from '../../../../screen/calendar/turn-buttons.ts'
import { isTrue, type UiNode } from '../../../../screen/tree/hierarchy.ts'
import { centre } from '../../../../screen/tree/bounds.ts'
import { assertAdmitted } from '../../admission.ts'
import type { EngineExecution } from '../../engine-execution.ts'
import { readScreen } from '../../read-screen.ts'
import type { StepNotes } from '../../step-evidence.ts'
import { StepFailure } from '../../step-failure.ts'
import { sendGesture, touchNode } from '../../touch.ts'
import { findDay, readCalendar, type ShownCalendar } from './shown-calendar.ts'

interface Search {
  readonly shown: ShownCalendar
  readonly date: CalendarDate
  readonly maxTurns: number
}

interface FoundDay {
  readonly shown: ShownCalendar
  readonly day: CalendarDay
  readonly turns: number
}

/** The ways to turn a calendar. One that has no effect is not used again. */
const WAYS = ['button', 'sideways', 'upwards'] as const
type Way = (typeof WAYS)[number]

/** Turns a calendar month by month until it shows the day. Stops when it no longer turns. */
export async function turnCalendar(
  execution: EngineExecution,
  { shown: first, date, maxTurns }: Search,
  notes: StepNotes,
): Promise<FoundDay> {
  let shown = first
  const ways = new Set<Way>(WAYS)
  /** Buttons without words may be the other way round. */
  let isReversed = false
  for (let turns = 0; ; turns += 1) {
    const day = findDay(shown, date)
    if (day !== undefined) return { shown, day, turns }
    const ahead = countMonths(shown.calendar.month, date)
    // A day that is missing in its own month can only be out of view.
    const [way] = ahead === 0 ? [...ways].filter((one) => one === 'upwards') : ways
    if (way === undefined || turns >= maxTurns) throw failToTurn(shown, date, turns)
    const forwards = ahead > 0 || (ahead === 0 && isBelowView(shown, date))
    const isSent = await turnOnce(execution, { shown, date, way, forwards: forwards !== isReversed }, notes)
    if (!isSent) {
      ways.delete(way)
      continue
    }
    const next = await readTurned(execution, shown, notes)
    const moved = countTurns(shown.calendar, next.calendar)
    if (moved === 0 && isSameView(shown, next)) ways.delete(way)
    if (moved !== 0 && moved > 0 !== forwards && ahead !== 0) {
      if (isReversed || way !== 'button') throw failToTurn(next, date, turns)
      isReversed = true
    }
    shown = next
  }
}

/** Of a month that is partly in view, the day is above or below. */
function isBelowView({ calendar }: ShownCalendar, { day }: CalendarDate): boolean {
  const [first] = calendar.days.filter(({ date }) => countMonths(date, calendar.month) === 0)
  return (first?.date.day ?? 1) < day
}

interface Turn {
  readonly shown: ShownCalendar
  readonly date: CalendarDate
  readonly way: Way
  readonly forwards: boolean
}

/** Returns false if the calendar has no such way. Then nothing was touched. */
async function turnOnce(
  execution: EngineExecution,
  { shown, date, way, forwards }: Turn,
  notes: StepNotes,
): Promise<boolean> {
  const { reading, nodes, calendar } = shown
  if (way === 'button') {
    const buttons = findTurnButtons(calendar, nodes)
    const button = forwards ? buttons.next : buttons.previous
    if (button === undefined) return false
    if (!isTrue(button, 'enabled')) throw failToTurn(shown, date, 0)
    await touchNode(execution, { reading, node: button }, 'click', notes)
    return true
  }
  const [first] = calendar.days
  await swipeDays(execution, { shown, date, way, forwards, node: first?.node }, notes)
  return true
}

async function swipeDays(
  execution: EngineExecution,
  { shown, way, forwards, node }: Turn & { readonly node: UiNode | undefined },
  notes: StepNotes,
): Promise<void> {
  const { bounds } = shown.calendar
  const middle = centre(bounds)
  const [width, height] = [bounds.right - bounds.left, bounds.bottom - bounds.top]
  const reach = Math.round((way === 'sideways' ? width : height) * SWIPE_SHARE) * (forwards ? 1 : -1)
  const [from, to] =
    way === 'sideways'
      ? [
          { ...middle, x: middle.x + reach },
          { ...middle, x: middle.x - reach },
        ]
      : [
          { ...middle, y: middle.y + reach },
          { ...middle, y: middle.y - reach },
        ]
  await assertAdmitted(execution, node)
  notes.point = from
  execution.history.act(execution.now())
  await sendGesture(execution, (driver, limits) => driver.swipe({ from, to, durationMs: SWIPE_MS }, limits))
}

const SWIPE_SHARE = 0.35
const SWIPE_MS = 300

/** Reads until the calendar shows something else. After a while returns what it shows. */
async function readTurned(execution: EngineExecution, before: ShownCalendar, notes: StepNotes): Promise<ShownCalendar> {
  for (let readings = 1; ; readings += 1) {
    const reading = await readScreen(execution)
    notes.after = reading
    const now = readCalendar(reading)
    if (now !== undefined && (!isSameView(before, now) || readings >= MAX_READINGS)) return now
    if (readings >= MAX_READINGS) {
      throw new StepFailure('NODE_NOT_FOUND', 'The calendar is no longer on the screen.', { seen: reading })
    }
    await execution.sleep(POLL_MS)
  }
}

const MAX_READINGS = 6
const POLL_MS = 250

function isSameView(one: ShownCalendar, other: ShownCalendar): boolean {
  const describe = ({ calendar }: ShownCalendar) =>
    calendar.days.map(({ date, node }) => `${formatDate(date)} ${JSON.stringify(node.bounds)}`).join()
  return describe(one) === describe(other)
}

function failToTurn({ calendar }: ShownCalendar, date: CalendarDate, turns: number): StepFailure {
  const { year, month } = calendar.month
  const read = `${year}-${String(month).padStart(2, '0')}`
  const message = `The calendar shows ${read} and does not turn to the wanted date.`
  return new StepFailure('CONTROL_CONVERGENCE_FAILED', message, {
    data: { read, target: formatDate(date), adjustments: String(turns), reason: 'no_change' },
  })
}
