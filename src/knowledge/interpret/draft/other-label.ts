import type { RecipeFallback } from '@apprentice/contracts/recipes/selector.ts'
import { readCaption, readControlActions } from '../../../screen/control-actions.ts'
import { attribute, isTrue, type UiNode } from '../../../screen/tree/hierarchy.ts'
import { escapeReferences, findNodes } from '../read/matching.ts'
import { PERSON } from '../read/page-anchor.ts'
import { findRowAround } from '../read/rows.ts'
import type { Screen } from '../read/screen.ts'
import { keepStructuralText, readPlace, type ScreenView } from '../read/selectors.ts'

/** Finds a control under another label or in another language: at its place, if it says the same action there. */
export function draftByMeaning(node: UiNode, screen: Screen, view: ScreenView): RecipeFallback[] {
  const means = [...readControlActions(node)]
  const place = readPlace(node)
  if (means.length === 0 || place === undefined) return []
  const selector = { ...readKind(node), place, means }
  return isOnlyHere(selector, node, screen, view) ? [{ ...selector, annotation: 'DERIVED' }] : []
}

/** Finds a row that only leads to another page under another label: by the rows before and after it. */
export function draftBetween(node: UiNode, screen: Screen, view: ScreenView): RecipeFallback[] {
  const row = findRowAround(node)
  const members = row?.group.members ?? []
  const at = row === undefined ? -1 : members.indexOf(row.node)
  const [after = '', before = ''] = [members[at - 1], members[at + 1]].map((one) => readRowLabel(one, view))
  if (at < 0 || after === '' || before === '') return []
  const between = { after: escapeReferences(after), before: escapeReferences(before) }
  const selector = { ...readKind(node), between }
  return isOnlyHere(selector, node, screen, view) ? [{ ...selector, annotation: 'DERIVED' }] : []
}

/** The caption of a row if it belongs to the app. */
function readRowLabel(row: UiNode | undefined, view: ScreenView): string {
  const label = row === undefined ? '' : keepStructuralText(readCaption(row), view)
  return label.length > MAX_LABEL || PERSON.test(label) ? '' : label
}

const readKind = (node: UiNode) => ({
  class: attribute(node, 'class'),
  ...(isTrue(node, 'clickable') && { clickable: true }),
})

/** A fallback must not act on another page, if the run is not where it should be. */
function isOnlyHere(selector: RecipeFallback, node: UiNode, screen: Screen, view: ScreenView): boolean {
  const { any_of: _any, all_of: _all, ...own } = selector
  const [only, ...others] = findNodes(screen, { selector: own }, view.examples)
  return only === node && others.length === 0 && view.index.isFoundOnlyOn(screen, { selector: own }, view.examples)
}

const MAX_LABEL = 60
