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

const list = (...rows: Sketch[]) =>
  node(
    { class: 'androidx.recyclerview.widget.RecyclerView', scrollable: 'true', ...bounds(0, 200, 1080, 2200) },
    ...rows,
  )
const row = (at: number, ...texts: string[]) =>
  node(
    { class: 'android.widget.LinearLayout', clickable: 'true', ...bounds(0, 200 + at * 200, 1080, 400 + at * 200) },
    ...texts.map((words, line) => text(words, bounds(40, 210 + at * 200 + line * 60, 900, 260 + at * 200 + line * 60))),
  )

test('what a chosen entry says in its list is not claimed as a state of another entry', () => {
  const keys = (...texts: string[]) =>
    page(
      label('Speed dial', 60),
      list(row(0, 'Key one', 'Voicemail'), row(1, 'Key two', 'Papa', 'Mobile'), row(2, 'Key three', ...texts)),
    )
  const contacts = page(
    label('Choose a contact', 60),
    list(row(0, 'Anna Fischer', 'Mobile'), row(1, 'Dentist Wolf', 'Work'), row(2, 'Ben Carter', 'Home')),
  )
  const { verification } = learn(keys(), 'Key three', contacts, 'Dentist Wolf', keys('Dentist Wolf', 'Work'))
  expect(verification.map(({ text: one }) => one)).toEqual([expect.stringMatching(/^The given .+ shows the given/)])
})

test('a text that names the entry whose switch was set is not claimed besides the switch', () => {
  const bill = (at: number, name: string, checked: string) =>
    node({
      class: 'android.widget.CheckBox',
      text: name,
      clickable: 'true',
      checkable: 'true',
      checked,
      ...bounds(0, 200 + at * 200, 1080, 400 + at * 200),
    })
  const bills = (checked: string, ...parts: Sketch[]) =>
    page(
      label('Bills', 60),
      list(bill(0, 'Rent', 'true'), bill(1, 'Gym membership', checked), bill(2, 'Power', 'false')),
      ...parts,
    )
  const paid = bills('true', text('Gym membership', bounds(40, 2250, 700, 2300)))
  const { verification } = learn(bills('false'), 'Gym membership', paid)
  expect(verification.map(({ text: one }) => one)).toEqual([expect.stringContaining('on or off as given')])
})

test('a label is known by the words of the app around a value, wherever it stands', () => {
  const couriers = page(
    label('Choose a courier', 60),
    list(row(0, 'Anna Fischer', 'Near by'), row(1, 'Dora Wolf', 'On the road'), row(2, 'Ben Carter', 'Near by')),
  )
  const order = (...parts: Sketch[]) =>
    page(label('Order', 60), label('12 Mill Lane', 200), button('Assign a courier', 1900), ...parts)
  const assigned = order(text('Order assigned to: Dora Wolf', bounds(40, 410, 900, 460)))
  const { verification } = learn(order(), 'Assign a courier', couriers, 'Dora Wolf', assigned)
  expect(verification).toMatchObject([{ selector: { text_contains: 'Order assigned to:' } }])
  expect(verification[0]?.selector).not.toHaveProperty('place')
})

test('a text that came into a row together with a chosen thing is not claimed as its state', () => {
  const keys = (...texts: string[]) =>
    page(
      label('Speed dial', 60),
      list(row(0, 'Key one', 'Voicemail'), row(1, 'Key two', 'Papa', 'Mobile'), row(2, 'Key three', ...texts)),
    )
  const contacts = page(
    label('Choose a contact', 60),
    list(row(0, 'Anna Fischer', '0151 1'), row(1, 'Dentist Wolf', '0151 2'), row(2, 'Ben Carter', '0151 3')),
  )
  const { verification } = learn(keys('Not set'), 'Key three', contacts, 'Dentist Wolf', keys('Dentist Wolf', 'Mobile'))
  expect(verification.map(({ text: one }) => one)).toEqual([expect.stringMatching(/^The given .+ shows the given/)])
})

test('what a press changed is claimed besides the controls that were set before it', () => {
  const mode = (at: number, name: string, chosen: string) =>
    node({
      class: 'android.widget.RadioButton',
      text: name,
      clickable: 'true',
      checkable: 'true',
      checked: String(name === chosen),
      ...bounds(40 + at * 320, 400, 340 + at * 320, 500),
    })
  const cleaner = (chosen: string, action: string) =>
    page(
      label('Cleaner', 60),
      label('Mode', 300),
      node(
        { class: 'android.widget.RadioGroup', ...bounds(40, 400, 1040, 500) },
        ...['Quiet', 'Normal', 'Strong'].map((name, at) => mode(at, name, chosen)),
      ),
      button(action, 1200),
    )
  const { verification } = learn(
    cleaner('Normal', 'Start'),
    'Strong',
    cleaner('Strong', 'Start'),
    'Start',
    cleaner('Strong', 'Pause'),
  )
  expect(verification.map(({ text: one }) => one)).toEqual([
    expect.stringContaining('is selected'),
    expect.stringContaining('Pause'),
  ])
})

test('a state is claimed together with the name of the entry whose page shows it', () => {
  const stations = page(
    label('Stations', 60),
    list(row(0, 'North Park', '2 km'), row(1, 'South Mall', '5 km'), row(2, 'West Gate', '7 km')),
  )
  const station = (action: string) => page(label('Station', 60), label('South Mall', 200), button(action, 900))
  const { verification } = learn(stations, 'South Mall', station('Follow'), 'Follow', station('Following'))
  expect(verification.map(({ text: one }) => one)).toEqual([
    expect.stringContaining('Following'),
    expect.stringMatching(/^The page shows the given /),
  ])
})

test('a number on the page does not prove what was ticked in a window over it', () => {
  const recipe = (servings: string, ...parts: Sketch[]) =>
    page(
      label('Lentil soup', 60),
      label('Servings', 300),
      node({
        class: 'android.widget.Button',
        'content-desc': 'Fewer',
        clickable: 'true',
        ...bounds(40, 400, 140, 500),
      }),
      text(servings, bounds(160, 400, 260, 500)),
      button('More', 400 + 200),
      button('Add to list', 1900),
      ...parts,
    )
  const tick = (name: string, top: number) =>
    node({
      class: 'android.widget.CheckBox',
      text: name,
      clickable: 'true',
      checkable: 'true',
      checked: 'true',
      ...bounds(100, top, 900, top + 100),
    })
  const sheet = screen(
    node(
      { class: 'android.widget.FrameLayout', package: APP, ...bounds(60, 900, 1020, 1700) },
      text('What do you need?', bounds(100, 920, 900, 980)),
      tick('Lentils', 1000),
      tick('Carrots', 1120),
      button('Add (2)', 1400),
    ),
  )
  const { verification } = learn(
    recipe('4'),
    'More',
    recipe('5'),
    'Add to list',
    sheet,
    'Add (2)',
    recipe(
      '5',
      text('Added to your list', { 'resource-id': `${APP}:id/snackbar_text`, ...bounds(40, 2250, 1040, 2310) }),
    ),
  )
  expect(verification).toMatchObject([{ transient: true }])
})
