import type { RecipeFallback, RecipeSelector } from '@apprentice/contracts/recipes/selector.ts'
import { attribute, isTrue, subtree, type UiNode } from '../../../screen/tree/hierarchy.ts'
import { readLabels } from '../../../screen/label-match.ts'
import { escapeReferences, findNodes, formatReference, type Place } from '../read/matching.ts'
import type { Screen } from '../read/screen.ts'
import type { Candidate, ScreenView } from '../read/selectors.ts'

/** The ways to find a number on a dial: by its label with the words around the number, or by the number inside it. */
export function findDialCandidates(option: UiNode, screen: Screen, input: string, view: ScreenView): Candidate[] {
  const own = readLabels(option).map((label) => ({ part_equals: toTemplate(label, input) }))
  const inner = [...subtree(option)].filter((one) => one !== option).flatMap(readLabels)
  const containing = inner.map((label) => ({ containing: { part_equals: toTemplate(label, input) } }))
  const selectors = [...own, ...containing].map((what): RecipeSelector => ({ ...readKind(option), ...what }))
  return selectors
    .filter((selector) => isOnly(option, screen, { selector }, view))
    .map((selector) => ({
      selector: { ...selector, annotation: 'VARIABLE' },
      source: 'list_entry',
      annotation: 'VARIABLE',
      unique_on: 1,
    }))
}

/** Small numbers may have a zero in front, and another language other words. */
export function draftDialFallbacks(option: UiNode, screen: Screen, input: string, view: ScreenView): RecipeFallback[] {
  const shows = formatReference(input)
  const kind = readKind(option)
  const places: RecipeFallback[] = [
    { ...kind, shows },
    { ...kind, containing: { shows } },
  ]
  return places
    .filter((selector) => {
      const { any_of: _any, all_of: _all, ...own } = selector
      return isOnly(option, screen, { selector: own }, view)
    })
    .map((selector) => ({ ...selector, annotation: 'VARIABLE' as const }))
}

const readKind = (node: UiNode) => ({
  class: attribute(node, 'class'),
  ...(isTrue(node, 'clickable') && { clickable: true }),
})

const toTemplate = (label: string, input: string): string => {
  const [, before = '', after = ''] = /^(\P{N}*)\p{Nd}{1,2}(\P{N}*)$/u.exec(label.trim()) ?? []
  return `${escapeReferences(before)}${formatReference(input)}${escapeReferences(after)}`
}

function isOnly(node: UiNode, screen: Screen, place: Place, view: ScreenView): boolean {
  const [only, ...others] = findNodes(screen, place, view.examples)
  return only === node && others.length === 0
}
