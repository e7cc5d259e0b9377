import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { CATALOGUE } from '../../../src/knowledge/interpret/words/catalogue.ts'
import { looksLikeLabel } from '../../../src/knowledge/interpret/words/label-likeness.ts'
import { FurnitureWords } from '../../../src/knowledge/interpret/words/private-words.ts'
import { attribute, type UiNode } from '../../../src/screen/tree/hierarchy.ts'
import { node, screen, type Sketch, text } from '../../screen/tree-builder.ts'
import { countRuns } from '../../kit/count-runs.ts'

const APP = 'com.example'

interface Shown {
  readonly package: string
  readonly nodes: readonly UiNode[]
}

const show = (...children: readonly Sketch[]): Shown => ({ package: APP, nodes: screen(node({}, ...children)).nodes })

const at = (top: number, height = 100) => ({ bounds: `[0,${top}][1080,${top + height}]` })
const title = (label: string) => text(label, at(100))
const label = (words: string, top = 1000) => text(words, at(top))
const button = (words: string, top = 1800) =>
  node({ class: 'android.widget.Button', text: words, clickable: 'true', ...at(top) })
const buttonOf = (name: string, words: string) =>
  node({ class: 'android.widget.Button', text: words, clickable: 'true', package: name, ...at(1800) })
const field = (hint: string, content: string) =>
  node({ class: 'android.widget.EditText', text: content, hint, clickable: 'true', ...at(800) })
const ROW = { 'resource-id': `${APP}:id/row`, clickable: 'true' }
const row = (...texts: readonly string[]) =>
  node(
    { ...ROW, ...at(600) },
    ...texts.map((words) => text(words)),
    node({ 'content-desc': 'More options', clickable: 'true' }),
  )

const isRow = (one: UiNode) => attribute(one, 'resource-id').endsWith('/row')
const row_nodes = ({ nodes }: Shown) => nodes.filter(isRow)

function learn(screens: readonly Shown[], more: { goal?: string; typed?: readonly string[] } = {}) {
  return new FurnitureWords(screens, { goal: more.goal, typed: more.typed ?? [], row_nodes })
}

const notes = (...rows: readonly Sketch[]) =>
  show(title('Scribblings'), ...rows, button('New note'), button('Glossary', 2000))

test('labels of controls, hints and labels beside fields are furniture', () => {
  const words = learn([
    notes(row('Zqxora')),
    show(
      title('Jotter'),
      text('Beneficiary', { bounds: '[0,700][1080,780]' }),
      field('Codename', ''),
      node({ clickable: 'true', ...at(1500) }, text('Zubereiten', at(1510))),
      button('Сохранить рецепт'),
      button('下書きを保存', 2000),
    ),
  ])
  const labels = [
    'Glossary',
    'glossary',
    'Beneficiary',
    'Codename',
    'Zubereiten',
    'СОХРАНИТЬ РЕЦЕПТ',
    '下書きを保存',
    'New note',
  ]
  expect(labels.filter((one) => !words.isFurniture(one))).toEqual([])
  expect(words.keepFurniture('Press “Сохранить рецепт” and 下書きを保存')).toBe(
    'Press “Сохранить рецепт” and 下書きを保存',
  )
})

test('a text that takes no touch needs two visits or known words', () => {
  const list = notes(row('Zqxora'))
  const done = (words: string) => show(title('Jotter'), label(words), button('Vault'), button('Glossary', 2000))
  expect(learn([list, done('Umbrella')]).isFurniture('Umbrella')).toBe(false)
  expect(learn([list, done('Umbrella'), list, done('Umbrella')]).isFurniture('Umbrella')).toBe(true)
  // Looks in succession are one visit.
  expect(learn([list, done('Umbrella'), done('Umbrella')]).isFurniture('Umbrella')).toBe(false)
  expect(learn([list, done('Note saved')]).isFurniture('Note saved')).toBe(true)
  expect(learn([list, done('Vaulted')]).isFurniture('Vaulted')).toBe(true)
  expect(learn([list, done('Umbrella opened')], { goal: 'Open an umbrella' }).isFurniture('Umbrella opened')).toBe(true)
})

test('a text that changed between visits is not furniture', () => {
  const open = (name: string) =>
    show(title(name), label('Umbrella'), button('Vault'), button('Glossary', 2000), button(name, 1500))
  const words = learn([open('Zqxora'), notes(), open('Wyxilo'), notes()])
  expect(['Zqxora', 'Wyxilo'].filter((one) => words.isFurniture(one))).toEqual([])
  expect(words.isFurniture('Vault')).toBe(true)
})

