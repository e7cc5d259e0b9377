import { expect, test } from 'vitest'
import { NodeMatcher } from '@apprentice/contracts/devices/matcher.ts'
import { matchTarget, resolveTarget } from '../../src/screen/matcher.ts'
import { node, screen, text } from './tree-builder.ts'

const view = 'android.view.View'
const button = 'android.widget.Button'

/** A list as Flutter draws it: a card is one leaf with several lines, beside a button. */
const habit = (top: number, name: string, state: string) =>
  node(
    { class: view, bounds: `[0,${top}][1000,${top + 200}]` },
    node({
      class: view,
      clickable: 'true',
      'content-desc': `${name}\n8 day streak`,
      bounds: `[0,${top}][800,${top + 200}]`,
    }),
    node({ class: button, clickable: 'true', 'content-desc': state, bounds: `[800,${top}][1000,${top + 200}]` }),
  )

const chip = (left: number, label: string) =>
  node({ class: view, clickable: 'true', 'content-desc': label, bounds: `[${left},100][${left + 240},200]` })

const habits = screen(
  node(
    { class: view, bounds: '[0,0][1000,2000]' },
    node(
      { class: view, bounds: '[0,100][1000,200]' },
      chip(0, 'All'),
      chip(250, 'Morning'),
      chip(500, 'Read a book'),
      chip(750, 'Evening'),
    ),
    node(
      { class: view, scrollable: 'true', bounds: '[0,300][1000,1100]' },
      habit(300, 'Meditate', 'Done today'),
      habit(500, 'Read a book', 'Mark as done'),
      habit(700, 'Read the news', 'Mark as done'),
      habit(900, 'Walk', 'Mark as done'),
    ),
    node({ class: view, bounds: '[0,1200][1000,1300]' }, text('Reminder 8:10 PM'), text('1,234.50 EUR to Ada')),
  ),
)

function findPaths(matcher: NodeMatcher): readonly string[] {
  const matches = matchTarget(habits, { matcher: NodeMatcher.parse(matcher) })
  return matches.kind === 'found' ? matches.nodes.map(({ path }) => path) : []
}

test('partEquals matches the label or one of its lines, in any case, and no part of a word', () => {
  expect(findPaths({ partEquals: 'read a BOOK', class: view })).toEqual(['0.0.2', '0.1.1.0'])
  expect(findPaths({ partEquals: 'Read' })).toEqual([])
})

test('row keeps the nodes of the list entry that shows the text', () => {
  expect(findPaths({ class: button, row: [{ partEquals: 'Read a book' }] })).toEqual(['0.1.1.1'])
  expect(findPaths({ partEquals: 'Mark as done', row: [{ partEquals: 'Meditate' }] })).toEqual([])
})

test('group keeps the members of the choice that offers the texts', () => {
  expect(findPaths({ partEquals: 'Read a book', group: [{ partEquals: 'All' }, { partEquals: 'Evening' }] })).toEqual([
    '0.0.2',
  ])
})

test('shows matches a value in the format of the app, and showsTogether a value made of several', () => {
  expect(findPaths({ shows: '1234.5' })).toEqual(['0.2.1'])
  expect(findPaths({ shows: '234.5' })).toEqual([])
  expect(findPaths({ class: 'android.widget.TextView', showsTogether: ['8', '10', 'PM'] })).toEqual(['0.2.0'])
  expect(findPaths({ class: 'android.widget.TextView', showsTogether: ['8', '10', 'AM'] })).toEqual([])
})

test('place matches the centre in tenths of the window', () => {
  expect(findPaths({ class: button, place: { x: 9, y: 2 } })).toEqual(['0.1.0.1', '0.1.1.1'])
})

test('if the matcher finds nothing, the node that most fallbacks find is taken', () => {
  const fallbacks = [
    { contentDescEquals: 'Done today' },
    { partEquals: 'Walk', class: view },
    { class: button, index: 0 },
  ]
  const resolution = resolveTarget(habits, { matcher: { textEquals: 'Erledigt', fallbacks } })
  expect(resolution).toMatchObject({ kind: 'found', fallback: 1, votes: 2, node: { path: '0.1.0.1' } })
})

