import { type Calendar, countTurns, findCalendar, isChosenDay } from '../../../screen/calendar/calendar.ts'
import { isSameDay } from '../../../screen/calendar/calendar-date.ts'
import { type Intent, isTap, joinIntents } from '../read/intent.ts'
import { type NormalizedTrace, type Pruned, toPruned } from '../read/normalized-trace.ts'
import { isInside, isSameKind, type Screen } from '../read/screen.ts'

/** Reads a tap on a day of a calendar as choosing a date. Turning the calendar to its month is part of that. */
export function joinCalendarDays(trace: NormalizedTrace): NormalizedTrace {
  const pruned: Pruned[] = [...trace.pruned]
  const intents: Intent[] = []
  for (const raw of trace.intents) {
    const intent = toDate(raw)
    if (intent.kind !== 'date') {
      intents.push(intent)
      continue
    }
    const turns = takeTurns(intents)
    if (turns.length > 0) pruned.push(toPruned(turns, 'scroll_to_find', 'The calendar was turned to find the day'))
    const previous = intents.at(-1)
    if (previous !== undefined && isCorrection(previous, intent)) {
      intents.pop()
      pruned.push(toPruned([previous], 'repeat_collapsed', 'Another day was chosen after it'))
      intents.push({
        ...joinIntents([previous, intent], {}),
        date: intent.date,
        node: intent.node,
        before: intent.before,
      })
    } else intents.push(intent)
  }
  return { ...trace, intents, pruned }
}

function toDate(intent: Intent): Intent {
  const { node, before, pinned } = intent
  if (!isTap(intent) || pinned === true || node === undefined || before === undefined) return intent
  const day = readCalendar(before)?.days.find((one) => isInside(node, one.node))
  return day === undefined ? intent : { ...intent, kind: 'date', date: day.date }
}

/** Removes the turns at the end of a list. */
function takeTurns(intents: Intent[]): Intent[] {
  const from = intents.findLastIndex((one) => !isTurn(one)) + 1
  return intents.splice(from)
}

/** A press or swipe after which the calendar shows another month. */
function isTurn(intent: Intent): boolean {
  const { kind, before, after, pinned } = intent
  if (pinned === true || (!isTap(intent) && kind !== 'scroll')) return false
  const [old, now] = [before && readCalendar(before), after && readCalendar(after)]
  return old !== undefined && now !== undefined && countTurns(old, now) !== 0
}

/** After both taps only the second day is chosen. The first and the last day of a range are chosen both. */
function isCorrection(previous: Intent, { date, before, after }: Intent): boolean {
  const first = previous.date
  if (previous.kind !== 'date' || first === undefined || date === undefined) return false
  if (before === undefined || after === undefined || previous.before === undefined) return false
  if (!isSameKind(previous.before, before)) return false
  const chosen = readCalendar(after)?.days.filter(isChosenDay) ?? []
  return chosen.length === 1 && chosen.some((day) => isSameDay(day.date, date))
}

const calendars = new WeakMap<Screen, { readonly found: Calendar | undefined }>()

function readCalendar(screen: Screen): Calendar | undefined {
  const known = calendars.get(screen)
  if (known !== undefined) return known.found
  const found = findCalendar(screen.nodes)
  calendars.set(screen, { found })
  return found
}
