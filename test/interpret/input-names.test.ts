import { describe, expect, test } from 'vitest'
import { interpretTraces } from '../../src/knowledge/interpret/draft/interpret.ts'
import { readRequest } from '../../src/knowledge/interpret/read/captions.ts'
import { listNouns, readGoal } from '../../src/knowledge/interpret/read/goal.ts'
import { nameOptionKind, nameValueKind } from '../../src/knowledge/interpret/read/value-kind.ts'
import { toLatin } from '../../src/knowledge/text/latin.ts'
import type { Hierarchy } from '../../src/screen/tree/hierarchy.ts'
import { node, screen, type Sketch, text } from '../screen/tree-builder.ts'

const at = (left: number, top: number, right: number, bottom: number) => ({
  bounds: `[${left},${top}][${right},${bottom}]`,
})
const page = (...children: readonly Sketch[]) =>
  screen(node({ class: 'android.widget.FrameLayout' }, text('New entry', at(0, 0, 1080, 100)), ...children))
const field = (content: string, more: Readonly<Record<string, string>> = {}, ...children: readonly Sketch[]) =>
  node(
    { class: 'android.widget.EditText', text: content, clickable: 'true', ...at(40, 300, 1040, 400), ...more },
    ...children,
  )
const save = node({ class: 'android.widget.Button', text: 'Save', clickable: 'true', ...at(40, 2000, 1040, 2100) })

/** Types into the only field of a form and returns the input that is learned. */
function learnField(draw: (content: string) => readonly Sketch[], value: string, goal = 'Add an entry') {
  const [before, after] = [page(...draw(''), save), page(...draw(value), save)]
  const { path } = before.nodes.find((one) => one.attributes['class'] === 'android.widget.EditText') ?? {}
  const steps = [toStep([before, after], path, value)]
  return interpretTraces([{ trace_id: 'trace', steps }], { goal, marks: [] }).inputs[0]
}

function toStep([before, after]: readonly Hierarchy[], node_path: string | undefined, value: string) {
  return {
    kind: 'text' as const,
    event_id: 'event',
    trace_id: 'trace',
    app: 'com.example',
    action_label: '',
    caused_state_change: true,
    created_at: '2026-03-01T12:00:00.000Z',
    before,
    after,
    node_path,
    text: value,
  }
}

describe('a field is named', () => {
  const shown = (hint: string) => (content: string) => [field(content || hint)]

  test('by its hint, without units and required marks', () => {
    expect(learnField((content) => [field(content, { hint: 'Amount (EUR) *' })], '12')?.name).toBe('amount')
    expect(learnField(shown('Amount in €'), '12')?.name).toBe('amount')
  })

  test('by the label inside it, left of it or above it, and not by a label of something else', () => {
    const above = text('Street', at(40, 240, 300, 290))
    const value = text('12 Main Road', at(320, 240, 1040, 290))
    const below = text('Category', at(40, 430, 300, 480))
    const spinner = node({ class: 'android.widget.Spinner', clickable: 'true', ...at(40, 500, 1040, 600) })
    expect(learnField((content) => [field(content, {}, text('Title', at(60, 310, 200, 340)))], 'Gratin')?.name).toBe(
      'title',
    )
    expect(learnField((content) => [above, field(content)], 'Elm 4')?.name).toBe('street')
    expect(learnField((content) => [above, value, field(content)], 'Elm 4', 'Add a parcel')?.name).toBe('parcel')
    expect(learnField((content) => [field(content), below, spinner], 'Gratin', 'Add a recipe')?.name).toBe('recipe')
  })

  test('as hour and minute around a colon', () => {
    const draw = (content: string) => [
      field(content, at(40, 300, 200, 400)),
      text(':', at(210, 300, 230, 400)),
      field('00', at(240, 300, 400, 400)),
    ]
    expect(learnField(draw, '07')?.name).toBe('hour')
  })

  test('not by an example, but by the form of its value or by the goal', () => {
    expect(learnField(shown('e.g. Milk'), 'Bread', 'Add an item to a list')?.name).toBe('item')
    expect(learnField((content) => [field(content)], 'ada@example.com', 'Invite')?.name).toBe('email')
  })

  test('in Latin letters, and its summary keeps the letters of the app', () => {
    const hinted = (hint: string) => (content: string) => [field(content, { hint })]
    expect(learnField(hinted('Название'), 'Суп')).toMatchObject({ name: 'nazvanie', summary: 'Text for “Название”' })
    expect(learnField(hinted('Straße'), 'Ulm')).toMatchObject({ name: 'strasse', summary: 'Text for “Straße”' })
    expect(learnField(hinted('标题'), '汤')).toMatchObject({ name: 'title', summary: 'Text for “标题”' })
    expect(learnField(hinted('口味'), '辣', 'Add a dish')).toMatchObject({ name: 'dish', summary: 'Text for “口味”' })
  })
})

test.each([
  ['Enter your name', 'name'],
  ['Search contacts', 'contact'],
  ['Title of the report', 'Title'],
  ['Number of guests', 'guests'],
  ['Add to report', 'report'],
  ['Move to folder', 'folder'],
  ['How may we contact you?', 'contact'],
  ['Weight kg', 'Weight'],
  ['Note – optional', 'Note'],
  ['z. B. Milch', ''],
])('%j asks for %j', (caption, asked) => {
  expect(readRequest(caption)).toBe(asked)
})

test.each([
  ['Assign a ticket to an agent', ['ticket', 'agent']],
  ['Send a message to Ada', ['message', 'recipient']],
  ['Send money to somebody', ['recipient']],
  ["Set a unit's temperature", ['temperature', 'unit']],
  ['Bring a note back from the bin', ['note', 'bin']],
  ['Mark a ticket as solved', ['ticket']],
  ['Turn on delivery alerts for a parcel', ['parcel']],
  ['Search stays in a city for a number of guests and tell me how many there are', ['city', 'guest']],
])('the things of %j are %j', (goal, nouns) => {
  expect(listNouns(readGoal(goal), 'object', 'attribute', 'target', 'owner')).toEqual(nouns)
})

test.each([
  [['AM', 'PM'], 'am_pm'],
  [['All', 'Delivered'], 'filter'],
  [['Mon', 'Tue'], 'day'],
  [['Today', 'Thu 5', 'Fri 20 Mar'], 'day'],
  [['Small', 'Large'], 'size'],
  [['kg', 'lb'], 'unit'],
  [['Once', 'Every day'], 'frequency'],
  [['Visa', 'Giro'], undefined],
])('the options %j are of the kind %j', (options, kind) => {
  expect(nameOptionKind(options)).toBe(kind)
})

test('values have kinds by their form', () => {
  const values = ['ada@example.com', '2026-03-14', '19:05', '€ 12', '+41 79 555 01 33', 'Milk', '12']
  expect(values.map(nameValueKind)).toEqual(['email', 'date', 'time', 'amount', 'phone_number', undefined, undefined])
})

test('texts are spelled in Latin letters where there is a common spelling', () => {
  expect(['Größe', 'Ёлка', 'Όνομα', 'Åse', '名前'].map(toLatin)).toEqual(['Groesse', 'Elka', 'Onoma', 'Ase', '名前'])
})
