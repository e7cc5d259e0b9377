import { attribute, isTrue, type UiNode } from '../../../screen/hierarchy.ts'
import { isDynamicText } from '../../../screen/fingerprint.ts'
import { ancestorsOf, isList, isTextField, type Screen, titleWords } from './screen.ts'
import { isFrameworkId, resourceId, shownWords, speakingNodes } from './words.ts'

/** One of several alike: an entry of a list, a card of a grid. */
export interface Row {
  readonly node: UiNode
  readonly list: UiNode
  /** All of its kind that are in the tree, itself among them. */
  readonly siblings: readonly UiNode[]
}

/** The nearest repeated thing a node is, or is part of. */
export function rowAround(node: UiNode): Row | undefined {
  for (const one of [node, ...ancestorsOf(node)]) {
    const row = rowOf(one)
    if (row !== undefined) return row
  }
  return undefined
}

/** The rows below a node, those of the outermost list only. */
export function rowsUnder(nodes: readonly UiNode[]): Row[] {
  return nodes.flatMap((node) => rowOf(node) ?? [])
}

/**
 * A list's entry is a row even if it is the only one; elsewhere it takes two of a kind, and things that
 * only look alike, such as two buttons side by side, are none.
 */
export function rowOf(node: UiNode): Row | undefined {
  const list = node.parent
  if (list === null || isTextField(node) || speakingNodes(node).length === 0) return undefined
  const siblings = list.children.filter((other) => isAlike(node, other))
  const repeated = siblings.length > 1 && (hasOwnId(node) || node.children.length > 0)
  const isEntry = isList(list) && !isFixedEntry(node, list)
  return repeated || isEntry ? { node, list, siblings } : undefined
}

/** An entry of a settings page has an id that none of its neighbours has, and words the framework names. */
function isFixedEntry(node: UiNode, list: UiNode): boolean {
  const id = resourceId(node)
  if (id === '') return false
  const alone = list.children.every((other) => other === node || resourceId(other) !== id)
  return alone && (list.children.length > 1 || [...namesIn(node)].every(isFrameworkId))
}

function hasOwnId(node: UiNode): boolean {
  return resourceId(node) !== ''
}

function isAlike(node: UiNode, other: UiNode): boolean {
  if (node === other) return true
  if (attribute(node, 'class') !== attribute(other, 'class')) return false
  if (resourceId(node) !== resourceId(other)) return false
  if (isTrue(node, 'clickable') !== isTrue(other, 'clickable')) return false
  return sharesShape(node, other)
}

/** The same named parts, or at least as many words, since some parts show only at times. */
function sharesShape(node: UiNode, other: UiNode): boolean {
  const [mine, theirs] = [namesIn(node), namesIn(other)]
  if (mine.size === 0 || theirs.size === 0) return mine.size === theirs.size
  return [...mine].some((name) => theirs.has(name))
}

function namesIn(row: UiNode): Set<string> {
  return new Set(
    speakingNodes(row)
      .map(resourceId)
      .filter((id) => id !== ''),
  )
}

/**
 * The words a person knows a row by: of those that tell it from its siblings the ones that come back in
 * what it opened, else the first that are more than a sign or a number.
 */
export function identityOf(row: Row, opened?: Screen): UiNode | undefined {
  const cells = speakingNodes(row.node)
  const telling = cells.filter((cell) => isTelling(cell, row))
  const named = telling.filter(isName)
  return named.find((cell) => comesBack(cell, opened)) ?? named[0] ?? telling[0] ?? cells[0]
}

function isName(cell: UiNode): boolean {
  const words = shownWords(cell)
  return words.length > 2 && !isDynamicText(words)
}

function comesBack(cell: UiNode, opened: Screen | undefined): boolean {
  if (opened === undefined) return false
  const words = shownWords(cell)
  if (titleWords(opened) === words) return true
  return opened.nodes.some((node) => shownWords(node) === words && rowAround(node) === undefined)
}

function isTelling(cell: UiNode, { node, siblings }: Pick<Row, 'node' | 'siblings'>): boolean {
  const words = shownWords(cell)
  return siblings.every(
    (other) => other === node || speakingNodes(other).every((one) => shownWords(one) !== words),
  )
}

/** The page of settings a framework lays out: its words have ids that any app's have. */
function isPreference({ node }: Row): boolean {
  const names = [...namesIn(node)]
  return names.length > 0 && names.every(isFrameworkId)
}

/** Whether it comes from the app's data: an entry of a list, or a row the app has its own name for. */
export function isData(row: Row): boolean {
  if (isPreference(row)) return false
  const own = resourceId(row.node)
  const named = [own, ...namesIn(row.node)].some((id) => id !== '' && !isFrameworkId(id))
  const repeated = row.siblings.length > 1
  return repeated ? named || isList(row.list) : isList(row.list) && row.list.children.length === 1
}
