import type { NodeMatcher } from '@apprentice/contracts/devices/matcher.ts'
import { attribute, type Hierarchy, subtree, type UiNode } from '../../screen/hierarchy.ts'
import { matchTarget, resolveTarget } from '../../screen/matcher.ts'
import { labelOf } from '../../screen/roles.ts'

/** The plainest way to name a node so that nothing else on this screen is meant. */
export function pinpoint(tree: Hierarchy, node: UiNode): NodeMatcher | undefined {
  const named = [...candidates(node)].find((matcher) => isOnly(tree, node, matcher))
  return named ?? counted(tree, node)
}

/** As `pinpoint`, for a node whose words are about to change. */
export function pinpointValue(tree: Hierarchy, node: UiNode): NodeMatcher | undefined {
  const id = attribute(node, 'resource-id')
  const named = [{ resourceId: id }].find((matcher) => id !== '' && isOnly(tree, node, matcher))
  return named ?? counted(tree, node)
}

function* candidates(node: UiNode): Generator<NodeMatcher> {
  const id = attribute(node, 'resource-id')
  const label = labelOf(node)
  const description = attribute(node, 'content-desc')
  const type = attribute(node, 'class')
  if (description !== '') yield { contentDescEquals: description }
  if (label !== '') yield { textEquals: label }
  if (id !== '') yield { resourceId: id }
  if (id !== '' && label !== '') yield { resourceId: id, textEquals: label }
  if (type !== '' && label !== '') yield { class: type, textEquals: label }
  for (const inner of subtree(node)) {
    const said = inner === node ? '' : labelOf(inner)
    if (said === '') continue
    if (id !== '') yield { resourceId: id, containing: { textEquals: said } }
    yield { class: type, clickable: true, containing: { textEquals: said } }
    yield { class: type, containing: { textEquals: said } }
  }
}

function isOnly(tree: Hierarchy, node: UiNode, matcher: NodeMatcher): boolean {
  const found = resolveTarget(tree, { matcher, strict: true })
  return found.kind === 'found' && found.node === node
}

/** By its place among those like it, when nothing else tells it from them. */
function counted(tree: Hierarchy, node: UiNode): NodeMatcher | undefined {
  const id = attribute(node, 'resource-id')
  const alike: NodeMatcher = id === '' ? { class: attribute(node, 'class') } : { resourceId: id }
  const found = matchTarget(tree, { matcher: alike })
  const index = found.kind === 'found' ? found.nodes.indexOf(node) : -1
  return index === -1 ? undefined : { ...alike, index }
}
