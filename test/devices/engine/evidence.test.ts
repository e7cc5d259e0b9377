import { expect, test } from 'vitest'
import { BENCH, type Bench, idOf, middleOf, overBothFaces } from './bench.ts'

const PRESS = { type: 'click', params: { matcher: { text: 'Press me' } } }
const GO = { type: 'click', params: { matcher: { text: 'Go to the list' } } }

overBothFaces((open) => {
  test('a step that resolved a target leaves the screen it acted on and the node', async () => {
    const bench = await open()
    await bench.show('taps')
    const middle = middleOf(bench.phone, 'go_list')
    await bench.step(GO)
    const { before, after, node, point, effect } = evidenceOf(bench)
    expect(before?.package).toBe(BENCH)
    expect(before?.xml).toContain('Go to the list')
    expect(before?.fingerprint).toMatch(/^[0-9a-f]{64}$/)
    expect(Date.parse(before?.captured_at ?? '')).toBe(before?.times.startedMs)
    expect(after).toBeUndefined()
    expect(node).toMatchObject({ label: 'Go to the list', resource_id: idOf('go_list') })
    expect(before?.hierarchy.nodes.map(({ path }) => path)).toContain(node?.path)
    expect(point).toEqual(middle)
    expect(effect).toEqual({ verb: 'click', submits: false })
    expect(bench.dumps()).toBe(1)
  })

  test('with evidence wanted the screen after the step is kept too, and serves the next step', async () => {
    const bench = await open()
    await bench.show('taps')
    const envelope = await bench.execute([PRESS, GO], { captureEvidence: true })
    expect(envelope.status).toBe('success')
    const [first, second] = bench.finished.map(({ evidence }) => evidence)
    expect(first?.after).toBe(second?.before)
    expect(second?.after?.fingerprint).not.toBe(second?.before?.fingerprint)
    expect(second?.after?.xml).toContain('Item 1')
    expect(bench.calls).toEqual(['dump', 'tap', 'dump', 'tap', 'dump'])
  })

  test('with evidence wanted a blind step looks before and after', async () => {
    const bench = await open()
    await bench.show('taps')
    const coordinate = middleOf(bench.phone, 'row_end')
    await bench.execute(
      [
        { type: 'click', params: { coordinate } },
        { type: 'press_key', params: { key: 'home' } },
      ],
      { captureEvidence: true },
    )
    const [clicked, pressed] = bench.finished.map(({ evidence }) => evidence)
    expect(clicked?.node?.resource_id).toBe(idOf('row'))
    expect(pressed?.before).toBe(clicked?.after)
    expect(pressed?.before?.package).toBe(BENCH)
    expect(pressed?.after?.package).toBe('com.android.launcher3')
    expect(bench.dumps()).toBe(3)
  })

  test('evidence that cannot be had does not fail the step', async () => {
    const bench = await open()
    await bench.show('taps')
    bench.phone.faults.set('dumpNullRoot')
    const { success } = await bench.step(
      { type: 'press_key', params: { key: 'home' } },
      { captureEvidence: true },
    )
    expect(success).toBe(true)
    const evidence = evidenceOf(bench)
    expect([evidence.before, evidence.after]).toEqual([undefined, undefined])
  })

  test('reading steps are not followed by a look of their own', async () => {
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
    expect(evidenceOf(bench)).toMatchObject({
      node: { label: '1.2.3' },
      effect: { verb: 'read_text', schema: 'local_state' },
    })
  })

  test('what decides the effect is told as it was declared', async () => {
    const bench = await open()
    await bench.show('forms')
    await bench.step({
      type: 'enter_text',
      params: { matcher: { resourceId: idOf('typed') }, text: 'x', submit: true },
      expects: { effect: 'local_state' },
    })
    expect(evidenceOf(bench).effect).toEqual({
      verb: 'enter_text',
      handler: 'local_state',
      submits: true,
    })
  })

  test('a scroll leaves both screens without being asked', async () => {
    const bench = await open()
    await bench.show('list')
    await bench.step({ type: 'scroll' })
    const { before, after, node } = evidenceOf(bench)
    expect(node?.resource_id).toBe(idOf('items'))
    expect(before?.xml).toContain('"Item 1"')
    expect(after?.xml).not.toContain('"Item 1"')
  })
})

function evidenceOf(bench: Bench) {
  return (bench.finished[0] ?? expect.fail('no step')).evidence
}
