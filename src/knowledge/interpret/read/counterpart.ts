import { attribute, type UiNode } from '../../../screen/tree/hierarchy.ts'
import { describeWay, followWay } from '../../../screen/structure/flat-rows.ts'
import { maskText } from '../../../screen/structure/mask-text.ts'
import { readText } from './node-text.ts'
import { findIdentity, findRowAround, findRowByText, isDataRow } from './rows.ts'
import { findNode, type Screen } from './screen.ts'

/**
 * Finds on another reading of a screen the node that stands for the same thing: in a list entry by the name of the
 * entry, elsewhere by its path, otherwise by its label without numbers.
 */
export function findCounterpart(node: UiNode, screen: Screen): UiNode | undefined {
  const row = findRowAround(node)
  if (row !== undefined && isDataRow(row)) {
    const name = findIdentity(row)
    const other = name && findRowByText(name.text, screen)
    return other && followWay(other.node, describeWay(row.node, node))
  }
  const same = findNode(screen, node.path)
  if (same !== undefined && isSamePart(node, same)) return same
  const label = maskText(readText(node))
  if (label === '') return undefined
  const alike = screen.nodes.filter((one) => isSamePart(node, one) && maskText(readText(one)) === label)
  return alike.length === 1 ? alike[0] : undefined
}

function isSamePart(one: UiNode, other: UiNode): boolean {
  return (
    attribute(one, 'class') === attribute(other, 'class') &&
    attribute(one, 'resource-id') === attribute(other, 'resource-id')
  )
}
