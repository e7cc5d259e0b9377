import fc from 'fast-check'
import { expect, test } from 'vitest'
import { APP, appWith, main } from './document-app.ts'
import { dump, find, tap, texts, type DumpNode } from './phone-shell.ts'
import { countRuns } from '../kit/count-runs.ts'

const screen = main({
  title: 'Tasks',
  content: [
    {
      type: 'choice',
      look: 'tabs',
      bind: 'saved.tab',
      options: [
        { value: 'a', text: 'Active' },
        { value: 'd', text: 'Done' },
      ],
    },
    { type: 'field', id: ':search', bind: 'saved.query', hint: 'Search' },
    {
      type: 'row',
      children: [
        { type: 'text', text: 'Alerts' },
        { type: 'switch', bind: 'saved.on' },
      ],
    },
    {
      type: 'list',
      items: 'saved.items',
      height: 600,
      template: [
        {
          type: 'row',
          height: 160,
          on_tap: [{ do: 'set', target: 'saved.opened', value: '{item}' }],
          children: [
            { type: 'image', icon: 'm' },
            {
              type: 'column',
              weight: 1,
              children: [
                { type: 'text', text: '{item}' },
                { type: 'text', text: 'today' },
              ],
            },
            { type: 'image', description: 'More about {item}', on_tap: [] },
          ],
        },
      ],
    },
    { type: 'button', id: 'save', text: 'Save', class: 'android.widget.Special' },
    { type: 'button', text: 'Add', on_tap: [{ do: 'dialog', dialog: 'sure' }] },
  ],
})

const document = (toolkit: string) => ({
  toolkit,
  saved: { tab: 'a', query: '', on: true, items: ['Milk', 'Bread'], opened: '' },
  ...screen,
  dialogs: { sure: { title: 'Sure?', buttons: [{ text: 'Yes' }] } },
})

/** Class (last part), text and description of the nodes, and how deep they are below `android:id/content`. */
const outline = (nodes: readonly DumpNode[]) => {
  const content = nodes.findIndex(({ attributes }) => attributes['resource-id'] === 'android:id/content')
  const start = nodes[content]?.depth ?? 0
  return nodes.slice(content + 1).map(({ attributes, depth }) => {
    const name = (attributes['class'] ?? '').split('.').at(-1)
    const words = [attributes['text'], attributes['content-desc']].map((word) => (word ?? '').replaceAll('\n', '|'))
    return `${depth - start} ${name} ${words.filter(Boolean).join(' = ')}`.trim()
  })
}

test.each([
  [
    'compose',
    [
      '1 ComposeView',
      '4 TextView Tasks',
      '5 View',
      '6 TextView Active',
      '4 EditText',
      '5 TextView Search',
      '4 TextView Alerts',
      '5 View',
      '6 TextView Milk',
      '6 TextView today',
      '6 View',
      '7 View More about Milk',
      '7 Button',
      '4 Special Save',
      '5 TextView Add',
    ],
    ['ImageView', 'LinearLayout', 'RecyclerView', 'Switch'],
  ],
  [
    'react-native',
    [
      '1 FrameLayout',
      '4 ViewGroup',
      '5 TextView Tasks',
      '6 ViewGroup Active',
      '4 EditText Search',
      '4 Switch',
      '4 ScrollView',
      '5 ViewGroup',
      '6 ViewGroup Milk, today',
      '7 ImageView',
      '7 TextView Milk',
      '7 ViewGroup More about Milk',
      '4 Special Save',
      '4 Button Add',
      '5 TextView Add',
    ],
    ['LinearLayout', 'RecyclerView', 'ImageButton'],
  ],
  [
    'flutter',
    [
      '5 View Tasks',
      '6 View Active|Tab 1 of 2',
      '5 EditText',
      '5 View Alerts',
      '5 Switch',
      '5 ScrollView',
      '6 View Milk|today',
      '7 Button More about Milk',
      '5 Special Save',
      '5 Button Add',
    ],
    ['TextView', 'LinearLayout', 'RecyclerView', 'ImageView'],
  ],
  [
    'webview',
    [
      '1 WebView',
      '4 TextView Tasks',
      '5 View Active',
      '4 EditText',
      '4 ToggleButton',
      '5 View Milk today',
      '6 Image',
      '6 TextView Milk',
      '6 Button More about Milk',
      '4 Special Save',
      '4 Button Add',
    ],
    ['LinearLayout', 'RecyclerView', 'ImageView'],
  ],
])('%s presents the same nodes as its own tree', async (toolkit, expected, absent) => {
  const { phone } = await appWith(document(toolkit))
  const nodes = await dump(phone)
  const lines = outline(nodes)
  expect(lines.filter((line) => expected.includes(line)).filter((line, at, all) => all.indexOf(line) === at)).toEqual(
    expect.arrayContaining(expected),
  )
  const classes = new Set(lines.map((line) => line.split(' ')[1]))
  expect(absent.filter((name) => classes.has(name))).toEqual([])
  const ids = nodes.map(({ attributes }) => attributes['resource-id'])
  expect(ids).toContain('search')
  expect(ids).not.toContain(`${APP}:id/toolbar`)
  expect(nodes.filter(({ attributes }) => attributes['selected'] === 'true')).toHaveLength(1)
  const row = nodes.find(({ attributes, box }) => attributes['clickable'] === 'true' && box.bottom - box.top === 160)
  await phone.person.touch(540, row?.box.top ?? 0)
  expect(phone.state(APP).saved['opened']).toBe('Milk')
})

test('children of a node are numbered from 0 in every toolkit', async () => {
  for (const toolkit of ['compose', 'react-native', 'flutter', 'webview']) {
    const { phone } = await appWith(document(toolkit))
    const nodes = await dump(phone)
    const path: number[] = []
    for (const { depth, attributes } of nodes) {
      path.length = depth
      path[depth] = -1
      const at = (path[depth - 1] ?? -1) + 1
      path[depth - 1] = at
      expect(attributes['index']).toBe(String(at))
    }
  }
})

test('a dialog of React Native is an alert of Android, one of Compose is not', async () => {
  const native = await appWith(document('react-native'))
  await tap(native.phone, 'Add')
  expect((await find(native.phone, 'Yes')).attributes['resource-id']).toBe('android:id/button1')
  const compose = await appWith(document('compose'))
  await tap(compose.phone, 'Add')
  expect(await texts(compose.phone)).toEqual(['Sure?', 'Yes'])
  expect((await dump(compose.phone)).map(({ attributes }) => attributes['resource-id'])).not.toContain(
    'android:id/button1',
  )
})

test.each(['view', 'compose', 'react-native', 'flutter', 'webview'])(
  '%s loses no words of the screen',
  async (toolkit) => {
    const { phone } = await appWith({ ...document(toolkit) })
    const name = fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 12 }).filter((text) => text.trim() !== '')
    await fc.assert(
      fc.asyncProperty(fc.array(name, { maxLength: 3 }), async (items) => {
        phone.setState(APP, { saved: { items } })
        const words = (await dump(phone))
          .flatMap(({ attributes }) => [attributes['text'], attributes['content-desc']])
          .join('\n')
        const missing = [...items, 'Tasks', 'Active', 'Done', 'Alerts', 'Save', 'Add'].filter(
          (word) => !words.includes(word),
        )
        expect(missing).toEqual([])
      }),
      { numRuns: countRuns(25) },
    )
  },
)
