import type { RecipeFallback } from '@apprentice/contracts/recipes/selector.ts'
import { attribute, isTrue, subtree, type UiNode } from '../../../screen/tree/hierarchy.ts'
import { readLabels } from '../../../screen/label-match.ts'
import { escapeReferences, findNodes, formatReference, type Place } from '../read/matching.ts'
import type { Screen } from '../read/screen.ts'
import type { Candidate, ScreenView } from '../read/selectors.ts'

/**
 * The ways to find a number on a dial: by its label with the words around the number, or by the number inside it. If the
 * window shows the same number elsewhere, such as the time that is set, the one on the dial is known by its order only.
 */
export function findDialCandidates(option: UiNode, screen: Screen, input: string, view: ScreenView): Candidate[] {
  const selectors = listSelectors(option, input)
  const alone = selectors.filter((selector) => isOnly(option, screen, { selector }, view))
  const [first] = selectors
  const index = first === undefined ? -1 : findNodes(screen, { selector: first }, view.examples).indexOf(option)
  const ordered = alone.length > 0 || first === undefined || index < 0 ? [] : [{ ...first, index }]
  return [...alone, ...ordered].map((selector) => ({
    selector: { ...selector, annotation: 'VARIABLE' },
    source: 'list_entry',
    annotation: 'VARIABLE',
    unique_on: 1,
  }))
}

function listSelectors(option: UiNode, input: string) {
  const own = readLabels(option).map((label) => ({ part_equals: toTemplate(label, input) }))
  const inner = [...subtree(option)].filter((one) => one !== option).flatMap(readLabels)
  const containing = inner.map((label) => ({ containing: { part_equals: toTemplate(label, input) } }))
  return [...own, ...containing].map((what) => ({ ...readKind(option), ...what }))
}

/** Small numbers may have a zero in front, and another language other words. */
export function draftDialFallbacks(
  option: UiNode,
  { selector }: Pick<Candidate, 'selector'>,
  input: string,
): RecipeFallback[] {
  const shows = formatReference(input)
  const kind = readKind(option)
  const unordered = selector.index === undefined ? [] : listSelectors(option, input).slice(0, 1)
  return [...unordered, { ...kind, shows }, { ...kind, containing: { shows } }].map((place) => ({
    ...place,
    annotation: 'VARIABLE' as const,
  }))
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
