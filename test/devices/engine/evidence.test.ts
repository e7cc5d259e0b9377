import { expect, test } from 'vitest'
import { BENCH, type Bench, toResourceId, findMiddle, overBothServers } from './bench.ts'

const PRESS = { type: 'click', params: { matcher: { text: 'Press me' } } }
const GO = { type: 'click', params: { matcher: { text: 'Go to the list' } } }

overBothServers((open) => {
  test('the evidence of a step contains its screen, node and point', async () => {
    const bench = await open()
    await bench.show('taps')
    const middle = findMiddle(bench.phone, 'go_list')
    await bench.step(GO)
    const { before, after, node, point, effect } = getEvidence(bench)
    expect(before?.package).toBe(BENCH)
    expect(await before?.printXml()).toContain('Go to the list')
    expect(before?.fingerprint).toMatch(/^[0-9a-f]{64}$/)
    expect(Date.parse(before?.captured_at ?? '')).toBe(before?.times.startedMs)
    expect(after).toBeUndefined()
    expect(node).toMatchObject({ label: 'Go to the list', resource_id: toResourceId('go_list') })
    expect(before?.hierarchy.nodes.map(({ path }) => path)).toContain(node?.path)
    expect(point).toEqual(middle)
    expect(effect).toEqual({ verb: 'click', submits: false })
    expect(bench.dumps()).toBe(1)
  })

  test('with captureEvidence the screen after a step is recorded and reused by the next step', async () => {
    const bench = await open()
    await bench.show('taps')
    const envelope = await bench.execute([PRESS, GO], { captureEvidence: true })
    expect(envelope.status).toBe('success')
    const [first, second] = bench.finished.map(({ evidence }) => evidence)
    expect(first?.after).toBe(second?.before)
    expect(second?.after?.fingerprint).not.toBe(second?.before?.fingerprint)
    expect(await second?.after?.printXml()).toContain('Item 1')
    expect(bench.calls).toEqual(['dump', 'tap', 'dump', 'tap', 'dump'])
  })

  test('with captureEvidence a step without a reading reads the screen before and after', async () => {
    const bench = await open()
    await bench.show('taps')
    const coordinate = findMiddle(bench.phone, 'row_end')
    await bench.execute(
      [
        { type: 'click', params: { coordinate } },
        { type: 'press_key', params: { key: 'home' } },
      ],
      { captureEvidence: true },
    )
    const [clicked, pressed] = bench.finished.map(({ evidence }) => evidence)
    expect(clicked?.node?.resource_id).toBe(toResourceId('row'))
    expect(pressed?.before).toBe(clicked?.after)
    expect(pressed?.before?.package).toBe(BENCH)
    expect(pressed?.after?.package).toBe('com.android.launcher3')
    expect(bench.dumps()).toBe(3)
  })

  test('an unreadable screen does not fail the step for its evidence', async () => {
    const bench = await open()
    await bench.show('taps')
    bench.phone.faults.set('dumpNullRoot')
    const { success } = await bench.step({ type: 'press_key', params: { key: 'home' } }, { captureEvidence: true })
    expect(success).toBe(true)
    const evidence = getEvidence(bench)
    expect([evidence.before, evidence.after]).toEqual([undefined, undefined])
  })

  test('reading steps are not followed by another reading', async () => {
    const bench = await open()
    await bench.show('reading')
    await bench.execute(
      [
        { type: 'read_text', params: { matcher: { text: '1.2.3' } } },
        { type: 'sleep', params: { durationMs: 5 } },
        { type: 'take_screenshot' },
      ],
      { captureEvidence: true },
    )
    expect(bench.calls).toEqual(['dump', 'screenshot'])
    expect(getEvidence(bench)).toMatchObject({
      node: { label: '1.2.3' },
      effect: { verb: 'read_text', schema: 'local_state' },
    })
  })

  test('the evidence contains the declared effect', async () => {
    const bench = await open()
    await bench.show('forms')
    await bench.step({
      type: 'enter_text',
      params: { matcher: { resourceId: toResourceId('typed') }, text: 'x', submit: true },
      expects: { effect: 'local_state' },
    })
    expect(getEvidence(bench).effect).toEqual({
      verb: 'enter_text',
      handler: 'local_state',
      submits: true,
    })
  })

  test('a scroll always records both screens', async () => {
    const bench = await open()
    await bench.show('list')
    await bench.step({ type: 'scroll' })
    const { before, after, node } = getEvidence(bench)
    expect(node?.resource_id).toBe(toResourceId('items'))
    expect(await before?.printXml()).toContain('"Item 1"')
    expect(await after?.printXml()).not.toContain('"Item 1"')
  })
})

function getEvidence(bench: Bench) {
  return (bench.finished[0] ?? expect.fail('no step')).evidence
}
