import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { StepResult } from '@apprentice/contracts/devices/execution.ts'
import {
  type SettledExecution,
  decideRunState,
  describeFailure,
  readVerifications,
} from '../../src/knowledge/verification/run-outcome.ts'
import type { PlannedAction } from '../../src/knowledge/verification/run-outcome.ts'
import { countRuns } from '../kit/count-runs.ts'

const PLAN: PlannedAction[] = [
  { action_id: 'session_open', step_id: 'session_open' },
  { action_id: 'choose', step_id: 'choose', checkpoint_id: 'cp-01' },
  { action_id: 'save', step_id: 'save', checkpoint_id: 'cp-02' },
  { action_id: 'verify.shown', step_id: 'verify.shown', verification: true },
]

const succeed = (id: string, actionType: string, data: StepResult['data'] = {}): StepResult => ({
  id,
  actionType,
  success: true,
  outcome: 'succeeded',
  data,
})
const fail = (id: string, actionType: string, error: string, more = {}): StepResult => ({
  id,
  actionType,
  success: false,
  outcome: 'failed',
  data: { error, message: `${id} failed`, ...more },
})
const skip = (id: string, actionType: string): StepResult => ({
  id,
  actionType,
  success: false,
  outcome: 'skipped',
  data: { error: 'SKIPPED' },
})
const opened = succeed('session_open', 'open_app')
const chosen = succeed('choose', 'click')
const saved = succeed('save', 'click')
const shown = succeed('verify.shown', 'expect', { observed: '23.0 °C' })

const buildEnd = (state: SettledExecution['state'], ...step_results: StepResult[]): SettledExecution => ({
  state,
  step_results,
})

test.each<[string, SettledExecution, string, string | undefined]>([
  ['all steps succeeded and verified', buildEnd('succeeded', opened, chosen, saved, shown), 'success', undefined],
  [
    'the verification was skipped',
    buildEnd('succeeded', opened, chosen, saved, { ...shown, data: { skipped_by: 'when' } }),
    'indeterminate',
    'NOT_VERIFIED',
  ],
  [
    'the verification failed',
    buildEnd('failed', opened, chosen, saved, fail('verify.shown', 'expect', 'VERIFY_FAILED')),
    'failed',
    'VERIFY_FAILED',
  ],
  [
    'the verification was indeterminate',
    buildEnd('failed', opened, chosen, saved, fail('verify.shown', 'expect', 'VERIFY_INDETERMINATE')),
    'indeterminate',
    'VERIFY_INDETERMINATE',
  ],
  [
    'an element was not found',
    buildEnd('failed', opened, fail('choose', 'click', 'NODE_NOT_FOUND'), skip('save', 'click')),
    'failed',
    'NODE_NOT_FOUND',
  ],
  [
    'the device was lost before a command was sent',
    buildEnd('failed', opened, fail('choose', 'click', 'DEVICE_LOST', { command_sent: 'false' })),
    'failed',
    'DEVICE_LOST',
  ],
  [
    'the device was lost after a command was sent',
    buildEnd('failed', opened, fail('choose', 'click', 'DEVICE_LOST', { command_sent: 'true' })),
    'indeterminate',
    'DEVICE_LOST',
  ],
  ['cancelled before an action', buildEnd('cancelled', opened), 'cancelled', undefined],
  ['cancelled after an action', buildEnd('cancelled', opened, chosen), 'indeterminate', undefined],
  ['interrupted by a restart', buildEnd('interrupted', opened), 'indeterminate', undefined],
])('%s', (_name, end, state, code) => {
  expect(decideRunState(PLAN, end)).toBe(state)
  if (code !== undefined) expect(describeFailure(PLAN, end)?.code).toBe(code)
})

test('a message alone is no success, and one beside a lasting check does not hinder it', () => {
  const passing = { action_id: 'verify.said', step_id: 'verify.said', verification: true, passing: true } as const
  const end = buildEnd('succeeded', opened, chosen, saved, shown, succeed('verify.said', 'expect'))
  expect(decideRunState([...PLAN.slice(0, 3), passing], end)).toBe('indeterminate')
  expect(decideRunState([...PLAN, passing], end)).toBe('success')
  const lasted = buildEnd('succeeded', opened, chosen, saved, succeed('verify.said', 'expect', { lasted: 'true' }))
  expect(decideRunState([...PLAN.slice(0, 3), passing], lasted)).toBe('success')
})

test('trouble contains the step, the missed checkpoint and the details of the failure', () => {
  const more = { candidates: '[{}]', in_the_way: 'Rate us', observed: '2 alike' }
  const end = buildEnd('failed', opened, chosen, fail('save', 'click', 'NODE_AMBIGUOUS', more))
  expect(describeFailure(PLAN, end)).toEqual({
    code: 'NODE_AMBIGUOUS',
    message: 'save failed',
    step_id: 'save',
    checkpoint_id: 'cp-02',
    ...more,
  })
})

test('verifications report what was read, and nothing if it was not read', () => {
  expect(readVerifications(PLAN, [opened, shown])).toEqual([
    { verification_id: 'verify.shown', held: true, observed: '23.0 °C' },
  ])
  expect(readVerifications(PLAN, [opened])).toEqual([{ verification_id: 'verify.shown' }])
})

test('a run is never successful without a verification that was read from the device', () => {
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
  const states = fc.constantFrom<SettledExecution['state']>('succeeded', 'failed', 'cancelled', 'interrupted')
  fc.assert(
    fc.property(states, results, fc.boolean(), (state, step_results, proves) => {
      const planned = proves ? PLAN : PLAN.filter(({ verification }) => verification !== true)
      const end = { state, step_results: step_results as StepResult[] }
      if (decideRunState(planned, end) !== 'success') return
      const proof = step_results.find(({ id }) => id === 'verify.shown')
      expect(proves && state === 'succeeded').toBe(true)
      expect(proof).toMatchObject({ success: true })
      expect(proof?.outcome).not.toBe('skipped')
      expect(proof?.data.skipped_by).toBeUndefined()
    }),
    { numRuns: countRuns(1000) },
  )
})

test('a run that saw the message but not the thing itself is indeterminate, unless something says the opposite', () => {
  const plan: PlannedAction[] = [
    { action_id: 'save', step_id: 'save' },
    { action_id: 'see_message', step_id: 'see_message', told: true },
    { action_id: 'verify.shown', step_id: 'verify.shown', verification: true },
  ]
  const decide = (...results: StepResult[]) => decideRunState(plan, buildEnd('failed', saved, ...results))
  const told = succeed('see_message', 'expect')
  const missed = (data: StepResult['data']) => fail('verify.shown', 'expect', 'VERIFY_FAILED', data)
  expect(decide(told, missed({ observed: 'missing' }))).toBe('indeterminate')
  expect(decide(told, fail('show_it', 'scroll_until', 'TARGET_NOT_FOUND'))).toBe('indeterminate')
  expect(decide(told, missed({ observed: 'missing', taken_back: 'true' }))).toBe('failed')
  expect(decide(told, missed({ observed: 'still 5' }))).toBe('failed')
  expect(decide(fail('see_message', 'expect', 'VERIFY_FAILED', { observed: 'missing' }))).toBe('failed')
})
