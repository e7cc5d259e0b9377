import type { NodeMatcher } from '@apprentice/contracts/devices/matcher.ts'
import { attribute, type Hierarchy, subtree, type UiNode } from '../../screen/tree/hierarchy.ts'
import { matchTarget, resolveTarget } from '../../screen/matcher.ts'
import { readLabel } from '../../screen/tree/roles.ts'

/** The simplest matcher that matches only this node on this screen. */
export function findUniqueMatcher(tree: Hierarchy, node: UiNode): NodeMatcher | undefined {
  const named = [...listCandidates(node)].find((matcher) => isUnique(tree, node, matcher))
  return named ?? buildIndexMatcher(tree, node)
}

/** As `findUniqueMatcher`, for a node whose text is about to change. */
export function findUniqueValueMatcher(tree: Hierarchy, node: UiNode): NodeMatcher | undefined {
  const id = attribute(node, 'resource-id')
  const named = [{ resourceId: id }].find((matcher) => id !== '' && isUnique(tree, node, matcher))
  return named ?? buildIndexMatcher(tree, node)
}

function* listCandidates(node: UiNode): Generator<NodeMatcher> {
  const id = attribute(node, 'resource-id')
  const label = readLabel(node)
  const description = attribute(node, 'content-desc')
  const type = attribute(node, 'class')
  if (description !== '') yield { contentDescEquals: description }
  if (label !== '') yield { textEquals: label }
  if (id !== '') yield { resourceId: id }
  if (id !== '' && label !== '') yield { resourceId: id, textEquals: label }
  if (type !== '' && label !== '') yield { class: type, textEquals: label }
  for (const inner of subtree(node)) {
    const innerLabel = inner === node ? '' : readLabel(inner)
    if (innerLabel === '') continue
    if (id !== '') yield { resourceId: id, containing: { textEquals: innerLabel } }
    yield { class: type, clickable: true, containing: { textEquals: innerLabel } }
    yield { class: type, containing: { textEquals: innerLabel } }
  }
}

function isUnique(tree: Hierarchy, node: UiNode, matcher: NodeMatcher): boolean {
  const found = resolveTarget(tree, { matcher, strict: true })
  return found.kind === 'found' && found.node === node
}

/** Matches a node by its index among nodes of the same id or class. */
function buildIndexMatcher(tree: Hierarchy, node: UiNode): NodeMatcher | undefined {
  const id = attribute(node, 'resource-id')
  const alike: NodeMatcher = id === '' ? { class: attribute(node, 'class') } : { resourceId: id }
  const found = matchTarget(tree, { matcher: alike })
  const index = found.kind === 'found' ? found.nodes.indexOf(node) : -1
  return index === -1 ? undefined : { ...alike, index }
}
