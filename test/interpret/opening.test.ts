import { expect, test } from 'vitest'
import { interpretTraces } from '../../src/knowledge/interpret/draft/interpret.ts'
import type { ObservedStep } from '../../src/knowledge/steps/observed-step.ts'
import { attribute, type Hierarchy, isTrue } from '../../src/screen/tree/hierarchy.ts'
import { node, screen, type Sketch, text } from '../screen/tree-builder.ts'

const APP = 'com.example'
const bounds = (left: number, top: number, right: number, bottom: number) => ({
  bounds: `[${left},${top}][${right},${bottom}]`,
})
const root = (at: ReturnType<typeof bounds>, ...parts: Sketch[]): Hierarchy =>
  screen(node({ class: 'android.widget.FrameLayout', package: APP, ...at }, ...parts))
const page = (...parts: Sketch[]): Hierarchy => root(bounds(0, 0, 1080, 2400), ...parts)
const small = (...parts: Sketch[]): Hierarchy => root(bounds(80, 900, 1000, 1600), ...parts)
/** A button as Compose draws it: an unnamed box that holds its words. */
const button = (words: string, left: number, top: number): Sketch =>
  node(
    { clickable: 'true', ...bounds(left, top, left + 400, top + 120) },
    text(words, bounds(left + 40, top + 30, left + 360, top + 90)),
  )
const label = (words: string, top: number): Sketch => text(words, bounds(120, top, 960, top + 60))

function learn(start: Hierarchy, touches: readonly (readonly [words: string, after: Hierarchy])[], goal: string) {
  const steps = touches.map(([words, after], at): ObservedStep => {
    const before = touches[at - 1]?.[1] ?? start
    const shown = before.nodes.find((one) => attribute(one, 'text') === words && isTrue(one.parent ?? one, 'clickable'))
    return {
      event_id: `e${at + 1}`,
      trace_id: 't',
      kind: 'tap',
      app: APP,
      action_label: 'Tap',
      node_path: shown?.parent?.path ?? expect.fail(`no ${words}`),
      caused_state_change: true,
      before,
      after,
      activity: '.Main',
      created_at: '2026-01-01T00:00:00.000Z',
    }
  })
  return interpretTraces([{ trace_id: 't', steps }], { marks: [], goal })
}

const booking = (status: string, ...parts: Sketch[]): Hierarchy =>
  page(label('Your booking', 100), label(status, 300), label('Two nights', 400), ...parts)
const confirmed = booking('Confirmed', button('Cancel booking', 100, 800), button('Get help', 560, 800))
const cancelled = booking('Cancelled', button('Get help', 560, 800))
const question = (...answers: readonly string[]): Hierarchy =>
  small(
    label('Cancel this booking?', 960),
    label('You get your money back.', 1040),
    ...answers.map((words, at) => button(words, 120 + at * 440, 1400)),
  )
const readSteps = ({ recipe }: ReturnType<typeof learn>) =>
  recipe?.steps.filter(({ id }) => id !== 'already_done').map(({ id, params }) => [id, params?.['repeatable']])

test('a run waits for the question whose button looks like the one that opened it', () => {
  const workflow = learn(
    confirmed,
    [
      ['Cancel booking', question('Keep it', 'Cancel booking')],
      ['Cancel booking', cancelled],
    ],
    'Cancel a booking',
  )
  expect(readSteps(workflow)).toEqual([
    ['press_cancel_booking', true],
    ['wait_for_press_cancel_booking', undefined],
    ['press_cancel_booking_2', undefined],
  ])
  const wait = workflow.recipe?.steps.find(({ type }) => type === 'wait_for_node')
  expect(wait).toMatchObject({ selector: { text_equals: 'Cancel this booking?' } })
})

test('a run does not wait for a question with another button, and repeats only what opens it', () => {
  const workflow = learn(
    confirmed,
    [
      ['Cancel booking', question('Not now', 'Yes')],
      ['Yes', cancelled],
    ],
    'Cancel a booking',
  )
  expect(readSteps(workflow)).toEqual([
    ['press_cancel_booking', true],
    ['press_yes', undefined],
  ])
})

test('a press that may have done the work is not repeated', () => {
  const done = small(
    label('Your booking was cancelled', 960),
    button('Show receipt', 120, 1400),
    button('Fine', 560, 1400),
  )
  const workflow = learn(
    confirmed,
    [
      ['Cancel booking', done],
      ['Fine', cancelled],
    ],
    'Cancel a booking',
  )
  expect(readSteps(workflow)).toEqual([
    ['press_cancel_booking', undefined],
    ['press_fine', undefined],
  ])
})

const option = (words: string, checked: boolean, top: number): Sketch =>
  node(
    { clickable: 'true', ...bounds(80, top, 1000, top + 140) },
    node({
      class: 'android.widget.RadioButton',
      clickable: 'true',
      checkable: 'true',
      checked: String(checked),
      ...bounds(100, top + 20, 200, top + 120),
    }),
    text(words, bounds(240, top + 40, 900, top + 100)),
  )
const row = (words: string, top: number): Sketch =>
  node({ clickable: 'true', ...bounds(80, top, 1000, top + 140) }, text(words, bounds(120, top + 40, 900, top + 100)))

test('the row of a menu is no option of the window that it opens, although both have rows at the same paths', () => {
  const menu = small(...['View contact', 'Notifications', 'Search'].map((words, at) => row(words, 900 + at * 140)))
  const window = root(
    bounds(80, 1000, 1000, 1700),
    ...['8 hours', '1 week', 'Always'].map((words, at) => option(words, words === '1 week', 1000 + at * 140)),
  )
  const { steps } = learn(
    page(label('Running group', 100), button('More', 600, 80)),
    [
      ['More', menu],
      ['Notifications', window],
    ],
    'Open the notifications',
  )
  expect(steps.map(({ kind }) => kind)).toEqual(['press', 'press'])
})
