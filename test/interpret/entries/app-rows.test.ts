import { expect, test } from 'vitest'
import { node, type Sketch, text } from '../../screen/tree-builder.ts'
import { at, box, drawTitle, TOUCH } from '../../screen/structure/toolkit-trees.ts'
import { lacksTheWork } from '../../../src/knowledge/interpret/prove/navigation-only.ts'
import { readIntents } from '../../../src/knowledge/interpret/read/intent.ts'
import { learnFromPages, observePages, type Touch } from './observed-trees.ts'

type Line = readonly [title: string, more: string]

const drawComposeRow = ([title, more]: Line, top: number): Sketch =>
  node(
    { ...TOUCH, ...at(0, top, 1080, top + 180) },
    text(title, at(40, top + 20, 900, top + 80)),
    text(more, at(40, top + 90, 900, top + 150)),
  )
const drawFlutterRow = ([title, more]: Line, top: number): Sketch =>
  node({ 'content-desc': `${title}\n${more}`, ...TOUCH, ...at(0, top, 1080, top + 180) })

const TOOLKITS = {
  compose: { draw: drawComposeRow, name: ([title]: Line) => title },
  flutter: { draw: drawFlutterRow, name: (line: Line) => line.join('\n') },
}

const page = (title: string, ...parts: readonly Sketch[]): Sketch =>
  box(at(0, 0, 1080, 2200), drawTitle(title), ...parts)
const button = (label: string, top: number): Sketch =>
  node({ class: 'android.widget.Button', text: label, ...TOUCH, ...at(40, top, 1040, top + 120) })
const field = (value: string, top: number): Sketch =>
  node({ class: 'android.widget.EditText', text: value, hint: 'Title', ...TOUCH, ...at(40, top, 1040, top + 120) })

for (const [toolkit, { draw, name }] of Object.entries(TOOLKITS)) {
  const list = (lines: readonly Line[], from = 400): Sketch =>
    node(at(0, from, 1080, 2000), ...lines.map((line, index) => draw(line, from + index * 200)))

  test(`the entries of a menu are fixed targets, the days of a list are inputs, in ${toolkit}`, () => {
    const menu: readonly Line[] = [
      ['Availability', 'Days on which you get offers'],
      ['Documents', 'All valid until March'],
      ['Help centre', 'Answers and contact'],
    ]
    const days = (monday: string): readonly Line[] => [
      ['Monday', monday],
      ['Tuesday', 'No offers on this day'],
      ['Friday', 'You get offers on this day'],
    ]
    const { inputs, described } = learnFromPages(
      'Make me available on a day of the week',
      page('Profile', list(menu)),
      { tap: name(['Availability', 'Days on which you get offers']) },
      page('Availability', button('Whole week', 260), list(days('No offers on this day'))),
      { tap: name(['Monday', 'No offers on this day']) },
      page('Availability', button('Whole week', 260), list(days('You get offers on this day'))),
    )
    expect(described[0]).toMatch(/^Press /)
    expect(inputs).toMatchObject([{ example: 'Monday' }])
  })

  test(`rows that are counted are data although apps use their names as well, in ${toolkit}`, () => {
    const folders: readonly Line[] = [
      ['Work', '12 notes'],
      ['Recipes', '3 notes'],
      ['Archive', '40 notes'],
    ]
    const { inputs } = learnFromPages(
      'Delete all that is old',
      page('Overview', list(folders)),
      { tap: name(['Recipes', '3 notes']) },
      page('Recipes', button('Clear', 400)),
      { tap: 'Clear' },
      page('Recipes', button('Undo', 400)),
    )
    expect(inputs).toMatchObject([{ example: 'Recipes' }])
  })

  test(`the rows of a form are fixed targets, in ${toolkit}`, () => {
    const form = (title: string, category: string): Sketch => {
      const lines: readonly Line[] = [
        ['Category', category],
        ['Receipt', 'None'],
      ]
      const rows = lines.map((line, index) => draw(line, 500 + index * 200))
      return page(
        'New expense',
        node({ class: 'android.widget.ScrollView', ...at(0, 240, 1080, 2000) }, field(title, 300), ...rows),
      )
    }
    const { described } = learnFromPages(
      'Add a trip',
      form('', 'Choose'),
      { type: 'Oslo' },
      form('Oslo', 'Choose'),
      { tap: name(['Category', 'Choose']) },
      page('Category', button('Taxi', 400), button('Train', 600), button('Bus', 800)),
      { tap: 'Taxi' },
      form('Oslo', 'Taxi'),
    )
    expect(described[1]).toMatch(/^Press Category/)
  })

  test(`a name that another page lists as an entry is an input in a menu, in ${toolkit}`, () => {
    const lists = (count: string): readonly Line[] => [
      ['Weekly groceries', count],
      ['Party Saturday', '2 items'],
      ['Pharmacy', '1 item'],
    ]
    const options = (...names: readonly string[]): Sketch =>
      node(
        { ...at(80, 700, 1000, 700 + names.length * 160) },
        ...names.map((one, index) =>
          node(
            { ...TOUCH, ...at(80, 700 + index * 160, 1000, 860 + index * 160) },
            text(one, at(120, 720 + index * 160, 900, 820 + index * 160)),
          ),
        ),
      )
    const { inputs } = learnFromPages(
      'Move everything to another list',
      page('Lists', list(lists('9 items'))),
      { tap: name(['Weekly groceries', '9 items']) },
      page('Weekly groceries', button('Move all', 400)),
      { tap: 'Move all' },
      page('Where to?', options('Party Saturday', 'Pharmacy')),
      { tap: 'Party Saturday' },
      page('Lists', list(lists('0 items'))),
    )
    expect(inputs.map(({ example }) => example)).toEqual(['Weekly groceries', 'Party Saturday'])
  })
}

