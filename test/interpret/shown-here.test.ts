import { expect, test } from 'vitest'
import { interpretTraces } from '../../src/knowledge/interpret/draft/interpret.ts'
import { node, type Sketch, text } from '../screen/tree-builder.ts'
import { demonstrate, type Touch } from './controls/demonstration.ts'

const learn = (goal: string, first: Sketch, ...steps: readonly (readonly [Touch, Sketch])[]) =>
  interpretTraces([demonstrate(first, ...steps)], { marks: [], goal })

const button = (label: string, top: number): Sketch =>
  node({ class: 'android.widget.Button', text: label, clickable: 'true', bounds: `[40,${top}][1000,${top + 120}]` })

const row = (name: string, note: string, top: number): Sketch =>
  node(
    { clickable: 'true', bounds: `[0,${top}][1080,${top + 160}]` },
    text(name, { bounds: `[40,${top + 10}][600,${top + 70}]` }),
    text(note, { bounds: `[40,${top + 80}][600,${top + 140}]` }),
  )

/** A list of parcels. What was agreed about one stands above it. */
const parcels = (agreed: string): Sketch =>
  node(
    { bounds: '[0,0][1080,2200]' },
    text('Parcels', { bounds: '[40,60][800,160]' }),
    text(agreed, { bounds: '[40,200][1000,280]' }),
    node(
      { class: 'android.widget.ScrollView', scrollable: 'true', bounds: '[0,300][1080,2200]' },
      row('Desk lamp', 'Arrives today', 300),
      row('Running shoes', 'Arrives tomorrow', 470),
      row('Coffee beans', 'Arrives on Friday', 640),
    ),
  )

/** The field shows its name as its description while it is empty, as Flutter draws it. */
const form = (name: string): Sketch =>
  node(
    { bounds: '[0,0][1080,2200]' },
    text('Who takes it?', { bounds: '[40,60][800,160]' }),
    node({
      class: 'android.widget.EditText',
      text: name,
      'content-desc': 'Neighbour',
      clickable: 'true',
      bounds: '[40,300][1000,420]',
    }),
    button('Redirect', 1900),
  )

test('what the last page shows of all values is the proof, and nothing is opened again to see them', () => {
  const { recipe, verification } = learn(
    'Redirect a parcel to a neighbour',
    parcels('Nothing agreed'),
    [{ on: 'Desk lamp' }, form('')],
    [{ on: 'Neighbour', kind: 'text', text: 'Brandt' }, form('Brandt')],
    [{ on: 'Redirect' }, parcels('Brandt takes it')],
  )
  expect(verification.some(({ inputs }) => inputs.includes('neighbour'))).toBe(true)
  expect(recipe?.steps.filter(({ id }) => id.endsWith('_again'))).toEqual([])
})

const settings = (...more: readonly Sketch[]): Sketch =>
  node(
    { bounds: '[0,0][1080,2200]' },
    text('Greeting', { bounds: '[40,60][800,160]' }),
    button('Write it', 300),
    ...more,
  )
const question = (name: string): Sketch =>
  node(
    { bounds: '[60,700][1020,1500]' },
    text('Say hello to', { bounds: '[120,720][900,800]' }),
    node({
      class: 'android.widget.EditText',
      text: name,
      'content-desc': 'Guest',
      clickable: 'true',
      bounds: '[120,900][960,1020]',
    }),
    button('OK', 1200),
  )

test('a window whose field was empty but for its name shows nothing when it is opened again', () => {
  const { recipe, doubts } = learn(
    'Greet a guest',
    settings(),
    [{ on: 'Write it' }, question('')],
    [{ on: 'Guest', kind: 'text', text: 'Brandt' }, question('Brandt')],
    [{ on: 'OK' }, settings()],
  )
  expect(doubts).toMatchObject([{ field: 'success_condition' }])
  expect(recipe?.steps.filter(({ id }) => id.endsWith('_again')) ?? []).toEqual([])
})

test('a window whose field was filled is opened again to see the new value', () => {
  const { recipe, doubts } = learn(
    'Greet a guest',
    settings(),
    [{ on: 'Write it' }, question('Meyer')],
    [{ on: 'Meyer', kind: 'text', text: 'Brandt' }, question('Brandt')],
    [{ on: 'OK' }, settings()],
  )
  expect(doubts).toEqual([])
  expect(recipe?.steps.some(({ id }) => id.endsWith('_again'))).toBe(true)
})

const bar = (chosen: string): Sketch[] =>
  ['Decks', 'Progress', 'Settings'].map((label, at) =>
    node({
      'content-desc': `${label}\nTab ${at + 1} of 3`,
      clickable: 'true',
      selected: String(label === chosen),
      bounds: `[${at * 360},2040][${at * 360 + 360},2200]`,
    }),
  )
const tabbed = (title: string, ...content: readonly Sketch[]): Sketch =>
  node(
    { bounds: '[0,0][1080,2200]' },
    node({ 'content-desc': title, bounds: '[40,100][700,180]' }),
    ...content,
    ...bar(title),
  )
const reminder = (checked: string): Sketch =>
  node({
    class: 'android.widget.Switch',
    'content-desc': 'Reminders',
    clickable: 'true',
    checkable: 'true',
    checked,
    bounds: '[40,400][1040,520]',
  })

test('a tab is told from the title of its page by taking touch', () => {
  const { recipe } = learn(
    'Turn on reminders',
    tabbed('Decks', button('Learn', 900)),
    [{ on: 'Settings\nTab 3 of 3' }, tabbed('Settings', reminder('false'))],
    [{ on: 'Reminders' }, tabbed('Settings', reminder('true'))],
  )
  const press = recipe?.steps.find(({ selector }) => selector?.part_equals === 'Settings')
  expect(press?.selector).toMatchObject({ clickable: true })
})
