import { expect, test } from 'vitest'
import { interpretTraces } from '../../src/knowledge/interpret/draft/interpret.ts'
import type { ObservedStep } from '../../src/knowledge/steps/observed-step.ts'
import { attribute, type Hierarchy } from '../../src/screen/tree/hierarchy.ts'
import { node, screen, type Sketch, text } from '../screen/tree-builder.ts'

const APP = 'com.example'
const bounds = (left: number, top: number, right: number, bottom: number) => ({
  bounds: `[${left},${top}][${right},${bottom}]`,
})
const label = (words: string, top: number, more = {}) => text(words, { ...bounds(40, top, 1040, top + 60), ...more })
const button = (words: string, top: number) =>
  node({ class: 'android.widget.Button', text: words, clickable: 'true', ...bounds(40, top, 400, top + 120) })
const field = (words: string, top: number) =>
  node({ class: 'android.widget.EditText', text: words, clickable: 'true', ...bounds(40, top, 1040, top + 120) })
const page = (...parts: Sketch[]): Hierarchy =>
  screen(node({ class: 'android.widget.FrameLayout', package: APP, ...bounds(0, 0, 1080, 2400) }, ...parts))
const message = (words: string): Sketch => text(words, bounds(24, 2200, 1056, 2340))

/** Rows of a name and a number, in a list that scrolls. */
const list = (...rows: (readonly [string, string])[]): Sketch =>
  node(
    { class: 'androidx.recyclerview.widget.RecyclerView', scrollable: 'true', ...bounds(0, 300, 1080, 2000) },
    ...rows.map(([name, number], at) =>
      node(
        { class: 'android.view.ViewGroup', clickable: 'true', ...bounds(0, 300 + at * 150, 1080, 440 + at * 150) },
        text(name, bounds(40, 310 + at * 150, 700, 370 + at * 150)),
        text(number, bounds(720, 310 + at * 150, 1040, 370 + at * 150)),
      ),
    ),
  )

interface Touch {
  readonly on: string
  readonly type?: string
  readonly page: Hierarchy
}

function learn(start: Hierarchy, touches: readonly Touch[], goal: string) {
  const steps = touches.map(({ on, type, page: after }, at): ObservedStep => {
    const before = touches[at - 1]?.page ?? start
    const shown = before.nodes.find((one) => attribute(one, 'text') === on) ?? expect.fail(`no ${on}`)
    const target = attribute(shown, 'clickable') === 'true' ? shown : (shown.parent ?? shown)
    return {
      event_id: `e${at + 1}`,
      trace_id: 't',
      kind: type === undefined ? 'tap' : 'text',
      app: APP,
      action_label: 'Tap',
      node_path: target.path,
      ...(type !== undefined && { text: type }),
      caused_state_change: true,
      before,
      after,
      activity: '.Main',
      created_at: '2026-01-01T00:00:00.000Z',
    }
  })
  return interpretTraces([{ trace_id: 't', steps }], { marks: [], goal })
}

const listStepIds = ({ recipe }: ReturnType<typeof learn>): string[] => recipe?.steps.map(({ id }) => id) ?? []

const menu = screen(
  node(
    { class: 'android.widget.FrameLayout', package: APP, ...bounds(400, 100, 1060, 700) },
    ...['Mute', 'Archive', 'Delete'].map((words, at) =>
      node(
        {
          class: 'android.widget.LinearLayout',
          clickable: 'true',
          ...bounds(400, 100 + at * 140, 1060, 240 + at * 140),
        },
        text(words, bounds(440, 120 + at * 140, 1000, 200 + at * 140)),
      ),
    ),
  ),
)
const chat = (...parts: Sketch[]) => page(label('Choir', 60), button('Options', 160), label('See you', 800), ...parts)

test('after a message about a menu the menu is opened again: it must no longer offer what was pressed', () => {
  const workflow = learn(
    chat(),
    [
      { on: 'Options', page: menu },
      { on: 'Mute', page: chat(message('Conversation muted')) },
    ],
    'Mute a conversation',
  )
  expect(listStepIds(workflow)).toEqual(['press_options', 'press_mute', 'see_message', 'wait', 'press_options_again'])
  const [, absent] = workflow.verification
  expect(absent).toMatchObject({ present: false, selector: { containing: { part_equals: 'Mute' } } })
  expect(workflow.verification[0]?.transient).toBeUndefined()
  // "Unmute" stands where "Mute" stood, so the row at that place must say the same action.
  expect(workflow.recipe?.steps[1]?.fallbacks).toMatchObject([{ page: { at: 0, floating: true }, means: ['mute'] }])
})

