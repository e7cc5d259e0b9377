import { expect, test } from 'vitest'
import { interpretTraces } from '../../src/knowledge/interpret/draft/interpret.ts'
import { attribute, type Hierarchy } from '../../src/screen/tree/hierarchy.ts'
import { node, screen, type Sketch, text } from '../screen/tree-builder.ts'

const APP = 'com.example'
const bounds = (left: number, top: number, right: number, bottom: number) => ({
  bounds: `[${left},${top}][${right},${bottom}]`,
})

/** A task without a name, and beside it a control that is named by what is inside it. */
const task = (action: string, top: number): Sketch[] => [
  node({ class: 'android.widget.ImageView', ...bounds(48, top, 400, top + 60) }),
  ...(action === 'Stop timer' ? [text('Running', bounds(48, top + 66, 400, top + 110))] : []),
  node(
    { clickable: 'true', ...bounds(900, top, 1032, top + 132) },
    node({ 'content-desc': action, ...bounds(900, top, 1032, top + 132) }),
  ),
]
const page = (...actions: readonly string[]): Hierarchy =>
  screen(
    node(
      { class: 'android.widget.FrameLayout', package: APP, ...bounds(0, 0, 1080, 2400) },
      text('Relaunch', bounds(48, 60, 1032, 130)),
      node(bounds(0, 400, 1080, 2000), ...actions.flatMap((action, at) => task(action, 440 + at * 180))),
    ),
  )

function learnPress(before: Hierarchy, after: Hierarchy, nth: number) {
  const controls = before.nodes.filter((one) => attribute(one, 'clickable') === 'true')
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
            node_path: controls[nth]?.path ?? expect.fail('no control'),
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

test('a control that is known by its number only is not pressed if the outcome is shown already', () => {
  const workflow = learnPress(
    page('Start timer', 'Start timer', 'Start timer'),
    page('Start timer', 'Stop timer', 'Start timer'),
    1,
  )
  const { steps = [] } = workflow.recipe ?? {}
  expect(steps.at(-1)?.selector?.index).toBeDefined()
  expect(steps.at(-2)).toMatchObject({ id: 'not_done_yet', type: 'expect', params: { present: false } })
})

test('a control that is known by what it says is pressed without that question', () => {
  const workflow = learnPress(page('Start timer', 'Pause', 'Share'), page('Stop timer', 'Pause', 'Share'), 0)
  expect(workflow.recipe?.steps.map(({ id }) => id)).not.toContain('not_done_yet')
})
