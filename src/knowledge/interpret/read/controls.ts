import { inferElementRole } from '../../../screen/tree/element-traits.ts'
import { attribute, isTrue, type UiNode } from '../../../screen/tree/hierarchy.ts'
import { isInside, type Screen } from './screen.ts'

/** The control that a tap on a node switches: the node itself, or the only checkable node inside it. */
export function findCheckable(node: UiNode, { nodes }: Screen): UiNode | undefined {
  if (isTrue(node, 'checkable')) return node
  const inside = nodes.filter((one) => isTrue(one, 'checkable') && isInside(one, node))
  return inside.length === 1 ? inside[0] : undefined
}

export function isRadio(node: UiNode): boolean {
  return inferElementRole(attribute(node, 'class')) === 'radio'
}
