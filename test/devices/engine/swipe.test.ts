import { expect, test } from 'vitest'
import { run } from '../../phone/phone-shell.ts'
import { BENCH, type Bench, toResourceId, overBothServers } from './bench.ts'

const SETTINGS = 'com.android.settings'

overBothServers((open) => {
  test('a swipe moves from one point to the other without a reading', async () => {
    const bench = await open()
    await bench.show('list')
    const before = findTop(bench, 'Item 3')
    const { success, data } = await bench.step({
      type: 'swipe',
      params: { from: { x: 500, y: 1500 }, to: { x: 520, y: 1400 }, durationMs: 120 },
    })
    expect(success).toBe(true)
    expect(data).toEqual({ from: '500,1500', to: '520,1400', duration_ms: '120' })
    expect(before - findTop(bench, 'Item 3')).toBe(100)
    expect(bench.calls).toEqual(['swipe'])
  })

  test('a swipe along a slider moves it', async () => {
    const bench = await open()
    await bench.execute([
      { type: 'open_app', params: { applicationId: SETTINGS } },
      { type: 'click', params: { matcher: { textEquals: 'Display' } } },
      { type: 'wait_for_node', params: { matcher: { resourceId: `${SETTINGS}:id/brightness` } } },
    ])
    const slider = bench.phone.screenNodes().find(({ className }) => className.endsWith('SeekBar'))
    const { left, top, right, bottom } = (slider ?? expect.fail('no slider')).bounds
    const y = Math.floor((top + bottom) / 2)
    const from = { x: left + 300, y }
    bench.finished.length = 0
    await bench.step({ type: 'swipe', params: { from, to: { x: right - 1, y } } }, { captureEvidence: true })
    expect((await run(bench.phone, 'settings get system screen_brightness')).stdout).toBe('255\n')
    const { evidence } = bench.finished[0] ?? expect.fail('no step')
    expect(evidence).toMatchObject({
      point: from,
      node: { resource_id: `${SETTINGS}:id/brightness` },
      effect: { verb: 'swipe', submits: false },
    })
    expect(evidence.after?.fingerprint).toBeDefined()
    expect(await evidence.before?.printXml()).not.toBe(await evidence.after?.printXml())
  })

  test('with captureEvidence a swipe records the node at its start', async () => {
    const bench = await open()
    await bench.show('list')
    await bench.step(
      { type: 'swipe', params: { from: { x: 500, y: 1500 }, to: { x: 500, y: 900 } } },
      { captureEvidence: true },
    )
    const { before, after, node, point } = (bench.finished[0] ?? expect.fail('no step')).evidence
    expect(point).toEqual({ x: 500, y: 1500 })
    expect([toResourceId('item'), toResourceId('item_text')]).toContain(node?.resource_id)
    expect(await before?.printXml()).toContain('"Item 1"')
    expect(await after?.printXml()).not.toContain('"Item 1"')
    expect(bench.calls).toEqual(['dump', 'swipe', 'dump'])
  })

  test('a swipe outside the valid range fails without a retry', async () => {
    const bench = await open()
    await bench.show('list')
    const before = findTop(bench, 'Item 3')
    const { success, data } = await bench.step({
      type: 'swipe',
      params: {
        from: { x: 500, y: 1500 },
        to: { x: 500, y: 1_000_000 },
        retry: { maxAttempts: 3, initialDelayMs: 10 },
      },
    })
    expect(success).toBe(false)
    expect(data['error']).toBe('INVALID_ARGUMENT')
    expect(bench.calls).toEqual(['swipe'])
    expect(findTop(bench, 'Item 3')).toBe(before)
  })
})

function findTop({ phone }: Bench, label: string): number {
  const node = phone.screenNodes().find(({ text }) => text === label)
  expect(phone.foreground()?.packageName).toBe(BENCH)
  return (node ?? expect.fail(`no ${label}`)).bounds.top
}
