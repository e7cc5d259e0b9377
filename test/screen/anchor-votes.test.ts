import { expect, test } from 'vitest'
import { NodeMatcher } from '@apprentice/contracts/devices/matcher.ts'
import { resolveTarget } from '../../src/screen/matcher.ts'
import { node, screen, type Sketch, text } from './tree-builder.ts'

const item = (label: string, at: number): Sketch =>
  node(
    {
      class: 'android.widget.LinearLayout',
      clickable: 'true',
      bounds: `[560,${200 + at * 120}][1000,${320 + at * 120}]`,
    },
    text(label, { bounds: `[600,${230 + at * 120}][960,${290 + at * 120}]` }),
  )
const menu = (...labels: string[]) =>
  screen(node({ class: 'android.widget.ListView', bounds: '[560,200][1000,900]' }, ...labels.map(item)))
const page = (label: string) =>
  screen(
    node(
      { class: 'android.widget.FrameLayout' },
      text('Week 12', { bounds: '[40,40][600,120]' }),
      node({ class: 'android.widget.Button', text: label, clickable: 'true', bounds: '[40,400][500,520]' }),
    ),
  )

function find(tree: ReturnType<typeof screen>, target: unknown): string | undefined {
  const found = resolveTarget(tree, { matcher: NodeMatcher.parse(target), strict: true })
  return found.kind === 'found' ? found.node.path : undefined
}

const target = {
  class: 'android.widget.LinearLayout',
  containing: { partEquals: 'Lend to somebody' },
  fallbacks: [
    { class: 'android.widget.LinearLayout', between: { after: 'Move to another room', before: 'Delete item' } },
  ],
}

test('a row of a menu between the same rows is another one if its words are others', () => {
  expect(find(menu('Move to another room', 'Lend out', 'Delete item'), target)).toBe('0.1')
  expect(find(menu('Move to another room', 'Mark as returned', 'Delete item'), target)).toBeUndefined()
  expect(find(menu('Move to another room', 'Report as lost', 'Delete item'), target)).toBeUndefined()
})

test('a target that is found by its id knows its words from its other anchors', () => {
  const byId = {
    resourceId: 'app:id/target',
    fallbacks: [{ textEquals: 'Lend' }, { class: 'android.widget.Button', index: 0 }],
  }
  expect(find(page('Lend out'), byId)).toBe('0.1')
  expect(find(page('Return'), byId)).toBeUndefined()
})

test('a control of which only the number is known must not be named otherwise', () => {
  const submit = { textEquals: 'Submit week', fallbacks: [{ class: 'android.widget.Button', index: 0 }] }
  expect(find(page('Send week'), submit)).toBe('0.1')
  expect(find(page('New entry'), submit)).toBeUndefined()
})

const offer = (name: string, label: string, at: number): Sketch[] => [
  text(name, { bounds: `[40,${200 + at * 200}][700,${260 + at * 200}]` }),
  text('A small line', { bounds: `[40,${270 + at * 200}][700,${320 + at * 200}]` }),
  node({
    class: 'android.widget.Button',
    text: label,
    clickable: 'true',
    bounds: `[760,${200 + at * 200}][1040,${320 + at * 200}]`,
  }),
]
const offers = (...labels: string[]) =>
  screen(
    node(
      { scrollable: 'true', bounds: '[0,180][1080,2000]' },
      ...labels.flatMap((label, at) => offer(`Offer ${'ABCDE'[at]}`, label, at)),
    ),
  )
const redeem = {
  class: 'android.widget.Button',
  textEquals: 'Redeem',
  row: [{ partEquals: 'Offer B' }],
  fallbacks: [{ class: 'android.widget.Button', row: [{ partEquals: 'Offer B' }], renamedFrom: 'Redeem' }],
}
const labelOf = (tree: ReturnType<typeof screen>) => {
  const found = resolveTarget(tree, { matcher: NodeMatcher.parse(redeem), strict: true })
  return found.kind === 'found' ? `${found.node.attributes['text']} ${found.votes}` : undefined
}

test('a control of an entry has a new label if those of the other entries have it too', () => {
  expect(labelOf(offers('Get reward', 'Get reward', 'Get reward', 'Get reward'))).toBe('Get reward 2')
})

test.each([
  ['the others have the old label', ['Redeem', 'Get reward', 'Redeem', 'Redeem']],
  ['one has the old label', ['Get reward', 'Get reward', 'Redeem', 'Get reward']],
  ['there are too few others', ['Get reward', 'Get reward']],
  ['it takes back', ['Remove', 'Remove', 'Remove', 'Remove']],
  ['it says the state', ['Redeemed', 'Redeemed', 'Redeemed', 'Redeemed']],
])('a control of an entry is another one if %s', (_name, labels) => {
  expect(labelOf(offers(...labels))).toBeUndefined()
})

test('an answer in another language that begins with a yes is the one of which only the yes is known', () => {
  const question = (...answers: string[]) =>
    screen(
      node(
        { class: 'android.widget.FrameLayout', bounds: '[60,900][1020,1500]' },
        text('Annuler cette réservation ?', { bounds: '[100,940][980,1000]' }),
        ...answers.map((label, at) =>
          node({
            class: 'android.widget.Button',
            text: label,
            clickable: 'true',
            bounds: `[${100 + at * 450},1300][${500 + at * 450},1420]`,
          }),
        ),
      ),
    )
  const yes = {
    partEquals: 'Yes',
    fallbacks: [{ class: 'android.widget.Button', index: 1, foreignTo: ['Cancel this booking?', 'Keep booking'] }],
  }
  expect(find(question('Conserver', 'Oui, annuler'), yes)).toBe('0.2')
  expect(find(question('Conserver', 'Supprimer'), yes)).toBeUndefined()
})
