import { type UiNode, attribute } from '../hierarchy.ts'
import { readLabel } from '../roles.ts'
import { splitLines } from './label-parts.ts'
import { maskText } from './mask-text.ts'
import { findKind, listShown, readBounds, takesTouch } from './node-kind.ts'
import { analyzeStructure } from './structure.ts'

/** What a page is, whatever its data. */
export interface ScreenKind {
  readonly package: string
  /** The masked text at the top of the page. Empty if there is none. */
  readonly title: string
  /** Masked words outside the rows of data. */
  readonly words: ReadonlySet<string>
  /** Kinds, ids and places of the parts outside the rows of data. */
  readonly parts: ReadonlySet<string>
  /** Kinds of nodes in a row, by list. */
  readonly rows: ReadonlySet<string>
}

export function describeScreenKind(visibleNodes: readonly UiNode[]): ScreenKind {
  const structure = analyzeStructure(visibleNodes)
  const data = structure.rows.filter(({ group }) => structure.classify(group) === 'data')
  const inRows = new Set(data.flatMap(({ node }) => listShown(node)))
  const outside = visibleNodes.filter((node) => !inRows.has(node))
  const window = readWindow(visibleNodes)
  return {
    package: attribute(visibleNodes[0] ?? EMPTY, 'package'),
    title: findTitle(outside, window.bottom - window.top),
    words: new Set(outside.flatMap(listWords)),
    parts: new Set(outside.flatMap((node) => describePart(node, window))),
    rows: new Set(data.map(({ node }) => describeRow(node))),
  }
}

/** Whether two screens show the same kind of page, whatever their data. */
export function isSameScreenKind(a: ScreenKind, b: ScreenKind): boolean {
  if (a.package !== b.package) return false
  const words = compareSets(a.words, b.words)
  const parts = compareSets(a.parts, b.parts)
  const rows = a.rows.size === 0 || b.rows.size === 0 ? 0.5 : compareSets(a.rows, b.rows)
  const title = a.title === b.title ? 1 : 0
  return words * 0.4 + parts * 0.3 + rows * 0.1 + title * 0.2 >= SAME_KIND
}

const SAME_KIND = 0.5

const EMPTY: UiNode = { path: '', depth: 0, parent: null, children: [], attributes: {}, bounds: null }

function readWindow(nodes: readonly UiNode[]) {
  let [right, bottom] = [1, 1]
  for (const node of nodes) {
    right = Math.max(right, readBounds(node).right)
    bottom = Math.max(bottom, readBounds(node).bottom)
  }
  return { left: 0, top: 0, right, bottom }
}

function findTitle(nodes: readonly UiNode[], height: number): string {
  const titles = nodes.filter(
    (node) => readBounds(node).bottom <= height * TITLE_ZONE && !takesTouch(node) && /\p{L}/u.test(readLabel(node)),
  )
  const [first] = titles.toSorted((a, b) => readBounds(a).top - readBounds(b).top)
  return first === undefined ? '' : maskText(readLabel(first))
}

const TITLE_ZONE = 0.16

function listWords(node: UiNode): string[] {
  if (findKind(node, true) === 'field') return []
  return splitLines(readLabel(node)).map(({ text }) => maskText(text).toLowerCase())
}

function describePart(node: UiNode, window: { readonly right: number; readonly bottom: number }): string[] {
  const kind = findKind(node, node.children.length === 0)
  const touch = takesTouch(node)
  if (kind === 'box' && !touch) return []
  const { left, top, right, bottom } = readBounds(node)
  const x = Math.floor(((left + right) / 2 / window.right) * 6)
  const y = Math.floor(((top + bottom) / 2 / window.bottom) * 10)
  return [`${kind}${touch ? '!' : ''}@${x},${y}`]
}

function describeRow(node: UiNode): string {
  const counts = new Map<string, number>()
  for (const one of listShown(node)) {
    const kind = findKind(one, one.children.length === 0)
    if (kind !== 'box') counts.set(kind, (counts.get(kind) ?? 0) + 1)
  }
  return [...counts]
    .map(([kind, count]) => `${kind}${Math.min(count, 3)}`)
    .toSorted()
    .join()
}

/** Common members / all members. Two empty sets are equal. */
function compareSets(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  let common = 0
  for (const one of a) if (b.has(one)) common += 1
  const all = a.size + b.size - common
  return all === 0 ? 1 : common / all
}
