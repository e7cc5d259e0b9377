import { expect, test } from 'vitest'
import {
  type ResultEnvelope,
  toDryRunReply,
  normalizeExecution,
  overrideTimeout,
  reconcileEnvelope,
} from '@apprentice/contracts/devices/execution.ts'
import { accepted, payload, refused, refusedAction } from './payload-builder.ts'

const byText = { textEquals: 'Save' }

test('a plain payload is unchanged except for defaults', () => {
  const normalized = normalizeExecution({
    ...payload({ id: 'a1', type: 'sleep', params: { durationMs: 5 } }),
    mode: 'direct',
  })
  expect(normalized).toEqual({
    ok: true,
    execution: {
      commandId: 'cmd-1',
      taskId: 'task-1',
      source: 'test',
      expectedFormat: 'android-ui-automator',
      timeoutMs: 30_000,
      mode: 'direct',
      actions: [
        {
          id: 'a1',
          type: 'sleep',
          params: {
            durationMs: 5,
            retry: {
              maxAttempts: 1,
              initialDelayMs: 0,
              maxDelayMs: 0,
              backoffMultiplier: 1,
              jitterRatio: 0,
            },
          },
        },
      ],
    },
  })
})

test.each([
  [{ commandId: '' }, 'commandId'],
  [{ commandId: 'x'.repeat(129) }, 'commandId'],
  [{ taskId: undefined }, 'taskId'],
  [{ source: 'x'.repeat(65) }, 'source'],
  [{ expectedFormat: 'ios' }, 'expectedFormat'],
  [{ timeoutMs: 999 }, 'timeoutMs'],
  [{ timeoutMs: 120_001 }, 'timeoutMs'],
  [{ timeoutMs: Number.NaN }, 'timeoutMs'],
  [{ actions: [] }, 'actions'],
  [{ mode: 'other' }, 'mode'],
])('the field in %j is refused at its own path', (wrong, path) => {
  const good = payload({ id: 'a1', type: 'snapshot_ui' })
  expect(normalizeExecution(good).ok).toBe(true)
  const failure = refused({ ...good, ...wrong })
  expect(failure).toMatchObject({ code: 'EXECUTION_VALIDATION_FAILED', path })
  expect(failure).not.toHaveProperty('actionId')
})

test.each([null, 'text', 7, [], undefined])('%j is not a payload', (input) => {
  expect(refused(input)).toMatchObject({ code: 'EXECUTION_VALIDATION_FAILED', path: '' })
})

test('fractional budgets pass, fifty actions pass, fifty-one do not', () => {
  const sleeps = (count: number) =>
    Array.from({ length: count }, (_, at) => ({
      id: `s${at}`,
      type: 'sleep',
      params: { durationMs: 0 },
    }))
  expect(normalizeExecution({ ...payload(...sleeps(50)), timeoutMs: 1000.5 }).ok).toBe(true)
  expect(refused(payload(...sleeps(51))).path).toBe('actions')
})

test('unknown keys are named at every level', () => {
  const good = { id: 'a1', type: 'sleep', params: { durationMs: 1 } }
  expect(refused({ ...payload(good), extra: 1 })).toMatchObject({
    path: '',
    invalidKeys: ['extra'],
  })
  expect(refusedAction({ ...good, note: 1 })).toMatchObject({
    path: 'actions.0',
    invalidKeys: ['note'],
    actionId: 'a1',
  })
  expect(refusedAction({ ...good, params: { durationMs: 1, matcher: byText } })).toMatchObject({
    path: 'actions.0.params',
    invalidKeys: ['matcher'],
    hint: 'sleep takes: durationMs, retry',
  })
  expect(refusedAction({ type: 'click', params: { matcher: { ...byText, colour: 'red' } } })).toMatchObject({
    path: 'actions.0.params.matcher',
    invalidKeys: ['colour'],
  })
})

test('a key of the prototype chain is refused', () => {
  const hostile: unknown = JSON.parse('{"durationMs":1,"__proto__":{"strict":true}}')
  const failure = refusedAction({ type: 'sleep', params: hostile })
  expect(failure.invalidKeys).toEqual(['__proto__'])
})

test('the removed snapshot format has its own hint', () => {
  expect(refusedAction({ type: 'snapshot', params: { format: 'xml' } })).toMatchObject({
    actionType: 'snapshot',
    invalidKeys: ['format'],
    hint: "'format' was removed from snapshot_ui. Remove this parameter.",
  })
})

