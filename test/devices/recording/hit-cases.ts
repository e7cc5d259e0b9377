import type { Hierarchy } from '../../../src/screen/tree/hierarchy.ts'
import { node, screen } from '../../screen/tree-builder.ts'

export interface HitCase {
  readonly name: string
  readonly tree: Hierarchy
  readonly point: { readonly x: number; readonly y: number }
  readonly target: string | undefined
  readonly under: string | undefined
}

const clickable = { clickable: 'true' }
const at = (bounds: string, id: string, more: Record<string, string> = {}) => ({
  'resource-id': id,
  bounds,
  ...more,
})

const row = node(
  at('[0,100][1000,200]', 'row', clickable),
  node(at('[0,100][800,200]', 'label')),
  node(at('[800,100][1000,200]', 'switch', { checkable: 'true' })),
)
const page = screen(
  node(
    at('[0,0][1000,2000]', 'page'),
    row,
    node(at('[0,300][1000,400]', 'below', clickable)),
    node(at('[400,300][600,400]', 'overlay')),
    node(at('[700,150][900,350]', 'float', clickable)),
  ),
)

export const hitTestCases: readonly HitCase[] = [
  {
    name: 'a text in a row passes the touch to the row',
    tree: page,
    point: { x: 100, y: 150 },
    target: 'row',
    under: 'label',
  },
  {
    name: 'a switch in a row takes the touch itself',
    tree: page,
    point: { x: 950, y: 150 },
    target: 'switch',
    under: 'switch',
  },
  {
    name: 'a node that takes no touches passes them to the node below it',
    tree: page,
    point: { x: 500, y: 350 },
    target: 'below',
    under: 'overlay',
  },
  {
    name: 'a button on top takes the touch',
    tree: page,
    point: { x: 850, y: 180 },
    target: 'float',
    under: 'float',
  },
  {
    name: 'an empty area has no target',
    tree: page,
    point: { x: 500, y: 1500 },
    target: undefined,
    under: 'page',
  },
  {
    name: 'a point outside the window has no node',
    tree: page,
    point: { x: 500, y: 2000 },
    target: undefined,
    under: undefined,
  },
]