test('an entry that is chosen for the page before does something, an entry that is opened does not', () => {
  const list = (lines: readonly Line[]): Sketch =>
    node(
      { scrollable: 'true', ...at(0, 400, 1080, 2000) },
      ...lines.map((line, index) => drawComposeRow(line, 400 + index * 200)),
    )
  const notes = page(
    'Notes',
    list([
      ['Book ideas', 'The Overstory'],
      ['Paint colours', 'Chalk and moss'],
    ]),
  )
  const note = (folder: string) =>
    page(
      'Book ideas',
      text(folder, at(40, 300, 900, 380)),
      text('The Overstory', at(40, 600, 900, 700)),
      button('Move to folder', 900),
    )
  const folders = page(
    'Move to folder',
    list([
      ['Garden', '3 notes'],
      ['Reading', '9 notes'],
    ]),
  )
  const goal = 'Move a note to another folder'
  const opened = [notes, { tap: 'Book ideas' }, note('Reading'), { tap: 'Move to folder' }, folders] as const
  const isUndone = (...parts: readonly (Sketch | Touch)[]) => {
    const intents = readIntents({ trace_id: 'trace', steps: observePages(...parts) }, new Set())
    return lacksTheWork(
      intents.map((intent) => ({ ...intent, kind: 'choose' as const })),
      goal,
    )
  }
  expect(isUndone(...opened)).toBe(true)
  expect(isUndone(...opened, { tap: 'Garden' }, note('Garden'))).toBe(false)
  expect(isUndone(...opened, { tap: 'Garden' }, note('Reading'))).toBe(true)
})

test('a row that opens a list of values is a fixed target', () => {
  const parking = (car: string): Sketch =>
    page(
      'Zone 12',
      node(
        { class: 'android.widget.ScrollView', ...at(0, 240, 1080, 2000) },
        node(
          { ...TOUCH, ...at(0, 300, 1080, 480) },
          text('Motor', at(40, 320, 500, 380)),
          text(car, at(40, 390, 500, 450)),
          text('▾', at(980, 350, 1040, 420)),
        ),
      ),
    )
  const { described } = learnFromPages(
    'Start parking',
    parking('Lily'),
    { tap: 'Motor' },
    page('Cars', button('Rose', 400), button('Lily', 600)),
    { tap: 'Rose' },
    parking('Rose'),
  )
  expect(described[0]).toBe('Press Motor')
})