test('an unsupported type is reported at its path', () => {
  const failure = refused(payload({ id: 'a1', type: 'snapshot' }, { id: 'a2', type: 'Fly', params: {} }))
  expect(failure).toEqual({
    code: 'EXECUTION_ACTION_UNSUPPORTED',
    message: 'All action types must be supported',
    path: 'actions.1.type',
    reason: 'actions.1.type: All action types must be supported',
    actionId: 'a2',
    actionType: 'Fly',
  })
})

test('two actions may not share an id', () => {
  const failure = refused(payload({ id: 'x', type: 'snapshot' }, { id: 'x', type: 'snapshot' }))
  expect(failure).toMatchObject({
    path: 'actions.1.id',
    message: 'Action id "x" is used more than once',
  })
})

test('every problem is in the reason, the first one is primary', () => {
  const failure = refused(
    payload({ id: 'a', type: 'open_app' }, { id: 'b', type: 'press_key', params: { key: 'menu' } }),
  )
  expect(failure.path).toBe('actions.0.params.applicationId')
  expect(failure.reason.split('\n')).toEqual([
    'actions.0.params.applicationId: open_app requires params.applicationId',
    'actions.1.params.key: press_key params.key must be one of: back, home, recents',
  ])
})

test('a valid payload that is too long is too large, counted in bytes', () => {
  const action = (at: number) => ({
    id: `a${at}`,
    type: 'open_uri',
    params: { uri: '\u00e9'.repeat(1000) },
  })
  const actions = Array.from({ length: 33 }, (_, at) => action(at))
  expect(normalizeExecution(payload(...actions.slice(0, 20))).ok).toBe(true)
  const failure = refused(payload(...actions))
  expect(failure.code).toBe('PAYLOAD_TOO_LARGE')
  expect(failure.message).toMatch(/^Payload exceeds 64000 bytes \(got 6\d{4}\)$/)
})

test('a budget beside the payload must be finite and in range', () => {
  const normalized = normalizeExecution(payload({ id: 'a1', type: 'snapshot' }))
  if (!normalized.ok) throw new Error('refused')
  expect(overrideTimeout(normalized.execution, 1000)).toMatchObject({
    ok: true,
    execution: { timeoutMs: 1000 },
  })
  expect(overrideTimeout(normalized.execution, Number.NaN)).toMatchObject({
    failure: { message: 'timeoutMs must be a finite number' },
  })
  expect(overrideTimeout(normalized.execution, 999)).toMatchObject({
    failure: { message: 'timeoutMs must be between 1000 and 120000' },
  })
  expect(normalized.execution.timeoutMs).toBe(30_000)
})

test('a dry run shows the canonical actions', () => {
  const normalized = normalizeExecution(payload({ id: 'a1', type: 'tap', params: { matcher: byText } }))
  if (!normalized.ok) throw new Error('refused')
  expect(toDryRunReply(normalized.execution)).toMatchObject({
    ok: true,
    dryRun: true,
    plan: { commandId: 'cmd-1', timeoutMs: 30_000, actionCount: 1, actions: [{ type: 'click' }] },
  })
})

const envelope = (steps: ResultEnvelope['stepResults']): ResultEnvelope => ({
  commandId: 'c',
  taskId: 't',
  status: 'success',
  stepResults: steps,
  error: 'left over',
  errorCode: 'OLD',
  hint: 'old',
})

test('the envelope follows its steps', () => {
  const good = { id: 's1', actionType: 'click', success: true, data: {} }
  const bad = { id: 's2', actionType: 'click', success: false, data: { error: 'NODE_NOT_FOUND' } }
  const skipped = { ...good, id: 's3', success: false, outcome: 'skipped' as const }
  expect(reconcileEnvelope(envelope([good]))).toEqual({
    commandId: 'c',
    taskId: 't',
    status: 'success',
    stepResults: [good],
    error: null,
  })
  expect(reconcileEnvelope(envelope([good, bad, skipped]))).toMatchObject({
    status: 'failed',
    error: 'Step s2 (click) failed: NODE_NOT_FOUND',
    errorCode: 'OLD',
  })
  expect(reconcileEnvelope(envelope([]))).toEqual(envelope([]))
})

test('an action may declare only a known effect', () => {
  const click = { type: 'click', params: { matcher: byText } }
  expect(accepted({ ...click, expects: { effect: 'side_effect' } }).expects).toEqual({
    effect: 'side_effect',
  })
  expect(refusedAction({ ...click, expects: { effect: 'magic' } }).path).toBe('actions.0.expects.effect')
})
