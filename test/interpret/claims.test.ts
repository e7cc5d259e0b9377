import { expect, test } from 'vitest'
import { interpretTraces } from '../../src/knowledge/interpret/draft/interpret.ts'
import type { ObservedStep } from '../../src/knowledge/steps/observed-step.ts'
import { node, screen, type Sketch, text } from '../screen/tree-builder.ts'

const APP = 'com.example.parcels'
const place = (top: number, height = 100) => ({ package: APP, bounds: `[0,${top}][1000,${top + height}]` })
const label = (top: number, words: string): Sketch => text(words, place(top))
const button = (top: number, words: string): Sketch =>
  node({ ...place(top), class: 'android.widget.Button', text: words, clickable: 'true' })
const field = (top: number, words: string): Sketch =>
  node({ ...place(top), class: 'android.widget.EditText', text: words, clickable: 'true', 'resource-id': 'name' })
const row = (top: number, ...words: readonly string[]): Sketch =>
  node(
    { ...place(top, 150), clickable: 'true' },
    ...words.map((one, at) =>
      text(one, { package: APP, bounds: `[${at * 300},${top}][${at * 300 + 300},${top + 150}]` }),
    ),
  )
const list = (...rows: readonly (readonly string[])[]): Sketch =>
  node({ ...place(500, 1200), scrollable: 'true' }, ...rows.map((words, at) => row(500 + at * 150, ...words)))
/** All pages of the app have the same frame. */
const page = (...parts: readonly Sketch[]): Sketch[] => [
  label(0, 'Parcels'),
  node(
    { ...place(100) },
    ...['Home', 'Search', 'Help'].map((one, at) =>
      node({
        package: APP,
        clickable: 'true',
        'content-desc': one,
        bounds: `[${at * 333},100][${at * 333 + 333},200]`,
      }),
    ),
  ),
  ...parts,
]

interface Touch {
  readonly on: string
  readonly type?: string
  readonly page: readonly Sketch[]
}

/** Learns from the first page and the touches that lead to the next ones. */
function learn(first: readonly Sketch[], touches: readonly Touch[], goal: string) {
  let shown = first
  const steps = touches.map(({ on, type, page: next }, at): ObservedStep => {
    const toTree = (parts: readonly Sketch[]) =>
      screen(node({ package: APP, class: 'android.widget.FrameLayout', bounds: '[0,0][1000,2000]' }, ...parts))
    const before = toTree(shown)
    const touched = before.nodes.find(({ attributes }) =>
      [attributes['text'], attributes['content-desc'], attributes['resource-id']].includes(on),
    )
    shown = next
    return {
      event_id: `event-${at}`,
      trace_id: 'trace',
      kind: type === undefined ? 'tap' : 'text',
      app: APP,
      action_label: '',
      caused_state_change: true,
      created_at: '2026-03-01T12:00:00.000Z',
      before,
      after: toTree(next),
      ...(touched !== undefined && { node_path: touched.path }),
      ...(type !== undefined && { text: type }),
    }
  })
  return interpretTraces([{ trace_id: 'trace', steps }], { goal, marks: [] })
}

const parcels = page(
  label(300, 'All parcels'),
  list(['Red shoes', 'Open'], ['Blue hat', 'Pending'], ['Old lamp', 'Open']),
)

test('the page of an entry is not the list without the entry, although both have the same frame', () => {
  const opened = (...parts: readonly Sketch[]) => page(label(300, 'Parcel Red shoes'), ...parts)
  const { verification } = learn(
    parcels,
    [
      { on: 'Red shoes', page: opened(label(400, 'Status: Open'), button(600, 'Mark as received')) },
      { on: 'Mark as received', page: opened(label(400, 'Status: Received'), button(600, 'Report a problem')) },
    ],
    'Mark a parcel as received',
  )
  expect(verification.length).toBeGreaterThan(0)
  expect(verification.filter(({ present }) => present === false)).toEqual([])
})

test('a removed entry is proved on its list, by a part that the page of the last action does not have', () => {
  const { verification } = learn(
    parcels,
    [
      { on: 'Red shoes', page: page(label(300, 'Parcel Red shoes'), button(600, 'Delete')) },
      { on: 'Delete', page: page(label(300, 'All parcels'), list(['Blue hat', 'Pending'], ['Old lamp', 'Open'])) },
    ],
    'Delete a parcel',
  )
  expect(verification.map(({ present, selector }) => [present, selector.text_equals])).toEqual([
    [undefined, 'All parcels'],
    [false, undefined],
  ])
})

