import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { parseXml } from '@apprentice/phone/documents/xml.ts'
import { createPhone, readAppDocument } from '@apprentice/phone/phone.ts'
import { APP, appWith } from './document-app.ts'
import { dump, dumpXml, find, run, tap, texts, type } from './phone-shell.ts'

const node = (attributes: Record<string, string>, ...children: string[]): string => {
  const list = Object.entries(attributes).map(([name, value]) => ` ${name}="${value}"`)
  return `<node${list.join('')}>${children.join('')}</node>`
}

const TREE = `<?xml version='1.0' encoding='UTF-8' standalone='yes' ?>
<hierarchy rotation="0">${node(
  { class: 'android.widget.FrameLayout', package: APP, bounds: '[0,0][1080,2400]' },
  node({
    class: 'android.widget.EditText',
    'resource-id': 'query',
    hint: 'Find',
    clickable: 'true',
    bounds: '[0,84][1080,200]',
  }),
  node(
    { class: 'android.view.View', scrollable: 'true', bounds: '[0,200][1080,2000]' },
    node({ class: 'android.widget.TextView', text: 'Header', bounds: '[0,200][1080,300]' }),
    node(
      { class: 'android.view.View', clickable: 'true', bounds: '[0,300][1080,500]' },
      node({ class: 'android.widget.TextView', text: 'Name', bounds: '[40,320][700,400]' }),
      node({
        class: 'android.view.View',
        checkable: 'true',
        clickable: 'true',
        'content-desc': 'Done',
        bounds: '[900,320][1040,460]',
      }),
    ),
    node({ class: 'android.widget.TextView', text: 'Footer', bounds: '[0,500][1080,600]' }),
  ),
  node({ class: 'android.widget.Button', text: 'Add &amp; close', clickable: 'true', bounds: '[0,2000][1080,2150]' }),
)}</hierarchy>`

const items = (count: number) =>
  Array.from({ length: count }, (_unused, id) => ({ id, name: `Task ${id}`, done: id === 1 }))

const app = (count: number, more: object = {}) => ({
  saved: { items: items(count), query: '', opened: '', added: 0 },
  screens: {
    main: {
      tree: TREE,
      bindings: [
        { node: '[id=query]', bind: 'saved.query' },
        {
          node: '/0/1/1',
          each: { items: 'saved.items', where: 'contains(item.name, saved.query)' },
          on_tap: [{ do: 'set', target: 'saved.opened', value: '{item.name}' }],
        },
        { node: 'TextView[text=Name]', text: '{item.name}' },
        { node: "[desc='Done']", bind: 'item.done' },
        { node: 'Button', visible: 'len(saved.query) == 0', on_tap: [{ do: 'add', target: 'saved.added', by: 1 }] },
      ],
      ...more,
    },
  },
})

test('a recorded tree is dumped as recorded, with the bound values', async () => {
  const { phone } = await appWith(app(1))
  expect(await dumpXml(phone)).toContain('text="Add &amp; close"')
  const nodes = await dump(phone)
  expect(nodes.map(({ attributes }) => [attributes['class'], attributes['bounds']])).toEqual([
    ['android.widget.FrameLayout', '[0,0][1080,2400]'],
    ['android.widget.EditText', '[0,84][1080,200]'],
    ['android.view.View', '[0,200][1080,2000]'],
    ['android.widget.TextView', '[0,200][1080,300]'],
    ['android.view.View', '[0,300][1080,500]'],
    ['android.widget.TextView', '[40,320][700,400]'],
    ['android.view.View', '[900,320][1040,460]'],
    ['android.widget.TextView', '[0,500][1080,600]'],
    ['android.widget.Button', '[0,2000][1080,2150]'],
  ])
  expect(await texts(phone)).toEqual(['Find', 'Header', 'Task 0', 'Footer', 'Add & close'])
})

test('nodes without an area, outside their parent, focused or numbered with gaps are dumped as recorded', async () => {
  const tree = node(
    { index: '0', class: 'android.widget.FrameLayout', bounds: '[0,0][1080,2400]' },
    node(
      { index: '3', class: 'android.view.View', scrollable: 'true', focused: 'true', bounds: '[100,100][900,200]' },
      node({ index: '0', class: 'android.view.View', bounds: '[100,90][950,210]' }),
      node({ index: '7', class: 'android.view.View', bounds: '[0,0][0,0]' }),
    ),
  )
  const { phone } = await appWith({ screens: { main: { tree } } })
  expect((await dump(phone)).map(({ attributes }) => [attributes['index'], attributes['bounds']])).toEqual([
    ['0', '[0,0][1080,2400]'],
    ['3', '[100,100][900,200]'],
    ['0', '[100,90][950,210]'],
    ['7', '[0,0][0,0]'],
  ])
  expect((await dump(phone))[1]?.attributes).toMatchObject({ scrollable: 'true', focused: 'true' })
  phone.setLocale('ar-EG')
  expect((await dump(phone))[1]?.attributes['bounds']).toBe('[100,100][900,200]')
})

test('a repeated subtree has one copy per entry, scrolls, and pushes what lies below it', async () => {
  const { phone } = await appWith(app(12))
  expect((await find(phone, 'Task 3')).attributes['bounds']).toBe('[40,920][700,1000]')
  expect(await texts(phone)).not.toContain('Footer')
  await run(phone, 'input swipe 500 1800 500 900')
  expect(await texts(phone)).toContain('Footer')
  expect((await find(phone, 'Footer')).box.bottom).toBe(2000)
  expect(await texts(phone)).not.toContain('Header')
  await tap(phone, 'Task 9')
  expect(phone.state(APP).saved['opened']).toBe('Task 9')
})

