import { expect, test } from 'vitest'
import { interpretTraces } from '../../src/knowledge/interpret/draft/interpret.ts'
import { attribute, type Hierarchy } from '../../src/screen/tree/hierarchy.ts'
import { node, screen, type Sketch, text } from '../screen/tree-builder.ts'

const APP = 'com.example'
const bounds = (left: number, top: number, right: number, bottom: number) => ({
  bounds: `[${left},${top}][${right},${bottom}]`,
})
const label = (words: string, top: number) => text(words, bounds(40, top, 1040, top + 60))
const button = (words: string, top: number) =>
  node({ class: 'android.widget.Button', text: words, clickable: 'true', ...bounds(40, top, 400, top + 120) })
const page = (...parts: Sketch[]): Hierarchy =>
  screen(node({ class: 'android.widget.FrameLayout', package: APP, ...bounds(0, 0, 1080, 2400) }, ...parts))

function learn(...path: (Hierarchy | string)[]) {
  const steps = path.flatMap((words, at) => {
    const [before, after] = [path[at - 1], path[at + 1]]
    if (typeof words !== 'string' || typeof before !== 'object' || typeof after !== 'object') return []
    const shown = before.nodes.find((one) => attribute(one, 'text') === words) ?? expect.fail(`no ${words}`)
    const target = attribute(shown, 'clickable') === 'true' ? shown : (shown.parent ?? shown)
    return [
      {
        event_id: `e${at}`,
        trace_id: 't',
        kind: 'tap' as const,
        app: APP,
        action_label: 'Tap',
        node_path: target.path,
        caused_state_change: true,
        before,
        after,
        activity: '.Main',
        created_at: '2026-01-01T00:00:00.000Z',
      },
    ]
  })
  return interpretTraces([{ trace_id: 't', steps }], { marks: [], goal: 'Do something' })
}

test('the new label of a button is claimed together with a status that appeared with it', () => {
  const view = (action: string, ...parts: Sketch[]) => page(label('Yoga', 60), button(action, 600), ...parts)
  const alone = learn(view('Book'), 'Book', view('Cancel booking'))
  expect(alone.verification.map(({ text: one }) => one)).toEqual([expect.stringContaining('Cancel booking')])
  const told = learn(view('Book'), 'Book', view('Cancel booking', label('Booked', 900)))
  expect(told.verification.map(({ text: one }) => one)).toEqual([
    expect.stringContaining('Cancel booking'),
    expect.stringContaining('Booked'),
  ])
})

test('a message of several sentences is known by the sentence that names nobody', () => {
  const parts = [label('Settings', 60), button('Save', 600)]
  const words = 'Ada Lovelace was told. Your changes have been saved.'
  const { verification, recipe } = learn(page(...parts), 'Save', page(...parts, label(words, 1500)))
  expect(verification).toMatchObject([{ selector: { text_contains: 'Your changes have been saved.' } }])
  expect(JSON.stringify(recipe)).not.toContain('Ada')
})
