import { expect, test } from 'vitest'
import { interpretTraces } from '../../../src/knowledge/interpret/draft/interpret.ts'
import { attribute, type Hierarchy } from '../../../src/screen/tree/hierarchy.ts'
import { node, screen, type Sketch, text } from '../../screen/tree-builder.ts'

const APP = 'com.example'
const bounds = (left: number, top: number, right: number, bottom: number) => ({
  bounds: `[${left},${top}][${right},${bottom}]`,
})

/** A row with a name and a control, as an app draws the fixed parts of a project. */
const row = (name: string, action: string, at: number): Sketch => {
  const top = 440 + at * 180
  return node(
    bounds(0, top, 1080, top + 160),
    text(name, bounds(48, top, 400, top + 60)),
    node(
      { clickable: 'true', ...bounds(900, top, 1032, top + 132) },
      node({ 'content-desc': action, ...bounds(900, top, 1032, top + 132) }),
    ),
  )
}
const page = (...rows: readonly (readonly [string, string])[]): Hierarchy =>
  screen(
    node(
      { class: 'android.widget.FrameLayout', package: APP, ...bounds(0, 0, 1080, 2400) },
      text('Relaunch', bounds(48, 60, 1032, 130)),
      node(bounds(0, 400, 1080, 2000), ...rows.map(([name, action], at) => row(name, action, at))),
    ),
  )

function learn(before: Hierarchy, after: Hierarchy, action: string) {
  const control = before.nodes.find((one) => attribute(one, 'content-desc') === action)?.parent
  return interpretTraces(
    [
      {
        trace_id: 't',
        steps: [
          {
            event_id: 'e1',
            trace_id: 't',
            kind: 'tap',
            app: APP,
            action_label: 'Tap',
            node_path: control?.path ?? expect.fail('no control'),
            caused_state_change: true,
            before,
            after,
            activity: '.Main',
            created_at: '2026-01-01T00:00:00.000Z',
          },
        ],
      },
    ],
    { marks: [], goal: 'Start the timer' },
  )
}

test('a control that each row has is pressed in the row that an input names', () => {
  const before = page(['Concept', 'Start timer'], ['Design', 'Start timer'], ['Testing', 'Start timer'])
  const after = page(['Concept', 'Stop timer'], ['Design', 'Start timer'], ['Testing', 'Start timer'])
  expect(learn(before, after, 'Start timer').inputs).toMatchObject([{ example: 'Concept' }])
})

test('a control that only one row has is a part of the app', () => {
  const before = page(['Concept', 'Start timer'], ['Design', 'Rename'], ['Testing', 'Share'])
  const after = page(['Concept', 'Stop timer'], ['Design', 'Rename'], ['Testing', 'Share'])
  expect(learn(before, after, 'Start timer').inputs).toEqual([])
})
