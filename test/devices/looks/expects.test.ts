import { expect, test } from 'vitest'
import { startLamp, byId, LAMP, tap } from './rig.ts'

const isOn = (expected: boolean) => ({
  kind: 'state',
  ...byId('power'),
  property: 'checked',
  expected,
})

test('the state of a toggled switch is read although the fingerprint is unchanged', async () => {
  const { expect: check, execute, snapshot, phone } = await startLamp()
  const before = await snapshot()
  await execute([tap('power')])
  const after = await snapshot()
  expect(after.fingerprint).toBe(before.fingerprint)
  const { status, body } = await check(isOn(true))
  expect(status).toBe(200)
  expect(body).toMatchObject({
    kind: 'state',
    success: true,
    evaluated: true,
    observed: phone.state(LAMP).saved['on'],
  })
  expect((await check(isOn(false))).body).toMatchObject({
    success: false,
    evaluated: true,
    failure_code: 'EXPECT_STATE_MISMATCH',
  })
})

test('a state is evaluated also when readings are slower than the stabilization window', async () => {
  const { expect: check, phone } = await startLamp()
  phone.setLatency({
    dumpMs: 700,
    inputMs: 0,
    launchMs: 0,
    screencapMs: 0,
    idleTimeoutMs: 0,
  })
  const { body } = await check({ ...isOn(false), stabilization_window_ms: 500 })
  expect(body).toMatchObject({ success: true, metrics: { good_reads: 2 } })
  expect(body.metrics.latency_ms).toBeGreaterThan(1000)
})

test('an unreadable screen is not evaluated', async () => {
  const { expect: check, phone } = await startLamp()
  phone.faults.set('dumpNullRoot')
  const brief = { timeout_ms: 200, poll_interval_ms: 50 }
  for (const request of [
    { ...isOn(true), stabilization_window_ms: 500 },
    { kind: 'element_visible', ...byId('power'), ...brief },
    { kind: 'screen', screen: 'MainActivity' },
  ]) {
    const { status, body } = await check(request)
    expect(status).toBe(200)
    expect(body).toMatchObject({
      success: false,
      evaluated: false,
      failure_code: 'SCREEN_UNREADABLE',
    })
  }
})

test('a state that an element does not have is unavailable, not false', async () => {
  const { expect: check } = await startLamp()
  const { body } = await check({
    kind: 'state',
    ...byId('word'),
    property: 'checked',
    expected: false,
    stabilization_window_ms: 500,
  })
  expect(body).toMatchObject({
    success: false,
    evaluated: false,
    failure_code: 'STATE_UNAVAILABLE',
    retryable: false,
  })
})

test('a screen is matched by fingerprint, screen id or activity', async () => {
  const { expect: check, snapshot, execute, phone } = await startLamp()
  const { fingerprint, screen_id } = await snapshot()
  const activity = phone.foreground()?.activity ?? ''
  for (const named of [{ fingerprint }, { screen_id }, { screen: activity.split('.').at(-1) }]) {
    expect((await check({ kind: 'screen', ...named })).body).toMatchObject({
      success: true,
      confidence: 1,
      expected_screen: named,
    })
  }
  await execute([tap('more')])
  expect((await check({ kind: 'screen', fingerprint })).body).toMatchObject({
    success: false,
    evaluated: true,
    failure_code: 'VERIFICATION_FAILED',
    comparison: { basis: 'fingerprint', matched: false },
  })
})

test('an element is visible or not', async () => {
  const { expect: check, setLamp } = await startLamp()
  const guest = { kind: 'element_visible', ...byId('guest'), timeout_ms: 200, poll_interval_ms: 50 }
  expect((await check(guest)).body).toMatchObject({
    success: false,
    evaluated: true,
    element: null,
  })
  setLamp({ guest: true })
  expect((await check(guest)).body).toMatchObject({ success: true, element: { label: 'A guest' } })
})

test('an invalid expectation is refused', async () => {
  const { expect: check } = await startLamp()
  for (const request of [
    { kind: 'screen' },
    { kind: 'element_visible', selector: {} },
    { kind: 'element_visible' },
    { kind: 'state', ...byId('power'), property: 'colour', expected: 'red' },
    { kind: 'state', ...byId('power'), property: 'checked' },
    { kind: 'screen', screen: 'X', action_id: 'nonsense' },
  ]) {
    const { status, error } = await check(request)
    expect([status, error?.code], JSON.stringify(request)).toEqual([400, 'INVALID_REQUEST'])
  }
})
