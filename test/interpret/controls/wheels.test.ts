import { expect, test } from 'vitest'
import { interpretTraces } from '../../../src/knowledge/interpret/draft/interpret.ts'
import { normalizeTrace } from '../../../src/knowledge/interpret/normalize/normalize.ts'
import { node, type Sketch, text } from '../../screen/tree-builder.ts'
import { demonstrate, type Touch } from './demonstration.ts'

/** Two wheels side by side, as the time picker of Android draws them. An end of the range has no neighbour. */
function draw(hour: number, minute: number): Sketch {
  return node(
    { bounds: '[0,0][1080,2200]' },
    text('Reminder', { bounds: '[40,60][800,160]' }),
    drawWheel(hour, 0, 23, 100),
    drawWheel(minute, 0, 59, 500),
  )
}

function drawWheel(value: number, min: number, max: number, left: number): Sketch {
  const at = (top: number) => `[${left},${top}][${left + 240},${top + 150}]`
  const neighbour = (number: number, top: number): Sketch[] =>
    number < min || number > max
      ? []
      : [node({ class: 'android.widget.Button', text: String(number), clickable: 'true', bounds: at(top) })]
  return node(
    { class: 'android.widget.NumberPicker', bounds: `[${left},400][${left + 240},850]` },
    ...neighbour(value - 1, 400),
    node({ class: 'android.widget.EditText', text: String(value), clickable: 'true', bounds: at(550) }),
    ...neighbour(value + 1, 700),
  )
}

const read = (first: Sketch, ...steps: readonly (readonly [Touch, Sketch])[]) =>
  normalizeTrace(demonstrate(first, ...steps), new Set()).intents.map(({ kind, adjustment }) => [
    kind,
    adjustment?.from,
    adjustment?.to,
    adjustment?.increase?.attributes['text'],
    adjustment?.decrease?.attributes['text'],
  ])

test('a tap on a neighbour turns the wheel', () => {
  expect(read(draw(7, 30), [{ on: '8' }, draw(8, 30)], [{ on: '9' }, draw(9, 30)])).toEqual([
    ['adjust', 7, 9, '8', '6'],
  ])
})

test('both wheels are set on their own', () => {
  expect(read(draw(7, 30), [{ on: '6' }, draw(6, 30)], [{ on: '31' }, draw(6, 31)])).toEqual([
    ['adjust', 7, 6, '8', '6'],
    ['adjust', 30, 31, '31', '29'],
  ])
})

test('a swipe over a wheel sets its value', () => {
  const swipe: Touch = { kind: 'scroll', direction: 'down', on: '30' }
  expect(read(draw(7, 30), [swipe, draw(7, 45)])).toEqual([['adjust', 30, 45, '31', '29']])
})

test('a wheel at the end of its values has one neighbour', () => {
  const swipe: Touch = { kind: 'scroll', direction: 'down', on: '0' }
  expect(read(draw(7, 0), [swipe, draw(7, 5)])).toEqual([['adjust', 0, 5, '1', undefined]])
})

test('wheels of a dialog whose parts have ids of the framework are told apart by the wheel', () => {
  const drawDialog = (hour: number, minute: number) => {
    const wheels = [drawWheel(hour, 0, 23, 100), drawWheel(minute, 0, 59, 500)].map((wheel, at) => ({
      ...wheel,
      attributes: { ...wheel.attributes, 'resource-id': `com.example:id/${at === 0 ? 'hour' : 'minute'}` },
      children: (wheel.children ?? []).map((part) =>
        part.attributes?.['class'] === 'android.widget.EditText'
          ? { ...part, attributes: { ...part.attributes, 'resource-id': 'android:id/numberpicker_input' } }
          : part,
      ),
    }))
    return node({ bounds: '[60,300][900,1000]', 'resource-id': 'com.example:id/parentPanel' }, ...wheels)
  }
  const trace = demonstrate(drawDialog(7, 30), [{ on: '8' }, drawDialog(8, 30)], [{ on: '31' }, drawDialog(8, 31)])
  const { steps } = interpretTraces([trace], { goal: 'Set the time', marks: [] })
  expect(steps.map(({ kind, doubt }) => [kind, doubt])).toEqual([
    ['adjust', undefined],
    ['adjust', undefined],
  ])
})
