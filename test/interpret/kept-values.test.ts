import { expect, test } from 'vitest'
import { interpretTraces } from '../../src/knowledge/interpret/draft/interpret.ts'
import type { ObservedStep } from '../../src/knowledge/steps/observed-step.ts'
import { attribute, type Hierarchy } from '../../src/screen/tree/hierarchy.ts'
import { node, screen, type Sketch, text } from '../screen/tree-builder.ts'

const APP = 'com.example'
const place = (top: number, left = 0, right = 1080) => ({ bounds: `[${left},${top}][${right},${top + 100}]` })
const page = (...parts: Sketch[]): Hierarchy =>
  screen(node({ class: 'android.widget.FrameLayout', package: APP, bounds: '[0,0][1080,2400]' }, ...parts))
const dialog = (...parts: Sketch[]): Hierarchy =>
  screen(node({ class: 'android.widget.FrameLayout', package: APP, bounds: '[60,600][1020,1800]' }, ...parts))
const button = (words: string, top: number, left = 0, right = 1080) =>
  node({ class: 'android.widget.Button', text: words, clickable: 'true', ...place(top, left, right) })

/** A demonstration: screens, and between them the text of what was tapped. */
function learn(goal: string, ...path: (Hierarchy | string)[]) {
  const steps: ObservedStep[] = []
  for (let at = 1; at < path.length; at += 2) {
    const [before, words, after] = [path[at - 1] as Hierarchy, path[at] as string, path[at + 1] as Hierarchy]
    const shown = before.nodes.find((one) => attribute(one, 'text') === words) ?? expect.fail(`no ${words}`)
    const target = attribute(shown, 'clickable') === 'true' ? shown : (shown.parent ?? shown)
    steps.push({
      event_id: `e${steps.length + 1}`,
      trace_id: 't',
      kind: 'tap',
      app: APP,
      action_label: 'Tap',
      node_path: target.path,
      caused_state_change: true,
      before,
      after,
      activity: '.Main',
      created_at: '2026-01-01T00:00:00.000Z',
    })
  }
  return interpretTraces([{ trace_id: 't', steps }], { marks: [], goal })
}

const option = (words: string, at: number, selected: boolean) =>
  node(
    {
      class: 'android.view.View',
      clickable: 'true',
      selected: String(selected),
      ...place(1200, at * 300, at * 300 + 280),
    },
    text(words, place(1210, at * 300 + 20, at * 300 + 260)),
  )
const settings = (sound: string, vibration: string) =>
  page(
    text('Settings', place(60)),
    node(
      { class: 'android.view.View', clickable: 'true', ...place(400) },
      text('Alarm sound', place(410, 40, 500)),
      text(sound, place(460, 40, 500)),
    ),
    node(
      { class: 'android.view.View', ...place(1200) },
      ...['Off', 'Short', 'Long'].map((words, at) => option(words, at, words === vibration)),
    ),
  )
const sounds = (chosen: string) =>
  dialog(
    text('Alarm sound', { bounds: '[100,640][980,740]' }),
    ...['Chime', 'Egg timer', 'Gong'].map((words, at) =>
      node({
        class: 'android.widget.RadioButton',
        text: words,
        clickable: 'true',
        checkable: 'true',
        checked: String(words === chosen),
        ...place(800 + at * 150, 100, 980),
      }),
    ),
    button('OK', 1600, 700, 980),
  )

test('a value that was chosen in a dialog before the last action is claimed too', () => {
  const { verification } = learn(
    'Choose the sound and the vibration',
    settings('Chime', 'Off'),
    'Alarm sound',
    sounds('Chime'),
    'Egg timer',
    sounds('Egg timer'),
    'OK',
    settings('Egg timer', 'Off'),
    'Long',
    settings('Egg timer', 'Long'),
  )
  expect(verification.map(({ inputs }) => inputs).flat()).toHaveLength(2)
  expect(verification.some(({ selector }) => selector.shows !== undefined)).toBe(true)
})

/** Rows of a web page: the title is a link, the other cells are texts. */
const holds = (...rows: (readonly [string, string])[]) =>
  page(
    text('Your holds', place(60)),
    ...rows.map(([title, position], at) =>
      node(
        {
          class: 'android.view.View',
          ...place(400 + at * 200),
          bounds: `[0,${400 + at * 200}][1080,${580 + at * 200}]`,
        },
        node({ class: 'android.view.View', text: title, clickable: 'true', ...place(410 + at * 200, 40, 400) }),
        text(position, { bounds: `[40,${510 + at * 200}][400,${570 + at * 200}]` }),
        button('Cancel', 420 + at * 200, 800, 1040),
      ),
    ),
  )

test('the title of a row of a web page names it, although it is a link, and its absence is claimed for that node', () => {
  const rows = [
    ['Klara and the Sun', 'Ready for pickup'],
    ['Neuromancer', 'Position 4 of 9'],
    ['The Overstory', 'Position 1 of 2'],
    ['Educated', 'In transit'],
  ] as const
  const start = holds(...rows)
  const target = start.nodes.filter((one) => attribute(one, 'text') === 'Cancel')[2] ?? expect.fail('no button')
  const end = holds(...rows.filter(([title]) => title !== 'The Overstory'))
  const step: ObservedStep = {
    event_id: 'e1',
    trace_id: 't',
    kind: 'tap',
    app: APP,
    action_label: 'Tap',
    node_path: target.path,
    caused_state_change: true,
    before: start,
    after: end,
    activity: '.Main',
    created_at: '2026-01-01T00:00:00.000Z',
  }
  const workflow = interpretTraces([{ trace_id: 't', steps: [step] }], { marks: [], goal: 'Cancel a hold' })
  expect(workflow.inputs).toMatchObject([{ example: 'The Overstory' }])
  expect(workflow.verification.find(({ present }) => present === false)).toMatchObject({
    selector: { class: 'android.view.View' },
  })
})
