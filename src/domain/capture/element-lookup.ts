import type { ElementReference } from '@apprentice/contracts/learn/elements.ts'
import { Failure } from '../../failure/failure.ts'
import { readText } from '../../knowledge/interpret/read/node-text.ts'
import type { Hierarchy, UiNode } from '../../screen/tree/hierarchy.ts'
import { findNodeAt } from '../../screen/hit-test.ts'
import { collectOnScreenNodes, findWindow, matchTarget } from '../../screen/matcher.ts'

const MAX_SEEN = 30
const MAX_CANDIDATES = 10

/** The element of a screen that a reference names. Throws and says what is there if it names none or several. */
export function locateElement(tree: Hierarchy, reference: ElementReference): UiNode {
  const visible = collectOnScreenNodes(tree.roots, findWindow(tree))
  const { path, point, selector } = reference
  const field = path !== undefined ? 'path' : point !== undefined ? 'point' : 'selector'
  const isVisible = new Set(visible)
  const found = dropRepeatedLabels(findNodes(tree, reference).filter((node) => isVisible.has(node)))
  const chosen = selector?.index === undefined ? found : found.slice(selector.index, selector.index + 1)
  const [node] = chosen
  if (node === undefined) throw elementNotFound(field, 'The screen has no such element', visible)
  if (chosen.length > 1) throw elementAmbiguous(field, chosen)
  return node
}

function findNodes(tree: Hierarchy, { path, point, selector }: ElementReference): readonly UiNode[] {
  if (path !== undefined) return tree.nodes.filter((node) => node.path === path)
  if (point !== undefined) {
    const node = findNodeAt(tree, point)
    return node === undefined ? [] : [node]
  }
  if (selector === undefined) return []
  const matches = matchTarget(tree, { matcher: selector })
  return matches.kind === 'found' ? matches.nodes : []
}

/** A row often repeats the label of a part as its own. The part is meant. */
function dropRepeatedLabels(nodes: readonly UiNode[]): UiNode[] {
  const texts = new Map(nodes.map((node) => [node, readText(node)]))
  const repeated = new Set<UiNode>()
  for (const [inner, text] of texts) {
    for (let outer = inner.parent; outer !== null; outer = outer.parent) {
      if (texts.get(outer) === text) repeated.add(outer)
    }
  }
  return nodes.filter((node) => !repeated.has(node))
}

export function elementNotFound(field: string, problem: string, visible: readonly UiNode[]): Failure {
  const seen = [...new Set(visible.map(readText).filter((text) => text !== ''))].slice(0, MAX_SEEN)
  const shown = seen.length === 0 ? 'It shows no text.' : `It shows: ${seen.join(', ').slice(0, 300)}.`
  return new Failure('ELEMENT_NOT_FOUND', `element.${field}: ${problem}. ${shown}`, {
    details: { field: `element.${field}`, seen },
  })
}

function elementAmbiguous(field: string, nodes: readonly UiNode[]): Failure {
  const candidates = nodes.slice(0, MAX_CANDIDATES).map((node) => ({
    path: node.path,
    label: describeElement(node),
    bounds: node.bounds,
  }))
  return new Failure('ELEMENT_AMBIGUOUS', `element.${field} matches ${nodes.length} elements; name one by its path.`, {
    details: { field: `element.${field}`, candidates },
  })
}

/** What an element shows: its own text, or the texts inside it. */
export function describeElement(node: UiNode): string {
  const own = readText(node)
  const inside = own === '' ? listInside(node).map(readText) : [own]
  return inside
    .filter((text) => text !== '')
    .join(', ')
    .replaceAll(/\s+/gu, ' ')
    .slice(0, 240)
}

const listInside = (node: UiNode): UiNode[] => node.children.flatMap((child) => [child, ...listInside(child)])