test('two nodes with as many votes are not found', () => {
  const fallbacks = [{ contentDescEquals: 'Done today' }, { partEquals: 'Walk', class: view }]
  const resolution = resolveTarget(habits, { matcher: { textEquals: 'Erledigt', fallbacks } })
  expect(resolution).toMatchObject({ kind: 'missing' })
})

test('in strict mode a fallback that matches several nodes has no vote', () => {
  const fallbacks = [{ contentDescEquals: 'Mark as done' }]
  const resolution = resolveTarget(habits, { matcher: { textEquals: 'Erledigt', strict: true, fallbacks } })
  expect(resolution).toMatchObject({ kind: 'missing' })
})

test('entryPosition keeps the nodes of the first or last entry of a list', () => {
  expect(findPaths({ class: button, entryPosition: 'first' })).toEqual(['0.1.0.1'])
  expect(findPaths({ class: button, entryPosition: 'last' })).toEqual(['0.1.3.1'])
  expect(findPaths({ partEquals: 'Read a book', class: view, entryPosition: 'first' })).toEqual([])
  expect(NodeMatcher.safeParse({ entryPosition: 'first' }).success).toBe(false)
})

test('followedBy keeps the nodes of the entry before the one that shows the text', () => {
  const [meditate, read] = [{ partEquals: 'Meditate' }, { partEquals: 'Read a book' }]
  expect(findPaths({ ...meditate, followedBy: [read] })).toEqual(['0.1.0.0'])
  expect(findPaths({ ...read, class: view, followedBy: [meditate] })).toEqual([])
  expect(findPaths({ partEquals: 'Walk', followedBy: [meditate] })).toEqual([])
})

test('an index in a row chooses nothing if two rows are alike', () => {
  const list = (...names: string[]) =>
    screen(
      node(
        { class: view, scrollable: 'true', bounds: '[0,300][1000,1100]' },
        ...names.map((name, at) => habit(300 + at * 200, name, 'Mark as done')),
      ),
    )
  const matcher = NodeMatcher.parse({ clickable: true, row: [{ partEquals: 'Walk' }], index: 1 })
  const resolve = (hierarchy: ReturnType<typeof list>) => resolveTarget(hierarchy, { matcher, strict: true }).kind
  expect(resolve(list('Meditate', 'Walk', 'Read'))).toBe('found')
  expect(resolve(list('Walk', 'Read', 'Walk'))).toBe('ambiguous')
})

test('the only entry of a list that draws no box around it is what lies on one line', () => {
  const at = (left: number, top: number, right: number) => ({ bounds: `[${left},${top}][${right},${top + 100}]` })
  const icon = (name: string, left: number, top: number) =>
    node({ class: button, clickable: 'true', 'content-desc': name, ...at(left, top, left + 100) })
  const basket = screen(
    node(
      { class: view, bounds: '[0,0][1000,2000]' },
      node(
        { class: view, bounds: '[0,200][1000,1800]' },
        text('Whole milk', at(40, 240, 600)),
        icon('Fewer', 640, 240),
        icon('Remove', 860, 240),
        text('Delivery tomorrow', at(40, 400, 600)),
      ),
    ),
  )
  const find = (contentDescEquals: string, partEquals: string) =>
    resolveTarget(basket, { matcher: NodeMatcher.parse({ contentDescEquals, row: [{ partEquals }] }), strict: true })
  expect(find('Remove', 'Whole milk').kind).toBe('found')
  expect(find('Remove', 'Delivery tomorrow').kind).toBe('missing')
})

test('a value is at its place although another one is longer; a label or a control is not', () => {
  const line = (label: string, right: number, more: Readonly<Record<string, string>> = {}) =>
    screen(
      node({ class: view, bounds: '[0,0][1000,2000]' }, text(label, { bounds: `[40,380][${right},440]`, ...more })),
    )
  const find = (tree: ReturnType<typeof screen>, more: object) =>
    resolveTarget(tree, { matcher: NodeMatcher.parse({ ...more, place: { x: 2, y: 2 } }) }).kind
  const long = 'A cake of your own choice'
  expect(find(line('Tulips', 300), { shows: 'Tulips' })).toBe('found')
  expect(find(line(long, 800), { shows: long })).toBe('found')
  expect(find(line(long, 800), { textEquals: long })).toBe('missing')
  expect(find(line(long, 800, { clickable: 'true' }), { shows: long })).toBe('missing')
})
