import { inferNodeRole } from '../../src/screen/tree/element-traits.ts'
import { type UiNode, attribute } from '../../src/screen/tree/hierarchy.ts'
import { arrangeLines } from '../../src/screen/structure/geometry.ts'
import { findLabelBeside, findSectionTitle } from '../../src/screen/structure/label-beside.ts'
import { maskText } from '../../src/screen/structure/mask-text.ts'
import { nameNode } from '../../src/screen/structure/node-name.ts'
import { chooseKey } from '../../src/screen/structure/row-key.ts'
import { analyzeStructure } from '../../src/screen/structure/structure.ts'
import type { Tree } from './trees-corpus.ts'

/** What tells a node from others. Empty if the node has none. */
interface Features {
  readonly node: UiNode
  /** Role, id and key of the row. */
  readonly fixed: readonly string[]
  readonly name: string
  /** Text and description, with numbers masked. */
  readonly label: string
  /** Text and description as they are. */
  readonly text: string
  readonly beside: string
  readonly section: string
  /** Names of what takes a touch on the left and on the right. */
  readonly neighbour: string
  readonly box: string
}

/**
 * Combinations of features that may make a selector, best first. All of them must be present. Role and id always count,
 * and in a row of data the key of the row.
 */
const COMBINATIONS: readonly (readonly (keyof Omit<Features, 'node' | 'fixed'>)[])[] = [
  ['name'],
  ['label'],
  ['beside', 'name'],
  ['section', 'name'],
  ['box', 'name'],
  ['text'],
  ['beside'],
  ['neighbour', 'name'],
  ['neighbour', 'section'],
  ['section'],
  ['neighbour'],
  ['box', 'label'],
  ['box', 'beside'],
  ['box', 'neighbour', 'name'],
  ['box'],
  [],
]

export interface SelectorCounts {
  readonly nodes: number
  readonly named: number
  readonly roles: number
  readonly unique: number
  /** Selectors that find exactly one node on another state of the app, and how many of those are another node. */
  readonly refound: number
  readonly strayed: number
}

export interface ScreenFeatures {
  readonly file: string
  readonly features: readonly Features[]
  readonly index: ReadonlyMap<string, readonly Features[]>
}

export function readFeatures(tree: Tree): ScreenFeatures {
  const structure = analyzeStructure(tree.visible)
  const keys = new Map<UiNode, string>()
  for (const row of structure.rows) {
    if (structure.classify(row.group) !== 'data') continue
    keys.set(
      row.node,
      chooseKey(row, [])
        .map(({ text }) => text)
        .join('\n'),
    )
  }
  const things = dropInnerTwins(tree.touchable)
  const names = new Map(things.map((node) => [node, maskText(nameNode(node, tree.visible))]))
  const lines = arrangeLines(things)
  const features = things.map((node): Features => {
    const row = structure.findRow(node)?.node
    return {
      node,
      fixed: [inferNodeRole(node) ?? '', attribute(node, 'resource-id'), (row && keys.get(row)) ?? ''],
      name: names.get(node) ?? '',
      label: maskText(attribute(node, 'text') + attribute(node, 'content-desc')),
      text: attribute(node, 'text') + attribute(node, 'content-desc'),
      beside: maskText(findLabelBeside(node, tree.visible)),
      section: maskText(findSectionTitle(node, tree.visible)),
      neighbour: findNeighbours(node, lines, names),
      box: findBox(node),
    }
  })
  return { file: tree.file, features, index: indexFeatures(features) }
}

/** Leaves out what is inside another thing of the same size: touching either is the same. */
function dropInnerTwins(nodes: readonly UiNode[]): UiNode[] {
  const all = new Set(nodes)
  return nodes.filter((node) => {
    for (let at = node.parent; at !== null; at = at.parent) {
      if (all.has(at) && attribute(at, 'bounds') === attribute(node, 'bounds')) return false
    }
    return true
  })
}

function findNeighbours(
  node: UiNode,
  lines: readonly (readonly UiNode[])[],
  names: ReadonlyMap<UiNode, string>,
): string {
  const line = lines.find((one) => one.includes(node)) ?? []
  const at = line.indexOf(node)
  const [left, right] = [line[at - 1], line[at + 1]].map((one) => (one && names.get(one)) ?? '')
  return `${left}${right}` === '' ? '' : `${left}|${right}`
}

/** The nearest ancestor with an id or a description. */
function findBox(node: UiNode): string {
  for (let at = node.parent; at !== null; at = at.parent) {
    const name = attribute(at, 'resource-id') || attribute(at, 'content-desc')
    if (name !== '') return name
  }
  return ''
}

function indexFeatures(features: readonly Features[]): Map<string, Features[]> {
  const index = new Map<string, Features[]>()
  for (const one of features) {
    for (const selector of listSelectors(one)) index.set(selector, [...(index.get(selector) ?? []), one])
  }
  return index
}

/** What has a name is never found without it. */
const isName = (feature: string): boolean => ['name', 'label', 'text'].includes(feature)

function listSelectors(features: Features): string[] {
  const usable = COMBINATIONS.filter(
    (names) => names.every((name) => features[name] !== '') && (features.name === '' || names.some(isName)),
  )
  return usable.map((names) => JSON.stringify([features.fixed, names.map((name) => [name, features[name]])]))
}

/** Counts the selectors of one screen, and what they find on other states of the same app. */
export function countSelectors(screen: ScreenFeatures, others: readonly ScreenFeatures[]): SelectorCounts {
  const counts = { nodes: 0, named: 0, roles: 0, unique: 0, refound: 0, strayed: 0 }
  for (const features of screen.features) {
    counts.nodes += 1
    if (features.name !== '') counts.named += 1
    if (features.fixed[0] !== '') counts.roles += 1
    const selector = listSelectors(features).find((one) => screen.index.get(one)?.length === 1)
    if (selector === undefined) continue
    counts.unique += 1
    for (const other of others) {
      const [found, ...more] = other.index.get(selector) ?? []
      if (found === undefined || more.length > 0) continue
      counts.refound += 1
      if (!isSameThing(features, found)) counts.strayed += 1
    }
  }
  return counts
}

/** Whether two nodes of two states are the same for a person: what they are, what they are called and where they belong. */
function isSameThing(a: Features, b: Features): boolean {
  return a.name === b.name && a.fixed.every((value, at) => value === b.fixed[at])
}
