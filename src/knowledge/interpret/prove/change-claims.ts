import { isNear, measureChange, parseDisplayedNumber } from '../../../screen/displayed-number.ts'
import { listWithCaption } from '../../../screen/row-around.ts'
import { attribute, type UiNode } from '../../../screen/tree/hierarchy.ts'
import { splitLabel } from '../../../screen/structure/label-parts.ts'
import { isMeasure, maskText } from '../../../screen/structure/mask-text.ts'
import { findCounterpart } from '../read/counterpart.ts'
import type { LearnedInput } from '../read/inputs.ts'
import { escapeReferences, findNodes, type Place } from '../read/matching.ts'
import { formatName, readText } from '../read/node-text.ts'
import { isInDataRow } from '../read/rows.ts'
import { isSameView, isTextField, type Screen } from '../read/screen.ts'
import type { Claim } from './claims.ts'
import { type Ending, nameAttribute } from './ending.ts'

/** Claims that a shown number or time of day moved by an input: the end of a booking by the given minutes. */
export function claimMovedValues(ending: Ending): Claim[] {
  const { end, listPlaces } = ending
  return end.nodes.flatMap((node): Claim[] => {
    const from = isTextField(node) ? undefined : findOldText(node, ending.earlier, end)
    const input = from === undefined ? undefined : findMover(from, readText(node), ending.inputs)
    if (input === undefined || from === undefined) return []
    const free = listPlaces(node, end).find((one) => isFree(one) || holdsPart(one, from, readText(node)))
    const place = free ?? locateByCaption(node, ending)
    if (place === undefined) return []
    const text = `The ${nameAttribute(node, 'number')} moved by the given ${formatName(input.name)}`
    return [{ ...place, check: { kind: 'changed', from, by: { input: input.name } }, inputs: [input.name], text, node }]
  })
}

/** A value by the caption above it. Both are texts of one box, so its place among them counts. */
function locateByCaption(node: UiNode, { end, keepText, examples }: Ending): Place | undefined {
  const [caption] = listWithCaption(node)
  const words = caption === undefined ? '' : keepText(readText(caption))
  if (words === '') return undefined
  const row = [{ part_equals: escapeReferences(words), annotation: 'STRUCTURAL' as const }]
  const selector = { class: attribute(node, 'class'), row, annotation: 'STRUCTURAL' as const }
  const index = findNodes(end, { selector }, examples).indexOf(node)
  return index < 0 || index >= MAX_BESIDE ? undefined : { selector: { ...selector, index } }
}

/** The caption and its value: with more the words are somewhere else too. */
const MAX_BESIDE = 2

/**
 * Claims that a counter of the app, outside the entries of lists, went on by one: "Holds (6)" where "Holds (5)" stood. Each
 * run of the workflow moves it by one, so with a message it tells that the work was done.
 */
export function claimCounter(ending: Ending): Claim[] {
  const { end, listPlaces } = ending
  return end.nodes.flatMap((node): Claim[] => {
    if (isTextField(node) || isInDataRow(node)) return []
    const [from, now] = [findOldText(node, ending.earlier, end) ?? '', readText(node)]
    const by = from === '' || maskText(from) !== maskText(now) ? undefined : measureChange(from, now)
    if (by === undefined || Math.abs(by) !== 1 || /\d[:.,]\d/u.test(now)) return []
    const place = listPlaces(node, end).find((one) => isFree(one) || holdsPart(one, from, now))
    if (place === undefined) return []
    const text = `The ${nameAttribute(node, 'counter')} moved by one`
    return [{ ...place, check: { kind: 'changed', from, by }, inputs: [], text, node }]
  })
}

/** What a person pointed at shows something else than before, and nothing else can be said about it. */
export function claimOtherText(
  node: UiNode,
  places: readonly Place[],
  known: { readonly earlier: readonly Screen[]; readonly screen: Screen },
): Claim | undefined {
  const from = findOldText(node, known.earlier, known.screen)
  const place = places.find(isFree)
  if (from === undefined || place === undefined) return undefined
  const text = `The ${nameAttribute(node)} shows something else than before`
  return { ...place, check: { kind: 'changed', from }, inputs: [], text }
}

/** The text of a node on the last earlier reading of its page, if it was another one. */
function findOldText(node: UiNode, earlier: readonly Screen[], screen: Screen): string | undefined {
  const page = earlier.findLast((one) => isSameView(one, screen))
  const was = page && findCounterpart(node, page)
  const old = was === undefined ? '' : readText(was)
  return old === '' || old === readText(node) ? undefined : old
}

function findMover(from: string, now: string, inputs: readonly LearnedInput[]): LearnedInput | undefined {
  const moved = measureChange(from, now)
  if (moved === undefined || moved === 0) return undefined
  return inputs.find((input) => {
    const amount = readAmount(input)
    return amount !== undefined && isNear(moved, amount)
  })
}

/** The number of an input: a number, or a text that is one with its unit or currency, such as "€10". */
function readAmount({ type, example = '' }: LearnedInput): number | undefined {
  if (type === 'number') return example === '' ? undefined : Number(example)
  return type === 'string' && isMeasure(example) ? parseDisplayedNumber(example) : undefined
}

/** Whether a place depends on a part of the text that stays: "View cart" in "View cart, 3 items". */
function holdsPart({ selector }: Place, from: string, now: string): boolean {
  const { part_equals: part, ...rest } = selector
  return (
    part !== undefined && isFree({ selector: rest }) && [from, now].every((text) => splitLabel(text).includes(part))
  )
}

/** Whether a place does not depend on the text of its node, which will be another one. */
function isFree({ selector }: Place): boolean {
  const { index, text_equals, content_desc_equals, part_equals, text_contains, shows } = selector
  return [index, text_equals, content_desc_equals, part_equals, text_contains, shows].every((one) => one === undefined)
}