test('what a menu led to is not opened again after a message, because the menu may offer the opposite then', () => {
  const window = (chosen: string) =>
    screen(
      node(
        { class: 'android.widget.FrameLayout', package: APP, ...bounds(60, 800, 1020, 1500) },
        text('For how long?', bounds(100, 820, 900, 880)),
        ...['1 hour', '1 week', 'Always'].map((words, at) =>
          node({
            class: 'android.widget.RadioButton',
            text: words,
            clickable: 'true',
            checkable: 'true',
            checked: String(words === chosen),
            ...bounds(100, 900 + at * 130, 980, 1020 + at * 130),
          }),
        ),
        button('Save', 1300),
      ),
    )
  const workflow = learn(
    chat(),
    [
      { on: 'Options', page: menu },
      { on: 'Mute', page: window('1 hour') },
      { on: '1 week', page: window('1 week') },
      { on: 'Save', page: chat(message('Conversation muted')) },
    ],
    'Mute a conversation',
  )
  expect(workflow.steps.map(({ kind }) => kind)).toEqual(['press', 'press', 'pick', 'press'])
  expect(workflow.recipe?.steps).toHaveLength(4)
  expect(workflow.verification).toMatchObject([{ transient: true, selector: { part_equals: 'Conversation muted' } }])
})

test('after a message about an entry that was chosen, its number must be another one', () => {
  const rows = list(['Focus', '5 songs'], ['Road trip', '7 songs'], ['Morning', '2 songs'])
  const workflow = learn(
    chat(),
    [
      { on: 'Options', page: page(label('Playlists', 60), rows) },
      { on: 'Road trip', page: chat(message('Added to the playlist')) },
    ],
    'Add a song to a playlist',
  )
  expect(listStepIds(workflow).slice(-3)).toEqual(['see_message', 'wait', 'press_options_again'])
  expect(workflow.verification).toMatchObject([{ changed: true }])
})

const tasks = (...parts: Sketch[]) =>
  page(label('Tasks', 60), list(['Buy milk', '1'], ['Call Ada', '2'], ['Mow', '3']), button('New', 2050), ...parts)
const form = (words: string) => page(label('New task', 60), field(words, 300), button('Save', 1000))

test('what a message says was added is searched in the list that the last page shows', () => {
  const workflow = learn(
    tasks(),
    [
      { on: 'New', page: form('') },
      { on: '', type: 'Water plants', page: form('Water plants') },
      { on: 'Save', page: tasks(message('Task added')) },
    ],
    'Add a task',
  )
  expect(listStepIds(workflow).slice(-2)).toEqual(['see_message', expect.stringMatching(/^show_/)])
  expect(workflow.verification).toMatchObject([
    { added: true, selector: { part_equals: expect.stringMatching(/^\$\{/) } },
  ])
})

test('an entry whose name a message joins from two texts is searched by both', () => {
  const contact = (first: string, last: string) =>
    page(label('New contact', 60), field(first, 300), field(last, 500), button('Save', 1000))
  const workflow = learn(
    tasks(),
    [
      { on: 'New', page: contact('First', 'Last') },
      { on: 'First', type: 'Rosa', page: contact('Rosa', 'Last') },
      { on: 'Last', type: 'Keller', page: contact('Rosa', 'Keller') },
      { on: 'Save', page: tasks(message('Rosa Keller added')) },
    ],
    'Add a contact',
  )
  const [claim] = workflow.verification
  expect(claim?.selector.part_equals?.match(/\$\{inputs\.\w+\}/g)).toHaveLength(2)
})

test('a message about something that no known screen shows stays a message', () => {
  const sent = chat(message('Invitation sent'))
  const workflow = learn(chat(), [{ on: 'Options', page: sent }], 'Send an invitation')
  expect(listStepIds(workflow)).toEqual(['press_options'])
  expect(workflow.verification).toMatchObject([{ transient: true, added: true }])
})

test.each<[string, Sketch, boolean]>([
  ['across the lower edge', message('Rating kept'), true],
  ['that covers a part of the page', text('Rating kept', bounds(100, 780, 900, 880)), true],
  ['with the name of a message', label('Rating kept', 1500, { 'resource-id': `${APP}:id/snackbar_text` }), true],
  ['that is a sentence', label('Your rating was kept.', 1500), true],
  ['of two words in the middle', label('Rating kept', 1500), false],
  ['directly below another text', label('Your rating was kept.', 870), false],
  ['beside another text', text('Your rating was kept.', bounds(1041, 800, 1080, 860)), false],
])('a text %s is a message or not', (_where, shown, isMessage) => {
  const { verification } = learn(chat(), [{ on: 'Options', page: chat(shown) }], 'Rate something')
  expect(verification).toHaveLength(1)
  expect(verification[0]?.transient === true).toBe(isMessage)
})