test('the values of an entry that is added must be new too, as another entry may show the same', () => {
  const draft = (name: string) => page(label(300, 'New parcel'), field(500, name), button(700, 'Save'))
  const { verification } = learn(
    page(label(300, 'All parcels'), list(['Blue hat', 'Anna'], ['Old lamp', 'Ben']), button(1800, 'Add')),
    [
      { on: 'Add', page: page(label(300, 'Who for'), list(['Cleo', 'Friend'], ['Dora', 'Friend'])) },
      { on: 'Cleo', page: draft('') },
      { on: 'name', type: 'Green vase', page: draft('Green vase') },
      {
        on: 'Save',
        page: page(
          label(300, 'All parcels'),
          list(['Green vase', 'Cleo'], ['Blue hat', 'Anna'], ['Old lamp', 'Ben']),
          button(1800, 'Add'),
        ),
      },
    ],
    'Add a parcel for somebody',
  )
  expect(verification.map(({ added }) => added)).toEqual([true, true])
})

const form = (name: string) => page(label(300, 'New parcel'), field(500, name), button(700, 'Save'))

test('an entry that is added must be new, and what other entries say is not tolerated', () => {
  const { verification } = learn(
    page(label(300, 'All parcels'), list(['Blue hat', 'Pending'], ['Old lamp', 'Open']), button(1800, 'Add')),
    [
      { on: 'Add', page: form('') },
      { on: 'name', type: 'Green vase', page: form('Green vase') },
      {
        on: 'Save',
        page: page(
          label(300, 'All parcels'),
          list(['Green vase', 'Open'], ['Blue hat', 'Pending'], ['Old lamp', 'Open']),
          button(1800, 'Add'),
        ),
      },
    ],
    'Add a parcel',
  )
  expect(verification).toMatchObject([{ text: expect.stringContaining('is in the list') as string, added: true }])
  expect(verification[0]?.tolerated).toBeUndefined()
})

test('an entry that gets another name may have that name already', () => {
  const { verification } = learn(
    parcels,
    [
      { on: 'Red shoes', page: form('Red shoes') },
      { on: 'name', type: 'Green shoes', page: form('Green shoes') },
      {
        on: 'Save',
        page: page(
          label(300, 'All parcels'),
          list(['Green shoes', 'Open'], ['Blue hat', 'Pending'], ['Old lamp', 'Open']),
        ),
      },
    ],
    'Rename a parcel',
  )
  expect(verification.length).toBeGreaterThan(0)
  expect(verification.filter(({ added }) => added === true)).toEqual([])
})

test('the text of a state is read before the press that brings it about', () => {
  const opened = (...parts: readonly Sketch[]) => page(label(300, 'Parcel Red shoes'), ...parts)
  const star = (words: string) =>
    node({ ...place(600), class: 'android.widget.ImageButton', 'content-desc': words, clickable: 'true' })
  const { recipe } = learn(
    parcels,
    [
      { on: 'Red shoes', page: opened(star('Add to favourites')) },
      { on: 'Add to favourites', page: opened(star('Remove from favourites')) },
    ],
    'Mark a parcel as a favourite',
  )
  const question = recipe?.steps.find(({ id }) => id === 'already_done')
  expect(question).toMatchObject({ type: 'expect', selector: { content_desc_equals: 'Remove from favourites' } })
})

test('steps that only open pages do not do the work, unless the goal is to look at them', () => {
  const opened = page(label(300, 'Red shoes'), label(400, 'Status: Open'), button(600, 'Archive'))
  const touches = [{ on: 'Red shoes', page: opened }]
  expect(learn(parcels, touches, 'Archive a parcel').doubts).toMatchObject([
    { field: 'success_condition', reason: expect.stringContaining('only open pages') as string },
  ])
  for (const goal of ['Show a parcel', 'Ein Paket öffnen']) expect(learn(parcels, touches, goal).doubts).toEqual([])
})

test('a button beside a message is part of the message', () => {
  const note = (words: string, action: string) =>
    node(
      place(1700, 150),
      text(words, place(1700)),
      node({ ...place(1800, 50), class: 'android.widget.Button', text: action, clickable: 'true' }),
    )
  const opened = (...parts: readonly Sketch[]) => page(label(300, 'Parcel Red shoes'), button(600, 'Hide'), ...parts)
  const { verification } = learn(
    parcels,
    [
      { on: 'Red shoes', page: opened() },
      { on: 'Hide', page: opened(note('The parcel is hidden.', 'Take it back')) },
    ],
    'Hide a parcel',
  )
  expect(verification).toMatchObject([
    { selector: { part_equals: 'The parcel is hidden.' }, transient: true, added: true },
  ])
})
