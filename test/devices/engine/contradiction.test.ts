import { expect, test } from 'vitest'
import { findContradictingMessage } from '../../../src/devices/engine/contradiction.ts'
import { RunHistory } from '../../../src/devices/engine/run-history.ts'
import { ScreenReading } from '../../../src/devices/engine/screen-reading.ts'
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
  history.act()
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
