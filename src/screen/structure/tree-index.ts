import { type Bounds, hasArea, union } from '../tree/bounds.ts'
import { type UiNode, attribute } from '../tree/hierarchy.ts'
import { isScroller, readBounds, takesTouch } from './node-kind.ts'
import { type Shape, ShapeReader } from './shape.ts'
import { readLabel } from '../tree/roles.ts'

/** What the analysis needs to know of each visible node, computed once, leaves first. */
export class TreeIndex {
  readonly nodes: readonly UiNode[]
  readonly window: Bounds
  readonly reader = new ShapeReader()
  readonly #shapes: Map<UiNode, Shape | null>
  readonly #children = new Map<UiNode, UiNode[]>()
  readonly #touches = new Map<UiNode, number>()
  readonly #labels = new Map<UiNode, number>()
  readonly #scrollers = new Map<UiNode, UiNode | undefined>()

  constructor(visibleNodes: readonly UiNode[]) {
    this.nodes = visibleNodes
    const visible = new Set(visibleNodes)
    let window: Bounds | undefined
    for (const node of visibleNodes) {
      const parent = node.parent !== null && visible.has(node.parent) ? node.parent : undefined
      this.#children.set(node, [])
      if (parent !== undefined) this.#children.get(parent)?.push(node)
      else if (hasArea(readBounds(node))) {
        window = window === undefined ? readBounds(node) : union(window, readBounds(node))
      }
      this.#scrollers.set(node, isScroller(node) ? node : parent && this.#scrollers.get(parent))
    }
    this.window = window ?? { left: 0, top: 0, right: 1, bottom: 1 }
    this.#shapes = this.reader.readAll(visibleNodes)
    for (let at = visibleNodes.length - 1; at >= 0; at -= 1) this.#count(visibleNodes[at])
  }

  listChildren(node: UiNode): readonly UiNode[] {
    return this.#children.get(node) ?? []
  }

  findShape(node: UiNode): Shape | null {
    return this.#shapes.get(node) ?? null
  }

  /** Number of nodes in the subtree that take a touch. Nodes one upon the other in the same place count once. */
  countTouches(node: UiNode): number {
    return this.#touches.get(node) ?? 0
  }

  /** Number of labels in the subtree, lines of a label counted apart. */
  countLabels(node: UiNode): number {
    return this.#labels.get(node) ?? 0
  }

  /** The nearest node that scrolls this one, or the node itself. */
  findScroller(node: UiNode): UiNode | undefined {
    return this.#scrollers.get(node)
  }

  /** Adds a box around nodes of the tree. */
  addBox(box: UiNode): void {
    this.#children.set(box, [...box.children])
    this.#scrollers.set(box, box.parent === null ? undefined : this.#scrollers.get(box.parent))
    this.#count(box)
  }

  #count(node: UiNode | undefined): void {
    if (node === undefined) return
    const places = new Set<string>()
    let touches = 0
    let inner = 0
    for (const child of this.listChildren(node)) {
      touches += this.countTouches(child)
      inner += this.countLabels(child)
      if (!takesTouch(child)) continue
      const place = attribute(child, 'bounds')
      if (places.has(place)) touches -= 1
      places.add(place)
    }
    if (takesTouch(node) && !places.has(attribute(node, 'bounds'))) touches += 1
    const own = readLabel(node)
      .split('\n')
      .filter((line) => line.trim() !== '').length
    this.#touches.set(node, touches)
    this.#labels.set(node, Math.max(inner, own))
  }
}
