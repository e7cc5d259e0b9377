import { expect, test } from 'vitest'
import { findCheckable } from '../../src/screen/checkable.ts'
import type { Hierarchy } from '../../src/screen/tree/hierarchy.ts'
import { node, screen, text } from './tree-builder.ts'

const box = (more = {}) => node({ class: 'android.widget.CheckBox', checkable: 'true', ...more })
const row = { clickable: 'true' }

function checkable(hierarchy: Hierarchy, path: string) {
  const from = hierarchy.nodes.find((one) => one.path === path) ?? expect.fail(`no node ${path}`)
  const found = findCheckable(hierarchy, from)
  return found.kind === 'found' ? found.node.path : found.kind
}

test.each([
  ['itself', screen(node({}, box())), '0.0', '0.0'],
  ['the only one inside it', screen(node({}, node({}, text('A'), node({}, box())))), '0.0', '0.0.1.0'],
  ['ambiguous with two inside it', screen(node({}, node({}, box(), box()))), '0.0', 'several'],
  ['the one in its row', screen(node({}, node(row, text('A'), box()))), '0.0.0', '0.0.1'],
  ['one of two in its row', screen(node({}, node(row, text('A'), box(), box()))), '0.0.0', 'several'],
  ['none in its row', screen(node({}, node(row, text('A')), box())), '0.0.0', 'none'],
  ['the nearest without a row', screen(node({}, node({}, text('A'), box()), box())), '0.0.0', '0.0.1'],
  [
    'none beyond the list',
    screen(node({}, node({ scrollable: 'true' }, node({}, text('A'))), box())),
    '0.0.0.0',
    'none',
  ],
  ['none that is not seen', screen(node({}, node(row, text('A'), box({ bounds: '[0,0][0,0]' })))), '0.0.0', 'none'],
  ['none at all', screen(node({}, text('A'))), '0.0', 'none'],
])('the checkable of a node is %s', (_name, hierarchy, path, expected) => {
  expect(checkable(hierarchy, path)).toBe(expected)
})
