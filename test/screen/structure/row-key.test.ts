import { expect, test } from 'vitest'
import { chooseKey } from '../../../src/screen/structure/row-key.ts'
import { type RowGroup, analyzeStructure } from '../../../src/screen/structure/structure.ts'
import { node, text } from '../tree-builder.ts'
import { type Message, MESSAGES, TOOLKITS, TOUCH, at, box, drawFlutterRows, drawScreen, show } from './toolkit-trees.ts'

const draw = (...cards: readonly string[]) =>
  show(
    box(
      {},
      node(
        { scrollable: 'true', ...at(0, 200, 1080, 2200) },
        ...cards.map((card, index) =>
          node({ 'content-desc': card, ...TOUCH, ...at(0, 200 + index * 200, 1080, 380 + index * 200) }),
        ),
      ),
    ),
  )

function findGroup(visible: ReturnType<typeof draw>): RowGroup {
  const structure = analyzeStructure(visible)
  const group = structure.groups.find((one) => structure.classify(one) === 'data')
  if (group === undefined) throw new Error('no rows of data')
  return group
}

const listKeys = (group: RowGroup, others: readonly RowGroup[] = []) =>
  group.members.map((member) => chooseKey({ node: member, group }, others).map(({ text }) => text))

test.each(Object.entries(TOOLKITS))('the key of a row of %s is its first distinct text', (_, drawRows) => {
  const group = findGroup(show(drawScreen(drawRows())))
  expect(listKeys(group)).toEqual(MESSAGES.map(({ sender }) => [sender]))
})

test('a number, a time, a price, a state or a rank is no key if there is another', () => {
  const group = findGroup(draw('1\n12:30\nOn\n€ 3.50\nBlue lamp', '2\n12:31\nOff\n€ 4.50\nRed lamp'))
  expect(listKeys(group)).toEqual([['Blue lamp'], ['Red lamp']])
})

test('a title is the key although the text below it is longer', () => {
  const group = findGroup(draw('Salami\nTomato, mozzarella and salami', 'Funghi\nTomato, mozzarella and mushrooms'))
  expect(listKeys(group)).toEqual([['Salami'], ['Funghi']])
})

test('a number plate is a key even if it begins like a weekday', () => {
  const group = findGroup(draw('MO 17 BIK\nScooter', 'DI 90 TTE\nCompany van'))
  expect(listKeys(group)).toEqual([['MO 17 BIK'], ['DI 90 TTE']])
})

test('a number is the key if nothing else tells rows apart', () => {
  const group = findGroup(draw('Ticket\n1041', 'Ticket\n1042', 'Ticket\n1043'))
  expect(listKeys(group)).toEqual([['1041'], ['1042'], ['1043']])
})

test('two texts are the key if only both together tell rows apart, and none if nothing does', () => {
  const group = findGroup(draw('Tea\nLarge', 'Tea\nSmall', 'Milk\nLarge', 'Milk\nSmall', 'Rice\nBrown', 'Rice\nBrown'))
  expect(listKeys(group)).toEqual([['Tea', 'Large'], ['Tea', 'Small'], ['Milk', 'Large'], ['Milk', 'Small'], [], []])
})

test('a text that another screen shows twice is no key', () => {
  const group = findGroup(draw('Lamp\nKitchen', 'Fan\nHall'))
  const other = findGroup(draw('Lamp\nHall', 'Lamp\nKitchen'))
  expect(listKeys(group)[0]).toEqual(['Lamp'])
  expect(listKeys(group, [other])[0]).toEqual(['Kitchen'])
})

test('the same row on another screen does not spoil its key', () => {
  const messages: readonly Message[] = MESSAGES.map((message) => ({ ...message, time: '10:00' }))
  const group = findGroup(show(drawScreen(drawFlutterRows())))
  const later = findGroup(show(drawScreen(drawFlutterRows(messages))))
  expect(listKeys(group, [later])).toEqual(MESSAGES.map(({ sender }) => [sender]))
})

test('a title stays the key of its row although another row has it twice', () => {
  const calls = ['Ida Berg\nMobile · 9:12', 'Tom Falk\nOslo · 8:50', 'Zoe Lind\nWork · 8:02', 'Ida Berg\nMobile · 7:30']
  expect(listKeys(findGroup(draw(...calls))).slice(1, 3)).toEqual([['Tom Falk'], ['Zoe Lind']])
})

test('a phone number names a row, a date does not', () => {
  const group = findGroup(draw('+49 30 5550 188\nBerlin', '(0161) 496 0412\nManchester', '0800 555 0199\nToll-free'))
  expect(listKeys(group)).toEqual([['+49 30 5550 188'], ['(0161) 496 0412'], ['0800 555 0199']])
  const dated = findGroup(draw('01-02-2026\nBerlin', '04-02-2026\nLeeds'))
  expect(listKeys(dated)).toEqual([['Berlin'], ['Leeds']])
})

test('a numbered text behind a time is no key, and one in front is', () => {
  expect(listKeys(findGroup(draw('18:40\nScreen 3', '20:15\nScreen 1')))).toEqual([['18:40'], ['20:15']])
  expect(listKeys(findGroup(draw('Screen 3\n18:40', 'Screen 1\n20:15')))).toEqual([['Screen 3'], ['Screen 1']])
})

test('a text that begins with a measure describes its row, so a time before it is the key', () => {
  const group = findGroup(
    draw('09:15\n55 min · Direct · North Rail\n£16.30', '10:40\n58 min · Direct · East Rail\n£12.10'),
  )
  expect(listKeys(group)).toEqual([['09:15'], ['10:40']])
})

test('texts that end at the right edge are one column, wherever they begin', () => {
  const rows = [
    ['Berries', 'Food', 960],
    ['Coffee', 'Drinks', 920],
    ['Coffee pods', 'Drinks', 920],
  ] as const
  const visible = show(
    box(
      {},
      node(
        { scrollable: 'true', ...at(0, 200, 1080, 2200) },
        ...rows.map(([name, category, left], index) => {
          const top = 200 + index * 200
          return node(
            { class: 'android.view.View', ...TOUCH, ...at(0, top, 1080, top + 180) },
            text(category, at(left, top, 1080, top + 60)),
            text(name, at(40, top + 70, 600, top + 130)),
          )
        }),
      ),
    ),
  )
  expect(listKeys(findGroup(visible))).toEqual(rows.map(([name]) => [name]))
})
