import { expect, test } from 'vitest'
import { BENCH, toResourceId, overBothServers } from './bench.ts'

const LAUNCHER = 'com.android.launcher3'

overBothServers((open) => {
  test('an app that is already in front needs no dump', async () => {
    const bench = await open()
    await bench.show('taps')
    const { success, data } = await bench.step({
      type: 'wait_for_navigation',
      params: { expectedPackage: BENCH, timeoutMs: 2000 },
    })
    expect({ success, package: data['resolved_package'] }).toEqual({
      success: true,
      package: BENCH,
    })
    expect(data['elapsed_ms']).toMatch(/^\d+$/)
    expect(bench.calls).toEqual(['foreground'])
  })

  test('the screen is seldom read while another app is in front', async () => {
    const bench = await open()
    const params = {
      expectedPackage: BENCH,
      expectedNode: { resourceId: toResourceId('arrived') },
      timeoutMs: 10_000,
    }
    const missed = await bench.step({ type: 'wait_for_navigation', params })
    expect(missed.data).toMatchObject({ error: 'NAVIGATION_TIMEOUT', last_package: LAUNCHER })
    // Now and then it looks for a window that covers the app.
    expect(bench.dumps()).toBeLessThanOrEqual(11)
    const envelope = await bench.execute([
      { type: 'open_uri', params: { uri: 'bench:slow' } },
      { type: 'wait_for_navigation', params },
    ])
    expect(envelope.status).toBe('success')
    expect(Number(envelope.stepResults[1]?.data['elapsed_ms'])).toBeGreaterThan(2000)
  })

  test('a required transition is detected if it finished before the wait started', async () => {
    const bench = await open()
    await bench.show('taps')
    const envelope = await bench.execute([
      { type: 'press_key', params: { key: 'home' } },
      {
        type: 'wait_for_navigation',
        params: { expectedPackage: LAUNCHER, timeoutMs: 2000, requireTransition: true },
      },
    ])
    expect(envelope.status).toBe('success')
    expect(bench.calls).toEqual(['foreground', 'keyevent', 'foreground'])
  })

  test('a required transition is missing if the app was in front all the time', async () => {
    const bench = await open()
    await bench.show('taps')
    const envelope = await bench.execute([
      { type: 'click', params: { matcher: { text: 'Press me' } } },
      {
        type: 'wait_for_navigation',
        params: { expectedPackage: BENCH, timeoutMs: 2000, requireTransition: true },
      },
    ])
    expect(envelope.stepResults[1]?.data).toMatchObject({
      error: 'NAVIGATION_TIMEOUT',
      last_package: BENCH,
    })
  })

  test('a required transition to a node within one app is detected', async () => {
    const bench = await open()
    await bench.show('taps')
    const list = {
      type: 'wait_for_navigation',
      params: { expectedNode: { text: 'Item 1' }, timeoutMs: 2000, requireTransition: true },
    }
    const go = { type: 'click', params: { matcher: { text: 'Go to the list' } } }
    expect((await bench.execute([go, list])).status).toBe('success')
    expect((await bench.step(list)).data['error']).toBe('NAVIGATION_TIMEOUT')
  })

  test('unreadable screens do not count as another screen', async () => {
    const bench = await open()
    await bench.show('reading')
    bench.phone.faults.set('dumpNullRoot')
    const { data } = await bench.step({
      type: 'wait_for_navigation',
      params: { expectedNode: { text: '1.2.3' }, timeoutMs: 1500 },
    })
    expect(data).toMatchObject({ error: 'UI_TREE_UNAVAILABLE', kind: 'null_root' })
  })
})
