import { expect, test } from 'vitest'
import { fillInputs } from '../../src/knowledge/recipes/parse/fill-inputs.ts'
import { node, type Sketch, text } from '../screen/tree-builder.ts'
import { at, box, drawTitle, TOUCH } from '../screen/structure/toolkit-trees.ts'
import { learnFromPages } from './entries/observed-trees.ts'

const WINDOW = at(0, 0, 1080, 2200)
const button = (label: string, place: ReturnType<typeof at>): Sketch =>
  node({ class: 'android.widget.Button', text: label, ...TOUCH, ...place })

/** Options side by side, of which each holds its words. */
const segments = (chosen: string, names: readonly string[], top: number): Sketch[] =>
  names.map((name, index) => {
    const [left, right] = [40 + index * 250, 290 + index * 250]
    return node(
      { checkable: 'true', checked: String(name === chosen), ...TOUCH, ...at(left, top, right, top + 110) },
      text(name, at(left + 20, top + 20, right - 20, top + 80)),
    )
  })

const SOUNDS = ['Rain', 'Waves', 'Forest', 'Fire']
const sounds = (chosen: string): Sketch =>
  box(
    WINDOW,
    drawTitle('Sleep'),
    text('Favourite sound', at(40, 500, 600, 560)),
    ...segments(chosen, SOUNDS, 600),
    text('Ends by itself', at(40, 900, 900, 960)),
    text('Volume follows the room', at(40, 1100, 900, 1160)),
  )

test('a chosen option is claimed by its own words, because all options on a line share their row', () => {
  const { recipe } = learnFromPages('Choose my favourite sound', sounds('Rain'), { tap: 'Waves' }, sounds('Waves'))
  const [claim] = recipe?.verification ?? []
  expect(claim?.selector).toMatchObject({ checked: true, containing: { part_equals: '${inputs.favourite_sound}' } })
  expect(claim?.selector.row).toBeUndefined()
})

const AMOUNTS = ['€5', '€10', '€25', '€50']
const card = (balance: string, ...more: readonly Sketch[]): Sketch =>
  box(
    WINDOW,
    drawTitle('Canteen card'),
    text('Balance', at(40, 300, 400, 360)),
    node({ text: balance, 'resource-id': 'com.example:id/balance', ...at(40, 370, 400, 450) }),
    button('Load', at(40, 500, 400, 620)),
    ...more,
  )
const sheet = (chosen: string): readonly Sketch[] => [
  node({ ...TOUCH, ...at(0, 0, 1080, 2200) }),
  text('How much?', at(100, 1600, 700, 1680)),
  ...segments(chosen, AMOUNTS, 1700),
  button('Pay', at(700, 1900, 1000, 2020)),
]

test('a number that moved by a chosen amount proves the work, and the amount may have a currency', () => {
  const { verification, recipe } = learnFromPages(
    'Load the canteen card',
    card('€14.60'),
    { tap: 'Load' },
    card('€14.60', ...sheet('€5')),
    { tap: '€25' },
    card('€14.60', ...sheet('€25')),
    { tap: 'Pay' },
    card('€39.60'),
  )
  const [input] = recipe?.inputs ?? []
  expect(verification).toMatchObject([{ changed_by: `\${inputs.${input?.name}}` }])
  const { verification: claims, steps = [] } = recipe ?? {}
  const filled = fillInputs({ verification: claims, steps }, new Map([[input?.name ?? '', '€50']]))
  expect(filled).toMatchObject({ filled: { verification: [{ changed_by: 50 }] } })
})

/** A page on which the message stands where another page has its heading: both are the fourth part. */
const place = (label: string, ...more: readonly Sketch[]): Sketch =>
  box(
    WINDOW,
    drawTitle('Mill lane 4'),
    button('More', at(900, 100, 1040, 220)),
    text(label, at(40, 400, 400, 460)),
    ...more,
  )

test('a message is one although another page has a text at its place in the tree', () => {
  const list = box(
    WINDOW,
    drawTitle('Places'),
    button('Add', at(900, 100, 1040, 220)),
    text('All', at(40, 400, 400, 460)),
    text('Recently seen', at(40, 500, 400, 560)),
    button('Mill lane 4', at(40, 600, 1040, 720)),
  )
  const done = place('Address', text('Marked as home', at(24, 2000, 1056, 2150)))
  const { recipe } = learnFromPages(
    'Mark a place',
    list,
    { tap: 'Mill lane 4' },
    place('Address'),
    { tap: 'More' },
    done,
  )
  expect(recipe?.verification).toMatchObject([{ selector: { part_equals: 'Marked as home' }, transient: true }])
})

