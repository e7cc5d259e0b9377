import { expect, test } from 'vitest'
import type { EngineHost } from '../../../src/devices/engine/execution/run-execution.ts'
import { CONTROLS, findMiddle, overEmbeddedServer } from './bench.ts'

const part = (name: string) => ({ resourceId: `${CONTROLS}:id/${name}` })
const refusal = { code: 'REHEARSAL_REFUSED', message: 'Not in a rehearsal.' }

type Admit = NonNullable<EngineHost['admit']>

/** Creates an `admit` that refuses targets with the label and records its calls. */
function createRefusal(label: string) {
  const calls: [string, string | undefined][] = []
  const admit: Admit = (action, target) => {
    calls.push([action.type, target?.label])
    return target?.label === label ? refusal : undefined
  }
  return { calls, admit }
}

overEmbeddedServer((open) => {
  const opened = async (screen: string) => {
    const bench = await open()
    await bench.visit(CONTROLS, `controls:${screen}`)
    return bench
  }

  test('admit is called before the step and with each node before the touch', async () => {
    const bench = await opened('switches')
    const { calls, admit } = createRefusal('nothing')
    const action = { type: 'click', params: { matcher: { text: 'Plain' } } }
    expect((await bench.step(action, { admit })).success).toBe(true)
    expect(calls).toEqual([
      ['click', undefined],
      ['click', 'Plain'],
      ['click', ''],
    ])
  })

  test('admit is not called for reading steps', async () => {
    const bench = await opened('numbers')
    const admit: Admit = () => refusal
    const matcher = part('word')
    const envelope = await bench.execute(
      [
        { type: 'read_text', params: { matcher } },
        { type: 'wait_for_node', params: { matcher } },
        { type: 'expect', params: { matcher } },
        { type: 'snapshot_ui' },
        { type: 'sleep', params: { durationMs: 1 } },
      ],
      { admit },
    )
    expect(envelope.status).toBe('success')
  })

  test.each([
    { type: 'open_app', params: { applicationId: 'org.apprentice.notes' } },
    { type: 'open_uri', params: { uri: 'shop://search' } },
    { type: 'press_key', params: { key: 'home' } },
    { type: 'scroll' },
    { type: 'swipe', params: { from: { x: 500, y: 1500 }, to: { x: 500, y: 500 } } },
    { type: 'scroll_until', params: { matcher: { text: 'Item 20' } } },
    { type: 'click', params: { coordinate: { x: 500, y: 1500 } } },
  ])('a refused $type does nothing', async (action) => {
    const bench = await opened('barred')
    const { success, data } = await bench.step(action, { admit: () => refusal })
    expect(success).toBe(false)
    expect(data).toMatchObject({ error: refusal.code, message: refusal.message })
    expect(bench.phone.touches()).toBe(0)
    expect(bench.phone.foreground()?.packageName).toBe(CONTROLS)
  })

  test.each([
    ['click', { type: 'click', params: { matcher: { text: 'Plain' } } }, 'Plain'],
    [
      'set_checked',
      { type: 'set_checked', params: { matcher: { text: 'Remember me' }, checked: true } },
      'Remember me',
    ],
    ['scroll_and_click', { type: 'scroll_and_click', params: { matcher: { text: 'Plain' } } }, 'Plain'],
  ])('%s is refused because of the node it would touch', async (_type, action, label) => {
    const bench = await opened('switches')
    const { admit } = createRefusal(label)
    const { success, data } = await bench.step(action, { admit })
    expect({ success, error: data['error'] }).toEqual({ success: false, error: refusal.code })
    expect(bench.phone.touches()).toBe(0)
    expect(bench.finished[0]?.evidence.point).toBeUndefined()
  })

  test('a control that already has the state is not submitted to admit', async () => {
    const bench = await opened('switches')
    const { admit } = createRefusal('Remember me')
    const params = { matcher: { text: 'Remember me' }, checked: false }
    const { data } = await bench.step({ type: 'set_checked', params }, { admit })
    expect(data).toMatchObject({ already: 'true' })
  })

  test('admit is called before every touch of an adjustment', async () => {
    const bench = await opened('numbers')
    let touches = 0
    const admit: Admit = (_action, target) => {
      if (target !== undefined) touches += 1
      return touches > 3 ? refusal : undefined
    }
    const { data } = await bench.step(
      {
        type: 'adjust_until',
        params: { value: part('value_value'), increase: part('value_plus'), target: 10 },
      },
      { admit },
    )
    expect(data['error']).toBe(refusal.code)
    expect(bench.phone.state(CONTROLS).saved).toMatchObject({ value: 8 })
    expect(bench.phone.touches()).toBe(3)
  })

  test('admit receives the slider node', async () => {
    const bench = await opened('sliders')
    const admit: Admit = (_action, target) => (target?.resource_id === `${CONTROLS}:id/level` ? refusal : undefined)
    const params = { value: part('level_value'), slider: part('level'), target: 40 }
    const { data } = await bench.step({ type: 'adjust_until', params }, { admit })
    expect(data['error']).toBe(refusal.code)
    expect(bench.phone.state(CONTROLS).saved).toMatchObject({ level: 20 })
  })

  test('admit receives the node at a clicked coordinate', async () => {
    const bench = await open()
    await bench.show('taps')
    const coordinate = findMiddle(bench.phone, 'press')
    const { admit } = createRefusal('Press me')
    const { data } = await bench.step({ type: 'click', params: { coordinate } }, { admit })
    expect(data['error']).toBe(refusal.code)
    expect(bench.phone.touches()).toBe(0)
  })

  test('text is not entered into a refused field, touched or focused', async () => {
    const bench = await open()
    await bench.show('forms')
    const field = { resourceId: 'org.example.bench:id/typed' }
    const admit: Admit = (_action, target) => (target?.resource_id === field.resourceId ? refusal : undefined)
    const typed = { type: 'enter_text', params: { matcher: field, text: 'hello' } }
    expect((await bench.step(typed, { admit })).data['error']).toBe(refusal.code)
    expect(bench.phone.touches()).toBe(0)
    await bench.step({ type: 'click', params: { matcher: field } })
    const into = { type: 'enter_text', params: { intoFocus: true, text: 'hello' } }
    expect((await bench.step(into, { admit })).data['error']).toBe(refusal.code)
    expect(bench.phone.state('org.example.bench').saved).toMatchObject({ typed: '' })
  })

  test('a refused dismissal is not touched', async () => {
    const bench = await opened('switches')
    bench.phone.showDialog(CONTROLS, 'offer')
    const { admit } = createRefusal('Not now')
    const action = { type: 'click', params: { matcher: { text: 'Plain' } } }
    const { data } = await bench.step(action, { admit, dismissals: [{ text: 'Not now' }] })
    expect(data['error']).toBe(refusal.code)
    expect(bench.phone.touches()).toBe(0)
    expect(bench.phone.state(CONTROLS).saved).toMatchObject({ offers: 0 })
  })

  test('admit is not called for a skipped step', async () => {
    const bench = await opened('switches')
    const { calls, admit } = createRefusal('nothing')
    const click = { type: 'click', params: { matcher: { text: 'Plain' } } }
    await bench.step({ ...click, when: { text: 'No such' } }, { admit })
    expect(calls).toEqual([])
  })
})
