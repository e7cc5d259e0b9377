import { expect, test } from 'vitest'
import { aLamp, byId, LAMP, tap } from './rig.ts'

const isOn = (expected: boolean) => ({
  kind: 'state',
  ...byId('power'),
  property: 'checked',
  expected,
})

test('a switch that was turned passes, though the screen counts as unchanged', async () => {
  const { expect: ask, execute, snapshot, phone } = await aLamp()
  const before = await snapshot()
  await execute([tap('power')])
  const after = await snapshot()
  expect(after.fingerprint).toBe(before.fingerprint)
  const { status, body } = await ask(isOn(true))
  expect(status).toBe(200)
  expect(body).toMatchObject({
    kind: 'state',
    success: true,
    evaluated: true,
    observed: phone.state(LAMP).saved['on'],
  })
  expect((await ask(isOn(false))).body).toMatchObject({
    success: false,
    evaluated: true,
    failure_code: 'EXPECT_STATE_MISMATCH',
  })
})

test('readings slower than the window still decide', async () => {
  const { expect: ask, phone } = await aLamp()
  phone.setLatency({
    dumpMs: 700,
    inputMs: 0,
    launchMs: 0,
    screencapMs: 0,
    idleTimeoutMs: 0,
  })
  const { body } = await ask({ ...isOn(false), stabilization_window_ms: 500 })
  expect(body).toMatchObject({ success: true, metrics: { good_reads: 2 } })
  expect(body.metrics.latency_ms).toBeGreaterThan(1000)
})

test('a screen that cannot be read decides nothing', async () => {
  const { expect: ask, phone } = await aLamp()
  phone.faults.set('dumpNullRoot')
  const brief = { timeout_ms: 200, poll_interval_ms: 50 }
  for (const request of [
    { ...isOn(true), stabilization_window_ms: 500 },
    { kind: 'element_visible', ...byId('power'), ...brief },
    { kind: 'screen', screen: 'MainActivity' },
  ]) {
    const { status, body } = await ask(request)
    expect(status).toBe(200)
    expect(body).toMatchObject({
      success: false,
      evaluated: false,
      failure_code: 'SCREEN_UNREADABLE',
    })
  }
})

test('a state the screen does not tell is unknown, never false', async () => {
  const { expect: ask } = await aLamp()
  const { body } = await ask({
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

test('a screen is known by its fingerprint, its kind or its activity', async () => {
  const { expect: ask, snapshot, execute, phone } = await aLamp()
  const { fingerprint, screen_id } = await snapshot()
  const activity = phone.foreground()?.activity ?? ''
  for (const named of [{ fingerprint }, { screen_id }, { screen: activity.split('.').at(-1) }]) {
    expect((await ask({ kind: 'screen', ...named })).body).toMatchObject({
      success: true,
      confidence: 1,
      expected_screen: named,
    })
  }
  await execute([tap('more')])
  expect((await ask({ kind: 'screen', fingerprint })).body).toMatchObject({
    success: false,
    evaluated: true,
    failure_code: 'VERIFICATION_FAILED',
    comparison: { basis: 'fingerprint', matched: false },
  })
})

test('an element is there or not', async () => {
  const { expect: ask, lamp } = await aLamp()
  const guest = { kind: 'element_visible', ...byId('guest'), timeout_ms: 200, poll_interval_ms: 50 }
  expect((await ask(guest)).body).toMatchObject({ success: false, evaluated: true, element: null })
  lamp({ guest: true })
  expect((await ask(guest)).body).toMatchObject({ success: true, element: { label: 'A guest' } })
})

test('a wrong expectation is refused', async () => {
  const { expect: ask } = await aLamp()
  for (const request of [
    { kind: 'screen' },
    { kind: 'element_visible', selector: {} },
    { kind: 'element_visible' },
    { kind: 'state', ...byId('power'), property: 'colour', expected: 'red' },
    { kind: 'state', ...byId('power'), property: 'checked' },
    { kind: 'screen', screen: 'X', action_id: 'nonsense' },
  ]) {
    const { status, error } = await ask(request)
    expect([status, error?.code], JSON.stringify(request)).toEqual([400, 'INVALID_REQUEST'])
  }
})
