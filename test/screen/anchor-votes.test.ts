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
