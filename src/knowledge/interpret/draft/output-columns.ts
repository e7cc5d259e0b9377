import type { RecipeSelector } from '@apprentice/contracts/recipes/selector.ts'
import { attribute, type UiNode } from '../../../screen/tree/hierarchy.ts'
import { describeWay, followWay } from '../../../screen/structure/flat-rows.ts'
import { matchTarget } from '../../../screen/matcher.ts'
import { lowerSelector } from '../../recipes/lower/lower-selector.ts'
import type { Place } from '../read/matching.ts'
import { resourceId } from '../read/node-text.ts'
import type { Row } from '../read/rows.ts'
import type { Screen } from '../read/screen.ts'

/** A selector that finds the same part of every row that is visible, and nothing else. */
export function locateColumn(node: UiNode, row: Row, screen: Screen): Place | undefined {
  const way = describeWay(row.node, node)
  const members = new Set(row.group.members.map((member) => followWay(member, way)))
  const cells = screen.nodes.filter((one) => members.has(one))
  return listPlaces(node, row).find((place) => findsOnly(place, cells, screen))
}

function listPlaces(node: UiNode, { group }: Row): Place[] {
  const id = resourceId(node)
  const index = Number(node.path.slice(node.path.lastIndexOf('.') + 1))
  const type = attribute(node, 'class')
  const selectors: RecipeSelector[] = [
    ...(id === '' ? [] : [{ resource_id: id }]),
    { class: type },
    { class: type, index_in_parent: index },
  ]
  const holder = resourceId(group.holder)
  const containers: RecipeSelector[] = [
    ...(holder === '' ? [] : [{ resource_id: holder }]),
    { class: attribute(group.holder, 'class') },
  ]
  const annotation = 'STRUCTURAL' as const
  return [undefined, ...containers].flatMap((container) =>
    selectors.map((selector) => ({
      selector: { ...selector, annotation },
      ...(container !== undefined && { container: { ...container, annotation } }),
    })),
  )
}

function findsOnly({ selector, container }: Place, cells: readonly UiNode[], { tree }: Screen): boolean {
  const matches = matchTarget(tree, {
    matcher: lowerSelector(selector),
    ...(container !== undefined && { container: lowerSelector(container), strict: true }),
  })
  if (matches.kind !== 'found' || matches.nodes.length !== cells.length) return false
  return matches.nodes.every((node) => cells.includes(node))
}