test('the bar with the title of a page is no entry', () => {
  const bar = (state: string): Sketch =>
    box(
      at(0, 0, 1080, 2200),
      node(
        at(0, 80, 1080, 260),
        text('Huddle', at(40, 90, 600, 160)),
        text('All quiet', at(40, 170, 600, 240)),
        node({ 'content-desc': state, ...TOUCH, ...at(900, 100, 1040, 240) }),
      ),
      node(
        at(0, 270, 1080, 450),
        text('Today', at(40, 280, 600, 350)),
        text('Nothing new', at(40, 360, 600, 430)),
        node({ 'content-desc': 'Refresh', ...TOUCH, ...at(900, 290, 1040, 430) }),
      ),
    )
  const { inputs } = learnFromPages('Silence the app', bar('Mute'), { tap: 'Mute' }, bar('Unmute'))
  expect(inputs).toEqual([])
})

const tabs = ['Books', 'Loans', 'Holds', 'Account'].map((label, index) =>
  node({ text: label, ...TOUCH, ...at(index * 270, 100, index * 270 + 270, 220) }),
)
const withTabs = (...parts: readonly Sketch[]): Sketch =>
  box(at(0, 0, 1080, 2200), node(at(0, 100, 1080, 220), ...tabs), ...parts)

test('a bar that all pages have holds no entries, although the opened page shows its labels again', () => {
  const save = node({ class: 'android.widget.Button', text: 'Pay fees', ...TOUCH, ...at(40, 600, 1040, 720) })
  const { inputs } = learnFromPages(
    'Pay my fees',
    withTabs(text('Find something to read', at(40, 300, 1000, 400))),
    { tap: 'Account' },
    withTabs(text('Fees', at(40, 300, 1000, 400)), save),
    { tap: 'Pay fees' },
    withTabs(text('Fees', at(40, 300, 1000, 400)), text('Payment received', at(40, 600, 1000, 680))),
  )
  expect(inputs).toEqual([])
})

test('a numbered entry is data, although the goal names its kind', () => {
  const episodes = (...states: readonly string[]): Sketch =>
    box(
      at(0, 0, 1080, 2200),
      drawTitle('Glacier'),
      node(
        { scrollable: 'true', ...at(0, 300, 1080, 2200) },
        ...states.map((state, index) => {
          const top = 300 + index * 160
          return node(
            { ...TOUCH, ...at(0, top, 1080, top + 150) },
            text(`Episode ${index + 1}`, at(40, top + 20, 600, top + 80)),
            text('45 min', at(40, top + 90, 600, top + 140)),
            node({ class: 'android.widget.Button', text: state, ...TOUCH, ...at(700, top + 20, 1040, top + 130) }),
          )
        }),
      ),
    )
  const { inputs } = learnFromPages(
    'Download an episode',
    episodes('Download', 'Download', 'Download'),
    { tap: 'Download', nth: 1 },
    episodes('Download', 'Downloaded', 'Download'),
  )
  expect(inputs).toMatchObject([{ name: 'episode', example: 'Episode 2' }])
})

const folders = (id: (name: string) => string): Sketch =>
  box(
    at(60, 600, 1020, 1500),
    text('Move to', at(100, 620, 500, 700)),
    ...['Family', 'Travel', 'Work', 'Taxes'].map((name, index) =>
      node({
        class: 'android.widget.TextView',
        text: name,
        'resource-id': `com.example:id/${id(name)}`,
        ...TOUCH,
        ...at(100, 720 + index * 120, 980, 820 + index * 120),
      }),
    ),
  )
const mail = (...names: readonly string[]): Sketch =>
  box(
    at(0, 0, 1080, 2200),
    drawTitle('Inbox'),
    ...names.map((name, index) =>
      node(
        { ...TOUCH, 'long-clickable': 'true', ...at(0, 300 + index * 160, 1080, 450 + index * 160) },
        text(name, at(40, 310 + index * 160, 900, 370 + index * 160)),
        text('9:12', at(40, 380 + index * 160, 900, 430 + index * 160)),
      ),
    ),
    node({ class: 'android.widget.Button', text: 'Move', ...TOUCH, ...at(40, 2000, 1040, 2120) }),
  )
const move = (id: (name: string) => string) =>
  learnFromPages(
    'Move a mail',
    mail('Ticket', 'Report'),
    { tap: 'Move' },
    folders(id),
    { tap: 'Travel' },
    mail('Report'),
  )

test('rows of a window that all have the id of one kind of thing are entries', () => {
  expect(move(() => 'folder_name').inputs).toMatchObject([{ example: 'Travel' }])
  expect(move((name) => `menu_${name.toLowerCase()}`).inputs).toEqual([])
})
