import fc from 'fast-check'
import { expect, test } from 'vitest'
import { bindWords, findUsingStep, proposeElements } from '../../src/knowledge/interpret/prove/pointed-elements.ts'
import type { ObservedStep, ObservedTrace } from '../../src/knowledge/steps/observed-step.ts'
import type { Hierarchy } from '../../src/screen/tree/hierarchy.ts'
import { node, screen, text } from '../screen/tree-builder.ts'

const HOME = screen(node({}, text('Welcome'), text('Send'), text('Orders')))

function makeTrace(...screens: readonly Hierarchy[]): ObservedTrace {
  const steps = screens.slice(1).map((after, at): ObservedStep => {
    const before = screens[at] ?? after
    return {
      event_id: `e${at + 1}`,
      trace_id: 't',
      kind: 'tap',
      app: 'com.example',
      action_label: 'Tap',
      node_path: '0.1',
      caused_state_change: true,
      before,
      after,
      created_at: '2026-01-01T00:00:00.000Z',
    }
  })
  return { trace_id: 't', steps }
}

const readBound = (words: string, trace: ObservedTrace): string | undefined => {
  const ref = bindWords(words, [trace])
  const step = trace.steps.find(({ event_id }) => event_id === ref?.event_id)
  return step?.after?.nodes.find(({ path }) => path === ref?.node_path)?.attributes['text']
}

test('words bind to the element that shows them and was not there before', () => {
  const trace = makeTrace(HOME, screen(node({}, text('Welcome'), text('Message sent'), text('Orders'))))
  expect(readBound('It says message sent', trace)).toBe('Message sent')
  expect(readBound('MESSAGE SENT!', trace)).toBe('Message sent')
  // What was there before is meant only if it is quoted.
  expect(readBound('The orders are shown', trace)).toBeUndefined()
  expect(readBound('It shows "Orders"', trace)).toBe('Orders')
  expect(readBound('Somebody calls back', trace)).toBeUndefined()
  expect(readBound('The messages were sent', trace)).toBeUndefined()
})

test('a bound element always shows words of the answer', () => {
  const word = fc.constantFrom('sent', 'saved', 'order', 'ready', 'Ada', 'on')
  const label = fc.array(word, { minLength: 1, maxLength: 3 }).map((words) => words.join(' '))
  fc.assert(
    fc.property(fc.array(label, { maxLength: 5 }), fc.array(label, { maxLength: 5 }), label, (before, after, words) => {
      const trace = makeTrace(
        screen(node({}, ...before.map((one) => text(one)))),
        screen(node({}, ...after.map((one) => text(one)))),
      )
      const bound = readBound(words, trace)
      if (bound === undefined) return
      expect(after).toContain(bound)
      expect(` ${words} `).toContain(` ${bound} `)
    }),
  )
})

test('what is new on the last screens is proposed first, at most eight, with distinct sentences', () => {
  const many = Array.from({ length: 12 }, (_, at) => text(`Line ${'abcdefghijkl'[at]}`))
  const trace = makeTrace(
    HOME,
    screen(node({}, text('Welcome'), text('Paid'), text('Paid'))),
    screen(node({}, ...many)),
  )
  const proposed = proposeElements([trace])
  expect(proposed).toHaveLength(8)
  expect(new Set(proposed.map(({ text: sentence }) => sentence)).size).toBe(8)
  const [first] = proposeElements([makeTrace(HOME, screen(node({}, text('Welcome'), text('Paid'))))])
  expect(first).toMatchObject({ text: 'The screen shows "Paid"', event_id: 'e1', node_path: '0.1' })
  expect(proposeElements([])).toEqual([])
})

test('the step that used an element is found by the element or by its words', () => {
  const trace = makeTrace(HOME, screen(node({}, text('Sent to'), text('Ada'))))
  const find = (path: string, tree: Hierarchy | undefined) => {
    const found = tree?.nodes.find((one) => one.path === path)
    return found && findUsingStep(found, [trace])?.event_id
  }
  expect(find('0.1', trace.steps[0]?.before)).toBe('e1')
  expect(find('0.0', trace.steps[0]?.before)).toBeUndefined()
  expect(find('0.1', trace.steps[0]?.after)).toBeUndefined()
})
