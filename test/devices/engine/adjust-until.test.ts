import { expect, test } from 'vitest'
import { type Bench, CONTROLS, overBothServers } from './bench.ts'

const CLIMATE = 'org.apprentice.climate'
const SETTINGS = 'com.android.settings'
const part = (name: string, packageName = CONTROLS) => ({ resourceId: `${packageName}:id/${name}` })
const adjust = (params: Record<string, unknown>) => ({ type: 'adjust_until', params })
const stepper = (name: string, packageName = CONTROLS) => ({
  value: part(`${name}_value`, packageName),
  increase: part(`${name}_plus`, packageName),
  decrease: part(`${name}_minus`, packageName),
})
const level = { value: part('level_value'), slider: part('level') }
const saved = (bench: Bench) => bench.phone.state(CONTROLS).saved
const taps = (bench: Bench) => bench.calls.filter((name) => name === 'tap').length

overBothServers((open) => {
  const opened = async (screen: string, state: Record<string, number | string> = {}) => {
    const bench = await open()
    bench.phone.setState(CONTROLS, { saved: state })
    await bench.visit(CONTROLS, `controls:${screen}`)
    return bench
  }

  test('a thermostat is adjusted up and down in steps of 0.5', async () => {
    const bench = await open()
    await bench.visit(CLIMATE, 'climate://unit/1')
    const draft = () => bench.phone.state(CLIMATE).screens.at(-1)?.local['draft']
    const temperature = stepper('temperature', CLIMATE)
    const up = await bench.step(adjust({ ...temperature, target: 24.5 }))
    expect(up.data).toMatchObject({ read: '24.5', target: '24.5', adjustments: '7' })
    expect(draft()).toMatchObject({ temperature: 24.5 })
    expect(bench.phone.touches()).toBe(7)
    const already = await bench.step(adjust({ ...temperature, target: 24.5 }))
    expect(already).toMatchObject({ success: true, data: { already: 'true', adjustments: '0' } })
    expect(bench.phone.touches()).toBe(7)
    const down = await bench.step(adjust({ ...temperature, target: 16 }))
    expect(down).toMatchObject({ success: true, data: { adjustments: '17' } })
    expect(draft()).toMatchObject({ temperature: 16 })
    expect(bench.phone.touches()).toBe(24)
  })

  test('a value that is matched by its text is tracked after it changed', async () => {
    const bench = await opened('numbers')
    const value = { textEquals: '5', container: part('value') }
    const { success } = await bench.step(adjust({ ...stepper('value'), value, target: 8 }))
    expect(success).toBe(true)
    expect(saved(bench)).toMatchObject({ value: 8 })
    expect(bench.phone.touches()).toBe(3)
  })

  test('once the step size is known, several touches need one reading', async () => {
    const bench = await opened('numbers', { value: 0, max: 100 })
    const { success } = await bench.step(adjust({ ...stepper('value'), target: 23 }))
    expect(success).toBe(true)
    expect(saved(bench)).toMatchObject({ value: 23 })
    expect(taps(bench)).toBe(23)
    expect(bench.dumps()).toBeLessThan(10)
  })

  test('steps of two fail quickly for an odd target', async () => {
    const bench = await opened('numbers', { value: 4, step: 2 })
    const { success, data } = await bench.step(adjust({ ...stepper('value'), target: 7 }))
    expect(success).toBe(false)
    expect(data).toMatchObject({
      error: 'CONTROL_CONVERGENCE_FAILED',
      target: '7',
      reason: 'passed',
      adjustments: '3',
    })
    expect(data['read']).toBe(String(Number(saved(bench)['value'])))
    const near = adjust({ ...stepper('value'), target: 7, tolerance: 1 })
    expect((await bench.step(near)).data).toMatchObject({ already: 'true' })
  })

  test.each([
    [14, 10],
    [-3, 0],
  ])('a target of %d beyond the range fails at %d', async (target, end) => {
    const bench = await opened('numbers')
    const { data } = await bench.step(adjust({ ...stepper('value'), target }))
    expect(data).toMatchObject({
      error: 'CONTROL_CONVERGENCE_FAILED',
      reason: 'no_change',
      read: String(end),
    })
    expect(saved(bench)).toMatchObject({ value: end })
    expect(bench.phone.touches()).toBeLessThan(12)
  })

  test('a control that does not move fails after two touches', async () => {
    const bench = await opened('numbers')
    const dead = { value: part('dead_value'), increase: part('dead_plus') }
    const { data } = await bench.step(adjust({ ...dead, target: 9 }))
    expect(data).toMatchObject({
      error: 'CONTROL_CONVERGENCE_FAILED',
      reason: 'no_change',
      read: '5',
      target: '9',
      adjustments: '2',
    })
    expect(bench.phone.touches()).toBe(2)
  })

  test('a control without a button for the direction is not touched', async () => {
    const bench = await opened('numbers')
    const { decrease: _, ...upward } = stepper('value')
    const { data } = await bench.step(adjust({ ...upward, target: 2 }))
    expect(data).toMatchObject({ error: 'CONTROL_CONVERGENCE_FAILED', reason: 'no_way' })
    expect(bench.phone.touches()).toBe(0)
  })

  test('maxAdjustments is respected', async () => {
    const bench = await opened('numbers', { value: 0, max: 100 })
    const action = adjust({ ...stepper('value'), target: 90, maxAdjustments: 12 })
    expect((await bench.step(action)).data).toMatchObject({
      error: 'CONTROL_CONVERGENCE_FAILED',
      reason: 'limit',
      read: '12',
      adjustments: '12',
    })
    expect(bench.phone.touches()).toBe(12)
  })

  test.each([400, 1500, 2500, 3900])('a number that changes after %d ms reaches the target', async (slow_ms) => {
    const bench = await opened('numbers', { slow_ms })
    const { success, data } = await bench.step(adjust({ ...stepper('slow'), target: 7 }))
    expect({ success, read: data['read'] }).toEqual({ success: true, read: '7' })
    await bench.clock.sleep(10_000)
    expect(saved(bench)).toMatchObject({ slow: 7 })
  })

  test('growing steps are not batched', async () => {
    const bench = await opened('numbers')
    const { success } = await bench.step(adjust({ ...stepper('grown'), target: 12 }))
    expect(success).toBe(true)
    expect(saved(bench)).toMatchObject({ grown: 12 })
  })

  test('a node without a number is not adjusted', async () => {
    const bench = await opened('numbers')
    const action = adjust({
      ...stepper('value'),
      value: part('word'),
      target: 7,
      retry: { maxAttempts: 2, initialDelayMs: 10 },
    })
    expect((await bench.step(action)).data).toMatchObject({
      error: 'VALIDATOR_MISMATCH',
      raw_text: '--',
      attempts: '2',
    })
    expect(bench.phone.touches()).toBe(0)
  })

  test('a disabled stepper is not touched', async () => {
    const bench = await open()
    await bench.visit(CLIMATE, 'climate://unit/3')
    const { data } = await bench.step(adjust({ ...stepper('temperature', CLIMATE), target: 25 }))
    expect(data).toMatchObject({ error: 'CONTROL_CONVERGENCE_FAILED', adjustments: '0' })
    expect(bench.phone.touches()).toBe(0)
  })

  test.each([0, 1, 37, 50, 99, 100])('a slider is set to %d', async (target) => {
    const bench = await opened('sliders')
    const { success, data } = await bench.step(adjust({ ...level, target }))
    expect({ success, read: data['read'] }).toEqual({ success: true, read: String(target) })
    expect(saved(bench)).toMatchObject({ level: target })
    expect(bench.phone.touches()).toBeLessThan(10)
  })

  test('a settings slider with a percentage is set', async () => {
    const bench = await open()
    await bench.execute([
      { type: 'open_app', params: { applicationId: SETTINGS } },
      { type: 'scroll_and_click', params: { matcher: { text: 'Display' } } },
    ])
    const summary = { resourceId: 'android:id/summary' }
    const { success } = await bench.step(
      adjust({
        value: { ...summary, container: part('brightness_row', SETTINGS) },
        slider: part('brightness', SETTINGS),
        target: 75,
      }),
    )
    expect(success).toBe(true)
    const texts = bench.phone.screenNodes().map(({ text }) => text)
    expect(texts).toContain('75%')
  })

  test('the buttons adjust what the slider cannot reach', async () => {
    const bench = await opened('sliders', { level_step: 10 })
    const without = await bench.step(adjust({ ...level, target: 43 }))
    expect(without.data).toMatchObject({
      error: 'CONTROL_CONVERGENCE_FAILED',
      reason: 'out_of_range',
    })
    expect(without.data['read']).toBe(String(Number(saved(bench)['level'])))
    const buttons = { increase: part('level_plus'), decrease: part('level_minus') }
    expect((await bench.step(adjust({ ...level, ...buttons, target: 43 }))).success).toBe(true)
    expect(saved(bench)).toMatchObject({ level: 43 })
  })

  test('a slider fails beyond its range and if it does not move', async () => {
    const bench = await opened('sliders')
    const beyond = await bench.step(adjust({ ...level, target: 130 }))
    expect(beyond.data).toMatchObject({
      error: 'CONTROL_CONVERGENCE_FAILED',
      reason: 'out_of_range',
      read: '100',
    })
    const before = bench.phone.touches()
    const frozen = { value: part('frozen_value'), slider: part('frozen') }
    const { data } = await bench.step(adjust({ ...frozen, target: 60 }))
    expect(data).toMatchObject({ error: 'CONTROL_CONVERGENCE_FAILED', reason: 'no_change' })
    expect(bench.phone.touches() - before).toBeLessThan(5)
  })

  test('failed readings are repeated without repeating touches', async () => {
    const bench = await opened('numbers')
    bench.phone.faults.set('dumpNullRoot', 3)
    const { success } = await bench.step(adjust({ ...stepper('value'), target: 7 }))
    expect(success).toBe(true)
    expect(saved(bench)).toMatchObject({ value: 7 })
    expect(bench.phone.touches()).toBe(2)
  })
})
