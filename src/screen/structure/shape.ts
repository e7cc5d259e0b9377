import { type UiNode, isTrue } from '../tree/hierarchy.ts'
import { readLabel } from '../tree/roles.ts'
import { type NodeKind, findKind, isShown, listShown, takesTouch } from './node-kind.ts'

/**
 * The shape of a subtree: kinds, touch and nesting, without texts, places and ids. A box that adds nothing to its only
 * child has the shape of the child. Boxes without content have no shape.
 */
export interface Shape {
  readonly node: UiNode
  readonly kind: NodeKind
  readonly touch: boolean
  readonly children: readonly Shape[]
  /** Number of shapes in the subtree, itself included. */
  readonly size: number
  /** Equal for equal shapes of one `ShapeReader`. */
  readonly id: number
}

/** The least share of matched nodes of similar subtrees. */
export const SIMILAR = 0.7

const MAX_DEPTH = 4
const MAX_ALIGNED_CHILDREN = 12

/** Whether the node is the chosen one of several: Compose takes the touch from it, but it is one of them all the same. */
function isChosen(node: UiNode): boolean {
  return isTrue(node, 'selected') && (node.parent === null || !isTrue(node.parent, 'selected'))
}

/** Whether two subtrees have a similar shape. Optional parts are allowed. */
export function areSimilar(a: UiNode, b: UiNode): boolean {
  const reader = new ShapeReader()
  const [first, second] = [reader.readSubtree(a), reader.readSubtree(b)]
  return first !== null && second !== null && reader.compare(first, second) >= SIMILAR
}

/** Reads shapes and compares them. Equal shapes share an id, so that equal subtrees are compared once. */
export class ShapeReader {
  readonly #ids = new Map<string, number>()
  readonly #compared = new Map<string, number>()

  /** Reads the shapes of nodes given parents first. */
  readAll(nodes: readonly UiNode[]): Map<UiNode, Shape | null> {
    const shapes = new Map<UiNode, Shape | null>()
    for (let at = nodes.length - 1; at >= 0; at -= 1) {
      const node = nodes[at]
      if (node !== undefined) shapes.set(node, this.#read(node, shapes))
    }
    return shapes
  }

  readSubtree(node: UiNode): Shape | null {
    return this.readAll(listShown(node)).get(node) ?? null
  }

  /** The share of matched nodes, from 0 to 1. */
  compare(a: Shape, b: Shape): number {
    if (a.id === b.id) return 1
    return (2 * this.countMatched(a, b, 0)) / (a.size + b.size)
  }

  /** Number of nodes matched by an ordered alignment. Below `MAX_DEPTH` only equal shapes match. */
  countMatched(a: Shape, b: Shape, depth: number): number {
    if (a.id === b.id) return a.size
    if (a.kind !== b.kind) return 0
    const own = a.touch === b.touch ? 1 : 0.5
    if (depth >= MAX_DEPTH || a.children.length === 0 || b.children.length === 0) return own
    const key = a.id < b.id ? `${a.id}:${b.id}:${depth}` : `${b.id}:${a.id}:${depth}`
    const known = this.#compared.get(key)
    if (known !== undefined) return known
    const matched = own + this.#alignChildren(a, b, depth + 1)
    this.#compared.set(key, matched)
    return matched
  }

  #alignChildren(a: Shape, b: Shape, depth: number): number {
    const columns = Math.min(b.children.length, MAX_ALIGNED_CHILDREN)
    let above = Array.from({ length: columns + 1 }, () => 0)
    for (const first of a.children.slice(0, MAX_ALIGNED_CHILDREN)) {
      const line = [0]
      for (let at = 0; at < columns; at += 1) {
        const second = b.children[at]
        const matched = second === undefined ? 0 : this.countMatched(first, second, depth)
        line.push(Math.max(above[at + 1] ?? 0, line[at] ?? 0, (above[at] ?? 0) + matched))
      }
      above = line
    }
    return above[columns] ?? 0
  }

  #read(node: UiNode, shapes: ReadonlyMap<UiNode, Shape | null>): Shape | null {
    const children: Shape[] = []
    for (const child of node.children) {
      const shape = isShown(child) ? shapes.get(child) : undefined
      if (shape !== undefined && shape !== null) children.push(shape)
    }
    const kind = findKind(node, children.length === 0)
    const touch = takesTouch(node) || isChosen(node)
    if (kind === 'box' && !touch && !isTrue(node, 'scrollable') && readLabel(node) === '') {
      const [only, ...others] = children
      if (only === undefined) return null
      if (others.length === 0) return only
    }
    const size = children.reduce((total, child) => total + child.size, 1)
    const key = `${kind}${touch ? '!' : ''}(${children.map(({ id }) => id).join()})`
    return { node, kind, touch, children, size, id: this.#intern(key) }
  }

  #intern(key: string): number {
    const known = this.#ids.get(key)
    if (known !== undefined) return known
    this.#ids.set(key, this.#ids.size)
    return this.#ids.size - 1
  }
}
