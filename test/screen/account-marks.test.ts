import { expect, test } from 'vitest'
import { findOtherAccount, listAccountMarks } from '../../src/screen/account-marks.ts'
import { node, screen, text } from './tree-builder.ts'

const page = (...labels: readonly string[]) => screen(node({}, ...labels.map((label) => text(label)))).nodes

test.each([
  ['Hello Priya 👋', 'Hello Tobias 👋'],
  ['Hi Lena, hungry?', 'Hi Tom, hungry?'],
  ['Hi, Dana Wolf', 'Hi, Omar Said'],
  ['anna.berger@example.org', 'tom.huber@example.org'],
  ['Signed in as claire@example.org', 'Signed in as paul@example.org'],
  ["Nora's home", "Ben's home"],
  ['Ordering as Lena Fischer', 'Ordering as Tom Huber'],
  ['Parcels of Lena Vogt', 'Parcels of Kai Brandt'],
  ['Willkommen Anna', 'Willkommen Tom'],
  ['Signed in as mira.k', 'Signed in as jonas82'],
  ['Profiles of Priya', 'Profiles of Daniel (guest)'],
])('%s and %s name two accounts', (known, other) => {
  const marks = listAccountMarks(page('Settings', known))
  expect(marks).not.toHaveLength(0)
  expect(findOtherAccount(page('Settings', known), marks)).toBeUndefined()
  expect(findOtherAccount(page(other), marks)).toBeDefined()
})

test('a mark contains no text', () => {
  const marks = listAccountMarks(page('Hello Priya'))
  expect(JSON.stringify(marks)).not.toMatch(/priya|hello/i)
})

test('a changed number beside the name is no other account', () => {
  const marks = listAccountMarks(page('Hi Nora, 5 lights are on'))
  expect(findOtherAccount(page('Hi Nora, 12 lights are on'), marks)).toBeUndefined()
})

test.each(['Save', 'Hello', 'welcome back', 'Settings of the app', 'Price: 12', 'good morning'])(
  '%s names nobody',
  (label) => {
    expect(listAccountMarks(page(label))).toEqual([])
  },
)

test('a page that names nobody is accepted', () => {
  const marks = listAccountMarks(page('Hello Priya'))
  expect(findOtherAccount(page('Loading'), marks)).toBeUndefined()
})

test('a greeting may stand above the name', () => {
  const marks = listAccountMarks(page('Good morning,', 'Anna Berger'))
  expect(marks).toHaveLength(1)
  expect(findOtherAccount(page('Good morning,', 'Tom Huber'), marks)).toBeDefined()
})

test('the owner of a page is another one if another name stands below the same heading', () => {
  const marks = listAccountMarks(page('Timers', "Nora's kitchen"))
  expect(findOtherAccount(page('Timers', 'Café Nord'), marks)).toBeDefined()
  expect(findOtherAccount(page('Timers', "Nora's kitchen"), marks)).toBeUndefined()
  expect(findOtherAccount(page('Presets', 'Café Nord'), marks)).toBeUndefined()
  expect(findOtherAccount(page('Timers', '3 timers are running'), marks)).toBeUndefined()
})

test('on a page about an entry only what says who is signed in counts', () => {
  const nodes = page('Ticket opened by Maria Costa', 'Signed in as Dana Wolf')
  expect(listAccountMarks(nodes)).toHaveLength(2)
  expect(listAccountMarks(nodes, { only_sure: true })).toHaveLength(1)
})
