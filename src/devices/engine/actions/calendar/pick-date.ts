import { isChosenDay } from '../../../../screen/calendar/calendar.ts'
import { type CalendarDate, formatDate, isSameDay, readAskedDate } from '../../../../screen/calendar/calendar-date.ts'
import type { ActionParams } from '../action-params.ts'
import type { EngineExecution } from '../../engine-execution.ts'
import { LoadingWait } from '../../loading-wait.ts'
import { readScreen, readScreenOnce } from '../../read-screen.ts'
import { withRetry } from '../../retry.ts'
import type { ScreenReading } from '../../screen-reading.ts'
import { type StepNotes, describeNode } from '../../step-evidence.ts'
import { type StepData, StepFailure } from '../../step-failure.ts'
import { touchNode } from '../../touch.ts'
import { readCalendar } from './shown-calendar.ts'
import { turnCalendar } from './turn-calendar.ts'

type PickDate = ActionParams<'pick_date'>

/** Turns the calendar on the screen to the month of a date and touches its day, unless it is chosen already. */
export async function pickDate(execution: EngineExecution, params: PickDate, notes: StepNotes): Promise<StepData> {
  const first = await withRetry(execution, params.retry, async () => {
    const reading = await readScreenOnce(execution)
    notes.before = reading
    return readCalendar(reading) ?? failWithoutCalendar(reading)
  })
  const date = readAskedDate(params.date, first.calendar.month)
  if (date === undefined) {
    const message = `The date "${params.date}" cannot be read, or has two meanings. Give it as 2026-03-14.`
    throw new StepFailure('VALIDATOR_MISMATCH', message, { data: { raw_text: params.date, validator: 'date' } })
  }
  const found = await turnCalendar(execution, { shown: first, date, maxTurns: params.maxTurns }, notes)
  const facts = { date: formatDate(date), turns: String(found.turns) }
  notes.node = describeNode(found.day.node)
  if (isChosenDay(found.day)) return { ...facts, already: 'true' }
  const { x, y } = await touchNode(execution, { reading: found.shown.reading, node: found.day.node }, 'click', notes)
  await waitUntilChosen(execution, date, notes)
  return { ...facts, coordinate: `${x},${y}` }
}

function failWithoutCalendar(seen: ScreenReading): never {
  throw new StepFailure('NODE_NOT_FOUND', 'No calendar is on the screen.', { retryable: true, seen })
}

/** Many calendars only draw the chosen day. One that tells another day as chosen has not taken the touch. */
async function waitUntilChosen(execution: EngineExecution, date: CalendarDate, notes: StepNotes): Promise<void> {
  const loading = new LoadingWait(execution)
  for (let readings = 1; ; readings += 1) {
    const reading = await readScreen(execution)
    notes.after = reading
    const shown = readCalendar(reading)
    const chosen = shown?.calendar.days.filter(isChosenDay) ?? []
    if (shown === undefined || chosen.length === 0 || chosen.some((day) => isSameDay(day.date, date))) return
    if (loading.shouldWait(reading)) {
      await loading.pause()
      continue
    }
    if (readings >= MAX_READINGS) {
      const read = chosen.map((day) => formatDate(day.date)).join(', ')
      throw new StepFailure('CONTROL_CONVERGENCE_FAILED', `The calendar still shows ${read} as chosen.`, {
        data: { read, target: formatDate(date) },
      })
    }
    await execution.sleep(POLL_MS)
  }
}

const MAX_READINGS = 6
const POLL_MS = 300
