import { expect, test } from 'vitest'
import { findContradictingMessage, findContradictionBeside } from '../../../src/devices/engine/contradiction.ts'
import { RunHistory } from '../../../src/devices/engine/run-history.ts'
import { ScreenReading } from '../../../src/devices/engine/screen-reading.ts'
import { attribute } from '../../../src/screen/tree/hierarchy.ts'
import { node, screen, type Sketch, text } from '../../screen/tree-builder.ts'

const line = (at: number) => ({ bounds: `[40,${200 + at * 120}][1040,${280 + at * 120}]` })
const button = (label: string, at: number) =>
  node({ class: 'android.widget.Button', text: label, clickable: 'true', ...line(at) })
const read = (...parts: readonly Sketch[]) =>
  new ScreenReading(screen(node({}, ...parts)), 0, { serial: 'phone', startedMs: 0, finishedMs: 0 })

/** Reads two pages with a touch between them. */
function findAfterTouch(before: ScreenReading, after: ScreenReading, tolerated: readonly string[] = []) {
  const history = new RunHistory()
  history.add(before)
  history.act(0)
  history.add(after)
  return findContradictingMessage(after, { history, tolerated, given: [], language: 'unknown' })
}

const form = read(text('New code', line(0)), text('Name', line(1)), button('Create code', 8))

test('a page that was not open before contradicts with any of its texts', () => {
  const waiting = read(text('Nina Berg', line(0)), text('482 915', line(1)), text('Waiting for the bridge', line(2)))
  expect(findAfterTouch(form, waiting)).toEqual({ text: 'Waiting for the bridge', kind: 'waiting' })
  expect(findAfterTouch(form, waiting, ['Waiting for the bridge'])).toBeUndefined()
})

test('the labels of its controls and other entries contradict nothing', () => {
  const entry = (name: string, state: string, at: number) =>
    node(
      {
        class: 'android.widget.LinearLayout',
        clickable: 'true',
        bounds: `[0,${600 + at * 200}][1080,${800 + at * 200}]`,
      },
      text(name, { bounds: `[40,${610 + at * 200}][700,${680 + at * 200}]` }),
      text(state, { bounds: `[40,${690 + at * 200}][700,${760 + at * 200}]` }),
    )
  const list = node(
    { class: 'androidx.recyclerview.widget.RecyclerView', scrollable: 'true', bounds: '[0,600][1080,1600]' },
    entry('Plumber', 'Pending', 0),
    entry('Gardener', 'Active', 1),
    entry('Cleaner', 'Active', 2),
  )
  const done = read(text('Nina Berg', line(0)), text('482 915', line(1)), button('Report an error', 2), list)
  expect(findAfterTouch(form, done)).toBeUndefined()
})

/** Sends a message from a page with an older one. The status of each stands below it, without a box around both. */
function findBesideSent(status: string, given: readonly string[] = []) {
  const label = (words: string, top: number) => text(words, { bounds: `[40,${top}][640,${top + 50}]` })
  const older = [label('See you', 200), label('09:12 · Pending', 250)]
  const history = new RunHistory()
  history.add(read(...older))
  history.act(0)
  const after = read(...older, label('On my way', 340), label(`18:30 · ${status}`, 390))
  history.add(after)
  const sent = after.hierarchy.nodes.find((one) => attribute(one, 'text') === 'On my way') ?? expect.fail('not sent')
  return findContradictionBeside(sent, { history, tolerated: [], given, language: 'unknown' })
}

test('a new status on the line below a claimed text contradicts it, an older one does not', () => {
  expect(findBesideSent('Not delivered')).toEqual({ text: 'Not delivered', kind: 'failure' })
  expect(findBesideSent('Delivered')).toBeUndefined()
})

test('a status is no repetition of the button whose word it begins with', () => {
  expect(findBesideSent('Sending', ['Send'])).toEqual({ text: 'Sending', kind: 'waiting' })
  expect(findBesideSent('Note on errors', ['note on errors'])).toBeUndefined()
})
