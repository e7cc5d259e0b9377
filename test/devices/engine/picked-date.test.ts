import type { Action } from '@apprentice/contracts/devices/action.ts'
import { normalizeExecution } from '@apprentice/contracts/devices/execution.ts'
import { expect, test } from 'vitest'
import { applyPickedDate } from '../../../src/devices/engine/execution/picked-date.ts'

function toActions(date: string): readonly Action[] {
  const matcher = { class: 'android.view.ViewGroup', shows: 'City Taxi', allOf: [{ shows: date }] }
  const normalized = normalizeExecution({
    commandId: 'run',
    taskId: 'run',
    source: 'test',
    expectedFormat: 'android-ui-automator',
    timeoutMs: 60_000,
    actions: [
      { id: 'pick', type: 'pick_date', params: { date } },
      { id: 'claim', type: 'expect', params: { matcher } },
    ],
  })
  return normalized.ok ? normalized.execution.actions : expect.fail(normalized.failure.message)
}

function apply(date: string, success = true): unknown {
  const actions = toActions(date)
  const [pick = expect.fail('no action')] = actions
  return applyPickedDate(actions, pick, { success, data: { date: '5 March 2026' } })[1]
}

test('a day that was picked alone is expected with its month and year', () => {
  expect(apply('5')).toMatchObject({
    params: { matcher: { shows: 'City Taxi', allOf: [{ shows: '5 March 2026' }] } },
  })
})

test('a whole date and a date that was not picked stay as they are', () => {
  expect(apply('2026-03-05')).toMatchObject({ params: { matcher: { allOf: [{ shows: '2026-03-05' }] } } })
  expect(apply('5', false)).toMatchObject({ params: { matcher: { allOf: [{ shows: '5' }] } } })
})