test('a control that says the opposite afterwards is furniture', () => {
  const open = (name: string) =>
    show(title('Jotter'), label('Umbrella'), button('Vault'), button('Glossary', 2000), button(name, 1500))
  const words = learn([open('Quib jotter'), notes(), open('Unquib jotter'), notes()])
  expect([words.isFurniture('Quib jotter'), words.isFurniture('Unquib jotter')]).toEqual([true, true])
  const people = learn([open('Quib Zqxora'), notes(), open('Unquib Wyxilo'), notes()])
  expect([people.isFurniture('Quib Zqxora'), people.isFurniture('Unquib Wyxilo')]).toEqual([false, false])
})

test('a control that moved to another place is still furniture', () => {
  const words = learn([
    show(title('Jotter'), label('Umbrella'), button('Vault'), button('Glossary', 2000)),
    notes(),
    show(title('Jotter'), label('Umbrella'), button('Glossary'), button('Vault', 2000)),
  ])
  expect([words.isFurniture('Vault'), words.isFurniture('Glossary')]).toEqual([true, true])
})

test('screens of other apps, keyboards and passwords say nothing', () => {
  const launcher = { package: 'com.launcher', nodes: screen(buttonOf('com.launcher', 'Zqxora')).nodes }
  const keyboard = node({ text: 'Wyxilo', clickable: 'true', package: 'com.keyboard' })
  const secret = node({ class: 'android.widget.EditText', text: 'Kvyrun', password: 'true', hint: 'Plozzle' })
  const words = learn([launcher, show(button('Vault'), keyboard, secret), notes(), notes(), notes()])
  expect(['Zqxora', 'Wyxilo', 'Kvyrun'].filter((one) => words.isFurniture(one))).toEqual([])
})

test('words of the goal are allowed, also if they are in a row', () => {
  const words = learn([notes(row('Zqxora'))], { goal: 'Send a note to Zqxora', typed: ['Zqxora'] })
  expect(words.keepFurniture('Send the given note to Zqxora')).toBe('Send the given note to Zqxora')
})

test('a state in a row is furniture if a control or the goal names what leads to it', () => {
  const words = learn([notes(row('Zqxora', 'Quibbed')), notes(row('Wyxilo', 'Ambled')), show(button('Quib note'))], {
    goal: 'Amble a note',
  })
  expect(['Quibbed', 'Quibb', 'Ambled', 'Zqxora'].map((one) => words.isFurniture(one))).toEqual([
    true,
    false,
    true,
    false,
  ])
})

test('a private text of common words is dropped as a whole', () => {
  const words = learn([notes(row('Buy new phone'), row('Pay'))], { typed: ['call home today'] })
  expect(words.isFurniture('Buy new phone')).toBe(false)
  expect(words.isFurniture('Call home today')).toBe(false)
  expect(words.keepFurniture('Press Buy new phone')).toBe('Press')
  expect(learn([notes(row('Buy new phone'), row('Pay'))]).keepFurniture('Open the new phone')).toBe(
    'Open the new phone',
  )
})

test('a control that several rows have is furniture', () => {
  expect(learn([notes(row('Buy'), row('Pay'))]).isFurniture('More options')).toBe(true)
  expect(learn([notes(row('Buy'))]).isFurniture('More options')).toBe(false)
})

test('a name beside a control is not furniture, the words around a value are', () => {
  const words = learn([
    show(text('Ingrid', at(700)), field('Codename', ''), button('Marek Dudek'), button('Vault', 2000)),
    notes(),
  ])
  expect(['Ingrid', 'Marek Dudek'].filter((one) => words.isFurniture(one))).toEqual([])
  expect(words.isFurniture('is now being tracked')).toBe(true)
  expect(['+', '♥', 'kg', 'Mon'].filter((one) => !words.isFurniture(one))).toEqual([])
})

test('a sentence keeps its form without the dropped words', () => {
  const words = learn([notes(row('Zqxora'))])
  expect(words.keepFurniture('The “Zqxora” screen is open')).toBe('The screen is open')
  expect(words.keepFurniture('Press Delete (Zqxora), then Save.')).toBe('Press Delete, then Save.')
  expect(words.keepFurniture('Zqxora: 1234')).toBe('')
  expect(words.keepFurniture('')).toBe('')
})

test.each([
  'Save',
  "What's new",
  'Welcome back',
  'Delete this note?',
  'Nachricht schreiben',
  'Добавить заметку',
  'メモを追加',
])('%j looks like a label', (words) => {
  expect(looksLikeLabel(words)).toBe(true)
})

test.each([
  '',
  'A',
  '12',
  'Room 5',
  'ada@example.com',
  '@ada',
  'example.com',
  'https://a.b',
  'Hello Ada',
  'Hi, Ada!',
  'Good morning, Ada',
  'Ada, welcome back',
  'Guten Tag, Frau Weber',
  'Bonjour Ada',
  'Привет, Анна',
  '田中さん、こんにちは',
  '안녕하세요 민수님',
  "Ada's list",
  'Ada’s list',
  "James' list",
  "Ali'nin listesi",
  'Delete “Trip”?',
  '「旅行」を削除',
  'one two three four five six seven eight',
  'Two\nlines',
])('%j does not look like a label', (words) => {
  expect(looksLikeLabel(words)).toBe(false)
})