test('an entry that the goal names beside others is an input, not the one that is always meant', () => {
  const rows = (names: readonly (readonly [string, string])[]): Sketch =>
    box(
      WINDOW,
      drawTitle('Label this place'),
      ...names.map(([name, street], index) => {
        const top = 300 + index * 150
        return node(
          { ...TOUCH, ...at(0, top, 1080, top + 150) },
          text(name, at(40, top + 20, 800, top + 70)),
          text(street, at(40, top + 80, 800, top + 120)),
        )
      }),
    )
  const before = [
    ['Home', 'Oak road 12'],
    ['Work', 'Dock street 40'],
    ['Gym', 'North park 15'],
  ] as const
  const after = [
    ['Home', 'Mill lane 4'],
    ['Work', 'Dock street 40'],
    ['Gym', 'North park 15'],
  ] as const
  const learn = (goal: string) => learnFromPages(goal, rows(before), { tap: 'Home' }, rows(after)).inputs
  expect(learn('Label a place as Home, Work or something else')).toMatchObject([{ example: 'Home' }])
  expect(learn('Label a place as Home')).toEqual([])
})

const BILLS = [
  ['Harbour Café', 'R-54', 'SENT'],
  ['City Library', 'R-48', 'PAID'],
  ['Bike Cellar', 'R-47', 'PAID'],
  ['Museum Shop', 'R-41', 'DRAFT'],
] as const
const bills = box(
  WINDOW,
  drawTitle('Bills'),
  node(
    { scrollable: 'true', ...at(0, 300, 1080, 2200) },
    ...BILLS.map(([name, code, status], index) => {
      const top = 300 + index * 150
      return node(
        { ...TOUCH, ...at(0, top, 1080, top + 150) },
        text(name, at(40, top + 20, 700, top + 70)),
        text(code, at(40, top + 80, 700, top + 120)),
        text(status, at(800, top + 40, 1040, top + 100)),
      )
    }),
  ),
)
const bill = (...parts: readonly Sketch[]): Sketch =>
  box(WINDOW, drawTitle('R-54'), button('More', at(900, 100, 1040, 220)), ...parts)
const loading = bill(node({ class: 'android.widget.ProgressBar', ...at(480, 900, 600, 1020) }))
const loaded = bill(
  text('Harbour Café', at(40, 300, 700, 380)),
  text('PAID', at(800, 320, 1040, 380)),
  text('Dishwasher repair', at(40, 600, 700, 660)),
  button('Preview', at(40, 2000, 1040, 2140)),
)

test('what a page shows that was still loading before the work is no proof, but another status than in the list is', () => {
  const { recipe } = learnFromPages(
    'Mark the bill of a customer as paid',
    bills,
    { tap: 'Harbour Café' },
    loading,
    { tap: 'More' },
    loaded,
  )
  const claims = JSON.stringify(recipe?.verification)
  expect(claims).toContain('"part_equals":"PAID"')
  expect(claims).not.toMatch(/Preview|repair/)
})

const account = (left: string, ...more: readonly Sketch[]): Sketch =>
  box(
    WINDOW,
    drawTitle('Data plan'),
    text('Used this month', at(40, 300, 400, 350)),
    text('70 MB', at(40, 360, 400, 430)),
    text('Left', at(40, 450, 400, 500)),
    text(left, at(40, 510, 400, 580)),
    button('Buy more', at(40, 620, 400, 740)),
    text('Renews on the first day', at(40, 900, 900, 960)),
    ...more,
  )
/** Options on one line, and on the next one buttons that look like them. */
const packs = (chosen: string): Sketch =>
  box(
    at(0, 1600, 1080, 2200),
    text('Buy more data', at(100, 1640, 700, 1700)),
    ...['15 MB', '30 MB', '45 MB', '60 MB'].map((name, index) => {
      const place = at(100 + index * 220, 1720, 320 + index * 220, 1830)
      const checked = String(name === chosen)
      return node({ class: 'android.widget.Button', text: name, checkable: 'true', checked, ...TOUCH, ...place })
    }),
    button('Cancel', at(540, 1900, 760, 2010)),
    button('Buy', at(760, 1900, 980, 2010)),
  )

const buy = () =>
  learnFromPages(
    'Buy more data',
    account('20 MB'),
    { tap: 'Buy more' },
    packs('15 MB'),
    { tap: '30 MB' },
    packs('30 MB'),
    { tap: 'Buy' },
    account('50 MB', text('+30 MB', at(24, 2000, 1056, 2150))),
  )

test('buttons below the options of a window are no options', () => {
  expect(buy().inputs).toMatchObject([{ example: '30 MB', choices: ['15 MB', '30 MB', '45 MB', '60 MB'] }])
})

test('a number that moved is found by the caption above it, if it has no other name', () => {
  const [claim, ...others] = buy().recipe?.verification ?? []
  expect(others).toEqual([])
  expect(claim).toMatchObject({ selector: { row: [{ part_equals: 'Left' }], index: 1 } })
  expect(claim?.changed_by).toMatch(/^\$\{inputs\./)
  expect(JSON.stringify(claim)).not.toMatch(/[25]0 MB/)
})
