import { expect, test } from 'vitest'
import { parseScreen, readTitle } from '../../../src/knowledge/interpret/read/screen.ts'
import { node, screen, type Sketch, text } from '../../screen/tree-builder.ts'
import { at, box, drawTitle, TOUCH } from '../../screen/structure/toolkit-trees.ts'
import { learnFromPages } from './observed-trees.ts'

const page = (...parts: readonly Sketch[]): Sketch => box(at(0, 0, 1080, 2200), drawTitle('New entry'), ...parts)

/** A form: rows with a caption and a value that open menus, a field, and a button at the lower edge of the window. */
function form({ project = '', task = '', note = '', bottom = 2200 }): Sketch {
  const row = (caption: string, value: string, top: number) =>
    node(
      { ...TOUCH, ...at(40, top, 1040, top + 140) },
      text(caption, at(80, top + 10, 300, top + 50)),
      ...(value === '' ? [] : [text(value, at(80, top + 60, 900, top + 110))]),
    )
  return page(
    node(
      { class: 'android.widget.ScrollView', ...at(0, 240, 1080, bottom - 200) },
      row('Project', project, 280),
      row('Task', task, 460),
      node({ class: 'android.widget.EditText', hint: 'Note', text: note, ...TOUCH, ...at(40, 640, 1040, 780) }),
    ),
    node(
      { ...TOUCH, ...at(40, bottom - 160, 1040, bottom - 40) },
      text('Save', at(80, bottom - 140, 1000, bottom - 60)),
    ),
  )
}

/** A menu over the form. Its window starts at the left edge of the display. */
const menu = (top: number, ...labels: readonly string[]): Sketch =>
  box(
    at(0, top, 600, top + 700),
    ...labels.map((label, index) => {
      const from = top + 40 + index * 120
      return node({ ...TOUCH, ...at(40, from, 600, from + 120) }, text(label, at(80, from + 30, 560, from + 90)))
    }),
  )

const filled = { project: 'Annual report', task: 'Layout' }
const { inputs } = learnFromPages(
  'Log hours by hand',
  form({}),
  { tap: 'Project' },
  menu(300, 'Website relaunch', 'Annual report', 'Mobile app'),
  { tap: 'Annual report' },
  form({ project: 'Annual report' }),
  { tap: 'Task' },
  menu(480, 'Layout', 'Proofreading', 'Copywriting'),
  { tap: 'Layout' },
  form(filled),
  { type: 'Font licences' },
  form({ ...filled, note: 'Font licences', bottom: 1400 }),
  { tap: 'Save' },
  box(at(0, 0, 1080, 2200), drawTitle('Timesheet'), text('Font licences', at(40, 400, 900, 480))),
)

test('what was chosen in menus is an input each, named by the caption of its row', () => {
  expect(inputs.map(({ name, example }) => [name, example])).toEqual([
    ['project', 'Annual report'],
    ['task', 'Layout'],
    ['note', 'Font licences'],
  ])
})

test('the options after another choice are not taken for all there are', () => {
  expect(inputs.map(({ choices }) => choices !== undefined)).toEqual([true, false, false])
})

test('the words of a control in the top bar are not the title of a page', () => {
  const bar = node({ ...TOUCH, ...at(20, 60, 160, 200) }, node({ 'content-desc': 'Back', ...at(20, 60, 160, 200) }))
  const read = parseScreen(screen(box(at(0, 0, 1080, 2200), bar, text('Speed dial', at(180, 90, 900, 170)))), undefined)
  expect(readTitle(read)).toBe('Speed dial')
})

test('a chip that the opened page shows at the same place is a part of the app', () => {
  const chips = ['Maps', 'Stops', 'Routes', 'Alerts'].map((label, index) => {
    const place = at(20 + index * 260, 600, 260 + index * 260, 700)
    return node({ ...TOUCH, ...place }, text(label, place))
  })
  const { inputs: found } = learnFromPages(
    'See what is broken',
    box(at(0, 0, 1080, 2200), drawTitle('Today'), ...chips, text('Good morning', at(40, 300, 900, 400))),
    { tap: 'Alerts' },
    box(
      at(0, 0, 1080, 2200),
      drawTitle('Broken lifts'),
      ...chips,
      node({ class: 'android.widget.EditText', ...TOUCH, ...at(40, 900, 1040, 1040) }),
      node({ class: 'android.widget.Button', text: 'Tell me', ...TOUCH, ...at(40, 1200, 1040, 1320) }),
    ),
    { tap: 'Tell me' },
    box(at(0, 0, 1080, 2200), drawTitle('Thank you'), text('We tell you', at(40, 400, 900, 480))),
  )
  expect(found).toEqual([])
})

test('an entry is not called by the noun that a later page asks for', () => {
  const list = (title: string, ...rows: readonly (readonly [string, string])[]): Sketch =>
    box(
      at(0, 0, 1080, 2200),
      drawTitle(title),
      node(
        { scrollable: 'true', ...at(0, 240, 1080, 2200) },
        ...rows.map(([first, second], index) =>
          node(
            { ...TOUCH, ...at(0, 240 + index * 200, 1080, 440 + index * 200) },
            text(first, at(40, 260 + index * 200, 900, 330 + index * 200)),
            text(second, at(40, 350 + index * 200, 900, 420 + index * 200)),
          ),
        ),
      ),
    )
  const keys = (third: string) => list('Speed dial', ['2', 'Papa'], ['3', third], ['4', 'Not set'], ['5', 'Not set'])
  const contacts = list('Choose a contact', ['Ida Berg', 'Oslo'], ['Tom Falk', 'Bergen'], ['Zoe Lind', 'Moss'])
  const { inputs: found } = learnFromPages(
    'Assign a contact to a speed dial key',
    keys('Not set'),
    { tap: '3' },
    contacts,
    { tap: 'Tom Falk' },
    keys('Tom Falk'),
  )
  expect(found.map(({ name, example }) => [name, example])).toEqual([
    ['key', '3'],
    ['contact', 'Tom Falk'],
  ])
})

test('an action of a sheet is a part of the app, whatever is selected where it was', () => {
  const tabs = ['Notes', 'Trash'].map((label, index) => {
    const place = at(index * 540, 2040, 540 + index * 540, 2200)
    return node({ ...TOUCH, ...place, selected: String(index === 0) }, text(label, place))
  })
  const note = (label: string, top: number): Sketch =>
    node({ ...TOUCH, ...at(0, top, 1080, top + 200) }, text(label, at(40, top + 20, 900, top + 90)))
  const list = (...labels: readonly string[]): Sketch =>
    box(
      at(0, 0, 1080, 2200),
      ...tabs,
      drawTitle('Notes'),
      node(
        { scrollable: 'true', ...at(0, 240, 1080, 2040) },
        ...labels.map((one, index) => note(one, 240 + index * 200)),
      ),
    )
  const sheet = box(
    at(0, 1500, 1080, 2200),
    ...['Delete', 'Share', 'Copy'].map((label, index) => {
      const place = at(0, 1540 + index * 160, 1080, 1700 + index * 160)
      return node({ ...TOUCH, ...place }, text(label, place))
    }),
  )
  const { inputs: found } = learnFromPages(
    'Delete a note',
    list('Car service', 'Quotes', 'Groceries'),
    { hold: 'Quotes' },
    sheet,
    { tap: 'Delete' },
    list('Car service', 'Groceries'),
  )
  expect(found.map(({ example }) => example)).toEqual(['Quotes'])
})