/** Places for a private text. Each gives the screens that have it and what was typed. */
const PLACES: Readonly<Record<string, (mark: string) => { screens: readonly Shown[]; typed?: readonly string[] }>> = {
  row: (mark) => ({ screens: [notes(row(mark, 'Later'))] }),
  'column of all rows': (mark) => ({ screens: [notes(row('One', mark), row('Two', mark))] }),
  'description of a row': (mark) => ({
    screens: [notes(node({ ...ROW, 'content-desc': `${mark}, unread`, ...at(600) }))],
  }),
  'title of an opened row': (mark) => ({
    screens: [notes(row(`${mark} trip`)), show(title(mark), button('Vault'), button('Glossary', 2000))],
  }),
  'title that no row has': (mark) => ({ screens: [notes(), show(title(mark), button('Vault')), notes()] }),
  'title on two visits': (mark) => {
    const open = show(title(mark), button('Vault'))
    return { screens: [open, notes(), open] }
  },
  greeting: (mark) => ({ screens: [show(label(`Hello ${mark}`), button('Vault')), notes(), notes()] }),
  'greeting that takes a touch': (mark) => ({ screens: [show(button(`Welcome back, ${mark}`)), notes()] }),
  badge: (mark) => ({ screens: [show(label(`${mark} is online`), button('Vault')), notes()] }),
  'counted badge on a tab': (mark) => ({ screens: [show(button(`Inbox, 3 from ${mark}`)), notes()] }),
  'dialog that quotes a row': (mark) => ({
    screens: [notes(row(mark)), show(label(`Delete ${mark}?`), button('Delete'), button(`Keep ${mark}`, 2000))],
  }),
  'dialog with quotes': (mark) => ({
    screens: [show(label(`Delete “${mark}”?`), button(`Delete “${mark}”`)), notes()],
  }),
  'row cut by an ellipsis': (mark) => ({
    screens: [notes(row(`${mark.slice(0, 4)}…`)), show(title(mark), button(mark)), notes()],
  }),
  'typed text': (mark) => ({ screens: [show(field('Codename', mark), button(`Invite ${mark}`))], typed: [mark] }),
  'content of a field': (mark) => ({ screens: [show(field('Codename', mark), button('Vault'))] }),
  possessive: (mark) => ({ screens: [show(button(`${mark}'s list`), label(`${mark}’s turn`)), notes()] }),
  'account name': (mark) => ({
    screens: [show(text(mark, { 'resource-id': `${APP}:id/user_name`, clickable: 'true', ...at(900) })), notes()],
  }),
  'card with several texts': (mark) => ({
    screens: [show(node({ clickable: 'true', ...at(600) }, text(mark), text('Yesterday'))), notes()],
  }),
  'line of a long text': (mark) => ({
    screens: [show(label(`Terms\n${mark} agreed\nand more`), button('Vault')), notes()],
  }),
  'other app': (mark) => ({
    screens: [{ package: 'com.other', nodes: screen(buttonOf('com.other', mark)).nodes }, notes(), notes(), notes()],
  }),
}

const letters = fc.constantFrom(...Array.from('bcdfghjkmpqvwxzбвгджзклмнßøðþกขคงจאבגדה'))
const marks = fc
  .array(letters, { minLength: 5, maxLength: 10 })
  .map((all) => `${all[0]?.toUpperCase()}${all.slice(1).join('')}`)
  .filter((mark) => !CATALOGUE.has(mark.toLowerCase()))

test.each(Object.keys(PLACES))('no private text gets out of a %s', (place) => {
  fc.assert(
    fc.property(marks, fc.constantFrom('before', 'behind'), (mark, where) => {
      const { screens, typed = [] } = PLACES[place]?.(mark) ?? { screens: [] }
      const plain = [notes(row('One', 'Later'))]
      const words = learn(where === 'before' ? [...plain, ...screens] : [...screens, ...plain], {
        typed,
        goal: 'Create a note',
      })
      for (const text of listTexts(screens).filter((one) => one.includes(mark))) {
        expect([text, words.isFurniture(text)]).toEqual([text, false])
        expect(words.keepFurniture(`Press “${text}” and choose ${mark}.`)).not.toContain(mark)
      }
      expect(words.isFurniture(mark)).toBe(false)
      expect(words.isFurniture(mark.toLowerCase())).toBe(false)
      expect(words.keepFurniture(`The ${mark} screen is open`)).toBe('The screen is open')
      expect(words.isFurniture('Glossary')).toBe(true)
    }),
    { numRuns: countRuns(30) },
  )
})

function listTexts(screens: readonly Shown[]): string[] {
  return screens.flatMap(({ nodes }) =>
    nodes.flatMap((one) => [attribute(one, 'text'), attribute(one, 'content-desc'), attribute(one, 'hint')]),
  )
}