test('bound nodes are typed into, toggled, hidden and touched', async () => {
  const { phone } = await appWith(app(3))
  const done = async () =>
    (await dump(phone))
      .filter(({ attributes }) => attributes['content-desc'] === 'Done')
      .map(({ attributes }) => attributes['checked'])
  expect(await done()).toEqual(['false', 'true', 'false'])
  await tap(phone, 'Done')
  expect(await done()).toEqual(['true', 'true', 'false'])
  expect(phone.state(APP).saved['opened']).toBe('')
  await tap(phone, 'Add & close')
  expect(phone.state(APP).saved['added']).toBe(1)
  await type(phone, 'query', 'task 2')
  expect(await texts(phone)).toEqual(['task 2', 'Header', 'Task 2', 'Footer'])
  expect((await find(phone, 'Footer')).attributes['bounds']).toBe('[0,500][1080,600]')
})

test('a recorded dialog is above the screen and bounds can follow the state', async () => {
  const panel = node(
    { class: 'android.widget.FrameLayout', bounds: '[100,1000][980,1400]' },
    node({ class: 'android.view.View', 'content-desc': 'Handle', bounds: '[100,1000][200,1100]' }),
  )
  const { phone } = await appWith({
    ...app(1),
    saved: { items: [], query: '', opened: '', added: 0, x: 300 },
    dialogs: {
      sheet: {
        tree: panel,
        bindings: [{ node: '[desc=Handle]', bounds: { x: 'saved.x', y: 1000, width: 100, height: 100 } }],
      },
    },
  })
  phone.showDialog(APP, 'sheet')
  expect((await dump(phone)).map(({ attributes }) => attributes['bounds'])).toEqual([
    '[100,1000][980,1400]',
    '[300,1000][400,1100]',
  ])
  await run(phone, 'input tap 50 300')
  expect(await texts(phone)).toContain('Header')
})

test('a tree can be a file beside the document', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'apprentice-apps-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const base = { package: APP, label: 'Test', version: { name: '1', code: 1 }, launch_screen: 'main' }
  await writeFile(join(folder, 'main.xml'), TREE)
  await writeFile(join(folder, 'a.json'), JSON.stringify({ ...base, screens: { main: { tree: 'main.xml' } } }))
  await writeFile(
    join(folder, 'b.json'),
    JSON.stringify({ ...base, package: 'com.other', screens: { main: { tree: 'no.xml' } } }),
  )
  const phone = createPhone({ appsDirs: [folder] })
  expect(phone.documentReports.map(({ path, reason }) => `${path}: ${reason}`)).toEqual([
    'screens.main.tree: write the XML of a dump, or the name of a file that exists',
  ])
  expect(phone.state(APP).screens).toEqual([])
})

const listFaults = (screen: object): string[] => {
  const reading = readAppDocument({
    package: APP,
    label: 'Test',
    version: { name: '1', code: 1 },
    launch_screen: 'main',
    screens: { main: screen },
  })
  return reading.ok ? [] : reading.faults.map(({ path, reason }) => `${path}: ${reason}`)
}

test.each([
  [{}, 'screens.main.content: write either "content" or "tree"'],
  [{ content: [], tree: TREE }, 'screens.main.content: write either "content" or "tree"'],
  [{ content: [], bindings: [{ node: '/0' }] }, 'screens.main.bindings[0].node: bindings need a "tree"'],
  [{ tree: '<a><b></a>' }, 'screens.main.tree: unexpected "</a>" in line 1 of the XML'],
  [
    { tree: ['<node', 'class="x"/>'] },
    'screens.main.tree: the bounds of a x are missing; write them as [0,84][1080,2274]',
  ],
  [
    { tree: TREE, bindings: [{ node: '[text=Gone]' }] },
    'screens.main.bindings[0].node: "[text=Gone]" matches no node of the tree',
  ],
  [
    { tree: TREE, bindings: [{ node: 'TextView' }] },
    'screens.main.bindings[0].node: "TextView" matches 3 nodes of the tree; add a test such as [text=Save] or [nth=0]',
  ],
  [{ tree: TREE, bindings: [{ node: '/0/x' }] }, 'screens.main.bindings[0].node: "/0/x" is not a path such as /0/2/1'],
  [
    { tree: TREE, bindings: [{ node: '[text' }] },
    'screens.main.bindings[0].node: "[text" is not a selector such as Button[text=Save] or [id=title]',
  ],
])('fault %# of a recorded tree is reported with its path', (screen, expected) => {
  expect(listFaults(screen)).toContain(expected)
})

test('nested parts and numbers select nodes', () => {
  const select = (selector: string): string[] => listFaults({ tree: TREE, bindings: [{ node: selector }] })
  expect(select('[scrollable=true] View TextView')).toEqual([])
  expect(select('TextView[nth=2]')).toEqual([])
  expect(select('View View[content-desc=Done]')).toEqual([])
  expect(select('TextView[nth=3]')).toHaveLength(1)
})

const escape = (value: string): string =>
  value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;').replaceAll('\n', '&#10;')

test('attributes of any text survive parsing', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }), (text, other) => {
      const { attributes, children } = parseXml(
        `<a text="${escape(text)}"><!-- c --><b other="${escape(other)}" /></a>`,
      )
      expect(attributes['text']).toBe(text)
      expect(children[0]?.attributes['other']).toBe(other)
    }),
  )
})
