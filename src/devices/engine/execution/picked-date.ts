import type { Action } from '@apprentice/contracts/devices/action.ts'
import type { StepResult } from '@apprentice/contracts/devices/execution.ts'
import { isRecord } from '@apprentice/contracts/devices/matcher.ts'
import { isDayAlone } from '../../../screen/calendar/calendar-date.ts'

/**
 * A day alone means a date of the month that the calendar showed. Once it is picked, later expectations are about the
 * whole date, because a label shows the day with its month.
 */
export function applyPickedDate(
  actions: readonly Action[],
  action: Action,
  { success, data }: Pick<StepResult, 'success' | 'data'>,
): readonly Action[] {
  const picked = data['date']
  if (action.type !== 'pick_date' || !success || picked === undefined || !isDayAlone(action.params.date)) return actions
  const given = action.params.date
  return actions.map((one) => (one.type === 'expect' ? (replaceShown(one, { given, picked }) as Action) : one))
}

function replaceShown(value: unknown, date: { readonly given: string; readonly picked: string }, key = ''): unknown {
  if (key === 'shows' && value === date.given) return date.picked
  if (Array.isArray(value)) return value.map((one) => replaceShown(one, date))
  if (!isRecord(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, replaceShown(one, date, name)]))
}
