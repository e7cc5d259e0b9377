import { expect, test } from 'vitest'
import { type Burst, toCapturedSteps } from '../../../src/devices/touch/burst.ts'
import type { PersonInput } from '../../../src/devices/touch/person-input.ts'
import type { CapturedScreen } from '../../../src/devices/recording/captured-step.ts'
import { node, screen, type Sketch, text } from '../../screen/tree-builder.ts'

const size = { width: 1080, height: 2400 }
const navigation = { gestures: false, backButton: 'left' } as const

const show = (...children: Sketch[]): CapturedScreen => ({
  hierarchy: screen(node({ bounds: '[0,0][1080,2400]' }, ...children)),
})
const entry = (id: string, top: number, more: Record<string, string> = {}) =>
  node({
    class: 'android.widget.EditText',
    clickable: 'true',
    'resource-id': id,
    bounds: `[0,${top}][1080,${top + 100}]`,
    ...more,
  })
const push = (label: string, top: number) =>
  node({ clickable: 'true', text: label, bounds: `[0,${top}][1080,${top + 100}]` })

const tap = (y: number, atMs = y): PersonInput => ({ kind: 'tap', point: { x: 500, y }, atMs })
const key = (name: 'typing' | 'back' | 'enter', atMs: number): PersonInput => ({
  kind: 'key',
  key: name,
  atMs,
})

const focused = { focused: 'true' }
const explain = (inputs: PersonInput[], before?: CapturedScreen, after?: CapturedScreen) =>
  toCapturedSteps({ inputs, before, after, size, navigation } satisfies Burst)
const kinds = (steps: ReturnType<typeof explain>) =>
  steps.map(({ action }) => ('text' in action ? `text ${action.text}` : action.kind))

test('touches on the keyboard become one step for the changed field', () => {
  const before = show(entry('a', 100, focused), push('Send', 300))
  const after = show(entry('a', 100, { ...focused, text: 'hello' }), push('Send', 300))
  const steps = explain([tap(1800, 1), tap(1900, 2), tap(2000, 3)], before, after)
  expect(kinds(steps)).toEqual(['text hello'])
  expect(steps[0]).toMatchObject({ at_ms: 3, before, after, node: { path: '0.0' } })
})

test('two fields filled in one burst are separated by the touch between them', () => {
  const before = show(entry('a', 100, focused), entry('b', 300))
  const after = show(entry('a', 100, { text: 'one' }), entry('b', 300, { ...focused, text: 'two' }))
  const steps = explain([tap(1800), tap(350), tap(1900), tap(1850)], before, after)
  expect(kinds(steps)).toEqual(['text one', 'tap', 'text two'])
})

test('a field that was touched and filled between two readings becomes a tap and a text', () => {
  const before = show(entry('a', 100), push('Row', 1800))
  const after = show(entry('a', 100, { ...focused, text: 'hi' }))
  expect(kinds(explain([tap(150), tap(1850), tap(1900)], before, after))).toEqual(['tap', 'text hi'])
})

test('a field that appeared and was filled between two readings is taken from the later reading', () => {
  const after = show(entry('q', 100, { ...focused, text: 'milk' }))
  const steps = explain([tap(350), tap(1900), tap(1950)], show(push('Search', 300)), after)
  expect(kinds(steps)).toEqual(['tap', 'text milk'])
  expect(steps[1]).toMatchObject({ after, node: { path: '0.0' } })
  expect(steps[1]?.before).toBeUndefined()
})

test('text in a field that is gone by the next reading gives no step', () => {
  const before = show(entry('a', 100), push('Row', 1800))
  const after = show(push('Done', 100))
  expect(kinds(explain([tap(150), tap(1850), tap(1900)], before, after))).toEqual(['tap'])
})

test('a field that the app filled is not typing', () => {
  const before = show(entry('a', 100), push('Today', 300))
  const after = show(entry('a', 100, { text: '1 May' }), push('Today', 300))
  expect(kinds(explain([tap(350)], before, after))).toEqual(['tap'])
})

test('keys that change no text give no step', () => {
  const before = show(entry('a', 100, focused))
  expect(explain([key('typing', 1), key('typing', 2)], before, before)).toEqual([])
})

test('phone keys are steps in their order', () => {
  const before = show(entry('a', 100, focused))
  const after = show(entry('a', 100, { ...focused, text: 'x' }))
  const steps = explain([key('typing', 1), key('enter', 2), key('back', 3)], before, after)
  expect(kinds(steps)).toEqual(['text x', 'key', 'key'])
  expect(steps.map((step) => step.after === after)).toEqual([false, false, true])
})

test('a later touch has a screen only if its node is on both readings', () => {
  const before = show(push('One', 100), push('Two', 300))
  const moved = show(push('One', 100), text('News', { bounds: '[0,300][1080,900]' }), push('Two', 900))
  const steps = explain([tap(150), tap(150), tap(350)], before, moved)
  expect(steps.map((step) => step.before === before)).toEqual([true, true, false])
})

test('a touch without a target counts only if it was alone and changed the screen', () => {
  const before = show(text('Map', { bounds: '[0,100][1080,900]' }))
  const after = show(text('Map of Rome', { bounds: '[0,100][1080,900]' }))
  expect(kinds(explain([tap(500)], before, after))).toEqual(['tap'])
  expect(explain([tap(500)], before, before)).toEqual([])
  expect(explain([tap(500), tap(500)], before, after)).toEqual([])
})

test('a touch on a loading screen has no screen before', () => {
  const before = show(
    node({ class: 'android.widget.ProgressBar', bounds: '[500,500][600,600]' }),
    text('Loading', { bounds: '[0,600][1080,700]' }),
  )
  const [step] = explain([tap(650)], before, show(push('Row', 600)))
  expect(step).toMatchObject({ action: { kind: 'tap' }, before: undefined })
})

test('a swipe scrolls, moves a slider or is dropped', () => {
  const before = show(
    node({ scrollable: 'true', bounds: '[0,0][1080,1000]' }),
    node({ class: 'android.widget.SeekBar', bounds: '[0,1200][1080,1300]' }),
  )
  const swipe = (from: [number, number], to: [number, number]): PersonInput => ({
    kind: 'swipe',
    from: { x: from[0], y: from[1] },
    to: { x: to[0], y: to[1] },
    atMs: 1,
  })
  const [scroll] = explain([swipe([500, 800], [500, 300])], before, before)
  expect(scroll?.action).toMatchObject({
    kind: 'scroll',
    direction: 'down',
    travel: { dx: 0, dy: -500 },
  })
  const [sideways] = explain([swipe([100, 500], [900, 520])], before, before)
  expect(sideways?.action).toMatchObject({ direction: 'left' })
  expect(kinds(explain([swipe([100, 1250], [700, 1250])], before, before))).toEqual(['slide'])
  expect(explain([swipe([500, 1900], [500, 1500])], before, before)).toEqual([])
})

test('without readings the steps have no screens', () => {
  const steps = explain([tap(100), key('back', 2), { kind: 'unclear', atMs: 3 }])
  expect(kinds(steps)).toEqual(['tap', 'key'])
  expect(steps.every(({ before, after }) => before === undefined && after === undefined)).toBe(true)
})
