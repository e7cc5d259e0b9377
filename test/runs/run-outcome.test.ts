import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { StepResult } from '@apprentice/contracts/devices/execution.ts'
import {
  type EndedExecution,
  stateOf,
  troubleOf,
  verificationOf,
} from '../../src/knowledge/verification/run-outcome.ts'
import type { PlannedAction } from '../../src/knowledge/verification/run-outcome.ts'

const plan: PlannedAction[] = [
  { action_id: 'session_open', step_id: 'session_open' },
  { action_id: 'choose', step_id: 'choose', checkpoint_id: 'cp-01' },
  { action_id: 'save', step_id: 'save', checkpoint_id: 'cp-02' },
  { action_id: 'verify.shown', step_id: 'verify.shown', verification: true },
]

const done = (id: string, actionType: string, data: StepResult['data'] = {}): StepResult => ({
  id,
  actionType,
  success: true,
  outcome: 'succeeded',
  data,
})
const failed = (id: string, actionType: string, error: string, more = {}): StepResult => ({
  id,
  actionType,
  success: false,
  outcome: 'failed',
  data: { error, message: `${id} failed`, ...more },
})
const skipped = (id: string, actionType: string): StepResult => ({
  id,
  actionType,
  success: false,
  outcome: 'skipped',
  data: { error: 'SKIPPED' },
})
const opened = done('session_open', 'open_app')
const chosen = done('choose', 'click')
const saved = done('save', 'click')
const shown = done('verify.shown', 'expect', { observed: '23.0 °C' })

const ended = (state: EndedExecution['state'], ...step_results: StepResult[]): EndedExecution => ({
  state,
  step_results,
})

test.each<[string, EndedExecution, string, string | undefined]>([
  ['all done and proved', ended('succeeded', opened, chosen, saved, shown), 'success', undefined],
  [
    'proof not made',
    ended('succeeded', opened, chosen, saved, { ...shown, data: { skipped_by: 'when' } }),
    'indeterminate',
    'NOT_VERIFIED',
  ],
  [
    'the phone shows something else',
    ended('failed', opened, chosen, saved, failed('verify.shown', 'expect', 'VERIFY_FAILED')),
    'failed',
    'VERIFY_FAILED',
  ],
  [
    'the outcome cannot be read',
    ended(
      'failed',
      opened,
      chosen,
      saved,
      failed('verify.shown', 'expect', 'VERIFY_INDETERMINATE'),
    ),
    'indeterminate',
    'VERIFY_INDETERMINATE',
  ],
  [
    'nothing there to choose',
    ended('failed', opened, failed('choose', 'click', 'NODE_NOT_FOUND'), skipped('save', 'click')),
    'failed',
    'NODE_NOT_FOUND',
  ],
  [
    'the phone is lost before anything was touched',
    ended('failed', opened, failed('choose', 'click', 'DEVICE_LOST', { command_sent: 'false' })),
    'failed',
    'DEVICE_LOST',
  ],
  [
    'the phone is lost with a touch on its way',
    ended('failed', opened, failed('choose', 'click', 'DEVICE_LOST', { command_sent: 'true' })),
    'indeterminate',
    'DEVICE_LOST',
  ],
  ['cancelled before a touch', ended('cancelled', opened), 'cancelled', undefined],
  ['cancelled after a touch', ended('cancelled', opened, chosen), 'indeterminate', undefined],
  ['the daemon went away', ended('interrupted', opened), 'indeterminate', undefined],
])('%s', (_what, end, state, code) => {
  expect(stateOf(plan, end)).toBe(state)
  if (code !== undefined) expect(troubleOf(plan, end)?.code).toBe(code)
})

test('trouble names the step, the state not reached, and what stood in the way', () => {
  const more = { candidates: '[{}]', in_the_way: 'Rate us', observed: '2 alike' }
  const end = ended('failed', opened, chosen, failed('save', 'click', 'NODE_AMBIGUOUS', more))
  expect(troubleOf(plan, end)).toEqual({
    code: 'NODE_AMBIGUOUS',
    message: 'save failed',
    step_id: 'save',
    checkpoint_id: 'cp-02',
    ...more,
  })
})

test('what was checked is told as it was read, and unread as unread', () => {
  expect(verificationOf(plan, [opened, shown])).toEqual([
    { verification_id: 'verify.shown', held: true, observed: '23.0 °C' },
  ])
  expect(verificationOf(plan, [opened])).toEqual([{ verification_id: 'verify.shown' }])
})

test('success is never told without a proof that was read from the device', () => {
  const results = fc.array(
    fc.record({
      id: fc.constantFrom('session_open', 'choose', 'save', 'verify.shown', 'verify.other'),
      actionType: fc.constantFrom('click', 'expect', 'adjust_until'),
      success: fc.boolean(),
      outcome: fc.constantFrom('succeeded' as const, 'failed' as const, 'skipped' as const),
      data: fc.record(
        {
          error: fc.constantFrom('VERIFY_FAILED', 'NODE_NOT_FOUND', 'DEVICE_LOST'),
          skipped_by: fc.constantFrom('when', 'skip_to'),
        },
        { requiredKeys: [] },
      ),
    }),
    { maxLength: 6 },
  )
  const states = fc.constantFrom<EndedExecution['state']>(
    'succeeded',
    'failed',
    'cancelled',
    'interrupted',
  )
  fc.assert(
    fc.property(states, results, fc.boolean(), (state, step_results, proves) => {
      const planned = proves ? plan : plan.filter(({ verification }) => verification !== true)
      const end = { state, step_results: step_results as StepResult[] }
      if (stateOf(planned, end) !== 'success') return
      const proof = step_results.find(({ id }) => id === 'verify.shown')
      expect(proves && state === 'succeeded').toBe(true)
      expect(proof).toMatchObject({ success: true })
      expect(proof?.outcome).not.toBe('skipped')
      expect(proof?.data.skipped_by).toBeUndefined()
    }),
    { numRuns: 2000 },
  )
})
