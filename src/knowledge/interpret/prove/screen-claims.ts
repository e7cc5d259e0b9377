import { isTrue, type UiNode } from '../../../screen/tree/hierarchy.ts'
import { normalizeLabel, readLabels } from '../../../screen/label-match.ts'
import { parseDisplayedNumber } from '../../../screen/displayed-number.ts'
import { explainText } from '../../../screen/shown-value/explain.ts'
import { findLabelBeside } from '../../../screen/structure/label-beside.ts'
import { splitLabel, splitSentences } from '../../../screen/structure/label-parts.ts'
import { maskText } from '../../../screen/structure/mask-text.ts'
import { readName } from '../../../screen/structure/node-name.ts'
import { isOnlyMeaning } from '../../../screen/words/words.ts'
import { findCounterpart } from '../read/counterpart.ts'
import { escapeReferences, findNodes, formatReference, type Place } from '../read/matching.ts'
import { formatName, readOwnText, readText } from '../read/node-text.ts'
import { isInDataRow } from '../read/rows.ts'
import { isSameKind, isSameView, isTextField, readTitle, type Screen } from '../read/screen.ts'
import { locateTitle } from '../read/selectors.ts'
import type { Claim } from './claims.ts'
import { type Ending, nameAttribute } from './ending.ts'
import { claimMessage } from './messages.ts'
import { listShownInputs, selectByInputs } from './shown-inputs.ts'

/**
 * Claims that a label now shows inputs, in any format, and did not before. Of each label there are up to three: the inputs
 * alone, beside the label that says what they are, and together with the words of the app around them, which tell a
 * message from a form.
 */
export function claimShownInputs(ending: Ending): Claim[][] {
  const { end, earlier } = ending
  return end.nodes.flatMap((node): Claim[][] => {
    if (isTextField(node) || (isTrue(node, 'checkable') && wasThere(node, earlier))) return []
    const names = listShownInputs(node, ending)
    if (names.length === 0 || wasShownThere(node, names, ending) || isTotal(node, earlier)) return []
    const place = anchor(node, names, ending)
    if (place === undefined) return []
    const values = names.map((name) => `the given ${formatName(name)}`).join(' and ')
    const text = `The ${nameAttribute(node)} shows ${values}`
    const is_state = isChosenHere(names, ending)
    const message = claimMessage(node, ending)
    const claim: Claim = { ...place, check: { kind: 'present' }, inputs: names, text, node, is_state, ...message }
    const labelled = claimLabelled(claim, node, ending)
    const words = findWordsAround(node, names, ending)
    if (words === '') return [[claim, ...labelled]]
    const worded = claimWorded(claim, words, ending)
    // A message is told by its words: other parts of the page may show the same value.
    return [claim.transient === true ? [worded, claim] : [claim, ...labelled, worded]]
  })
}

/**
 * The same claim about the words of the app around the values. They tell it, so its place on the screen counts only if
 * other labels say the same: what stands above it may be longer.
 */
function claimWorded(claim: Claim, words: string, { end, examples }: Ending): Claim {
  const { place, ...own } = claim.selector
  const sentence = { ...own, text_contains: escapeReferences(words), annotation: 'STRUCTURAL' as const }
  const isOnly = findNodes(end, { ...claim, selector: sentence }, examples).length === 1
  return { ...claim, selector: { ...sentence, ...(!isOnly && place !== undefined && { place }) } }
}

/** The same claim about the value in the row of a label: other rows and pages may show the same value. */
function claimLabelled(claim: Claim, node: UiNode, { end, keepText, inputs, examples }: Ending): Claim[] {
  const label = keepText(readName(findLabelBeside(node, end.nodes)))
  const shown = selectByInputs(node, claim.inputs, { examples })
  if (label === '' || shown === undefined || inputs.some(({ example }) => example === label)) return []
  const row = [{ part_equals: escapeReferences(label), annotation: 'STRUCTURAL' as const }]
  const { container: _container, ...rest } = claim
  return [{ ...rest, selector: { ...shown, row } }]
}

/** Whether choosing an entry of the last page made the page show it. Choosing it again may undo that. */
function isChosenHere(names: readonly string[], { intents, end }: Ending): boolean {
  const last = intents.at(-1)
  if (last?.kind !== 'choose' || last.entry === undefined || last.before === undefined) return false
  const { input } = last.entry
  return names.every((name) => name === input) && isSameKind(last.before, end)
}

/** The longest words of the app in a label that shows inputs: " created" in "Evening walk created". */
function findWordsAround(node: UiNode, names: readonly string[], ending: Ending): string {
  const values = new Map(names.map((name) => [name, ending.examples.get(name) ?? '']))
  const parts = explainText(readText(node), values)?.parts ?? []
  const literals = parts.flatMap((part) => ('literal' in part ? [part.literal.trim()] : []))
  const kept = literals.filter((literal) => /\p{L}{3}/u.test(literal) && ending.keepText(literal) !== '')
  return kept.toSorted((a, b) => b.length - a.length)[0] ?? ''
}

/** A label that shows inputs, at its place if that can be found without them. */
function anchor(node: UiNode, names: readonly string[], ending: Ending): Place | undefined {
  const shown = selectByInputs(node, names, ending)
  const place = ending.locate(node, ending.end)
  if (shown === undefined) return undefined
  if (place === undefined) return { selector: shown }
  const { index, text_equals, content_desc_equals, part_equals } = place.selector
  const isFree = [index, text_equals, content_desc_equals, part_equals].every((one) => one === undefined)
  if (!isFree) return { selector: shown }
  return { ...place, selector: { ...place.selector, ...shown, annotation: 'VARIABLE' } }
}

const wasThere = (node: UiNode, earlier: readonly Screen[]): boolean =>
  earlier.some((screen) => findCounterpart(node, screen) !== undefined)

/**
 * Whether the last reading of the same page shows the same label, at the same place if that can be found. If the page was
 * not seen before, whether any page shows it. The list in which an entry was chosen since then shows it in any case.
 */
function wasShownThere(node: UiNode, names: readonly string[], { earlier, end, intents }: Ending): boolean {
  const page = earlier.findLast((screen) => isSameView(screen, end))
  const seen = intents.findLastIndex(({ before }) => before !== undefined && before === page)
  const chosen = intents
    .slice(seen + 1)
    .flatMap(({ kind, entry, input }) => entry?.input ?? (kind === 'pick' ? input : []))
  const isChosenSince = seen >= 0 && names.some((name) => chosen.includes(name))
  const others = isChosenSince && page !== undefined ? [page] : earlier
  const last = others.flatMap((screen) => findCounterpart(node, screen) ?? []).at(-1)
  if (last !== undefined) return readText(last) === readText(node)
  return wasShown(node, page === undefined ? earlier : [page])
}

/** A counter on a button that began at zero: it may be a total that equals the input by chance. */
function isTotal(node: UiNode, earlier: readonly Screen[]): boolean {
  if (!isTrue(node, 'clickable')) return false
  const was = earlier.flatMap((screen) => findCounterpart(node, screen) ?? []).at(-1)
  return was !== undefined && parseDisplayedNumber(readText(was)) === 0
}

/** Whether an earlier screen shows the same label. */
function wasShown(node: UiNode, earlier: readonly Screen[]): boolean {
  const label = normalizeLabel(readText(node))
  return earlier.some(({ nodes }) => nodes.some((one) => !isTextField(one) && normalizeLabel(readText(one)) === label))
}

/** Drops claims whose inputs earlier claims show already. */
export function dropCovered(claims: readonly Claim[]): Claim[] {
  const covered = new Set<string>()
  return claims.filter(({ inputs }) => {
    const isNew = inputs.length === 0 || inputs.some((name) => !covered.has(name))
    for (const name of inputs) covered.add(name)
    return isNew
  })
}

/** Claims that a control of the app has another label or state than before: from `Start` to `Stop`. */
export function claimChangedLabels(ending: Ending): Claim[] {
  const { end, earlier, locate } = ending
  const sameKind = earlier.filter((screen) => isSameKind(screen, end))
  const before = sameKind.at(-1)
  if (before === undefined) return []
  return end.nodes.flatMap((node): Claim[] => {
    if (isTextField(node)) return []
    const was = findCounterpart(node, before)
    const [old, now] = [was === undefined ? '' : readText(was), ending.keepText(readOwnText(node))]
    if (was === undefined || now === '' || old === '' || old === now || wasShown(node, sameKind)) return []
    const place = locate(node, end)
    const text = `The ${nameAttribute(node)} says ${now}`
    const selector = { class: node.attributes['class'] ?? '', part_equals: escapeReferences(now) }
    return [
      {
        ...(place ?? { selector: { ...selector, annotation: 'STRUCTURAL' as const } }),
        check: place === undefined ? { kind: 'present' } : { kind: 'text', equals: escapeReferences(readText(node)) },
        inputs: [],
        text,
        node,
        is_state: true,
      },
    ]
  })
}

/** Claims that a text of the app appeared that no earlier screen has: a message, a status, a result page. */
export function claimNewTexts(ending: Ending): Claim[] {
  const { end, earlier } = ending
  const known = new Set(earlier.flatMap(({ nodes }) => nodes.flatMap(listParts)).map(normalizeLabel))
  const claims = end.nodes.flatMap((node): Claim[] => {
    if (isTextField(node) || isInDataRow(node) || leadsAway(node)) return []
    const parts = listParts(node).filter((one) => !known.has(normalizeLabel(one)))
    const part = parts.find((one) => ending.keepText(one) !== '')
    const sentence = parts.flatMap(splitSentences).find((one) => ending.keepText(one) !== '')
    const words = part ?? sentence ?? parts.map((one) => findPlainWords(one, ending)).find((one) => one !== '')
    if (words === undefined) return []
    const condition = part === undefined ? 'text_contains' : 'part_equals'
    const selector = { class: node.attributes['class'] ?? '', [condition]: escapeReferences(words) }
    return [
      {
        selector: { ...selector, annotation: 'STRUCTURAL' },
        check: { kind: 'present' },
        inputs: [],
        text: `The screen says ${words}`,
        node,
        ...claimMessage(node, ending),
      },
    ]
  })
  // A button beside a message belongs to it, such as one that takes the work back.
  const boxes = new Set(claims.flatMap(({ transient, node }) => (transient === true ? (node?.parent ?? []) : [])))
  return claims.filter(({ node }) => node?.parent == null || !isTrue(node, 'clickable') || !boxes.has(node.parent))
}

/**
 * The words of a sentence with a number that no input gives: "updated" in "Ticket #511 updated". They are all in lower
 * case, so they name nobody.
 */
function findPlainWords(sentence: string, ending: Ending): string {
  if (!/\p{N}/u.test(sentence)) return ''
  const runs = sentence.match(/(?<=^|\s)\p{Ll}+(?:\s\p{Ll}+)*(?=$|[\s.!…])/gu) ?? []
  const kept = runs.filter((run) => /\p{L}{4}/u.test(run) && ending.keepText(run) !== '')
  return kept.toSorted((a, b) => b.length - a.length)[0] ?? ''
}

/** The label of a button that only leaves the page says nothing about the outcome. */
const leadsAway = (node: UiNode): boolean =>
  isTrue(node, 'clickable') && (isOnlyMeaning(readText(node), 'dismiss') || LEAVING.test(readText(node)))

const LEAVING = /^(?:navigate up|back|go back|more options|open (?:navigation )?(?:drawer|menu)|menu|up)$/iu

const listParts = (node: UiNode): string[] => readLabels(node).flatMap(splitLabel)

/** Claims that a counter of the app went down to zero: from `Cart (1)` to `Cart (0)`. */
export function claimEmptied({ end, earlier, locate }: Ending): Claim[] {
  const known = earlier.filter((screen) => isSameKind(screen, end))
  return end.nodes.flatMap((node): Claim[] => {
    if (isTextField(node) || isInDataRow(node) || parseDisplayedNumber(readText(node)) !== 0) return []
    const was = known.flatMap((screen) => findCounterpart(node, screen) ?? []).at(-1)
    const isEmptied = was !== undefined && (parseDisplayedNumber(readText(was)) ?? 0) > 0
    const place = isEmptied && maskText(readText(was)) === maskText(readText(node)) ? locate(node, end) : undefined
    if (place === undefined) return []
    return [
      { ...place, check: { kind: 'zero' }, inputs: [], text: `The ${nameAttribute(node, 'counter')} shows zero`, node },
    ]
  })
}

/** Claims that a control became selected, checked or enabled, or lost that. */
export function claimChangedStates(ending: Ending): Claim[] {
  const { end, earlier, locate } = ending
  const before = earlier.findLast((screen) => isSameKind(screen, end))
  if (before === undefined) return []
  return end.nodes.flatMap((node): Claim[] => {
    const was = findCounterpart(node, before)
    const state = was && STATES.find((name) => isTrue(node, name) !== isTrue(was, name))
    const place = state && locate(node, end)
    if (state === undefined || place === undefined || place.selector.index !== undefined) return []
    const selector = { ...place.selector, [state]: isTrue(node, state) }
    const text = `The ${nameAttribute(node, 'control')} is ${isTrue(node, state) ? '' : 'not '}${state}`
    return [{ ...place, selector, check: { kind: 'present' }, inputs: [], text, node, is_state: true }]
  })
}

const STATES = ['selected', 'checked', 'enabled'] as const

/** A claim that the title of the screen is an input. */
export function claimTitle({ end, inputs }: Ending): Claim[] {
  const { title } = end
  const input = title && inputs.find(({ type, example }) => type === 'string' && example && readText(title) === example)
  const place = title && input && locateTitle(title, formatReference(input.name))
  if (input === undefined || place === undefined) return []
  return [
    {
      ...place,
      check: { kind: 'present' },
      inputs: [input.name],
      text: `The given ${formatName(input.name)} is open`,
      node: title,
    },
  ]
}

/** A claim that a page is open which no earlier screen is. */
export function claimArrival(ending: Ending): Claim[] {
  const { end, earlier, locate } = ending
  if (earlier.some((screen) => isSameKind(screen, end))) return []
  const title = ending.keepText(readTitle(end))
  const place = end.title && locate(end.title, end)
  if (place === undefined) return []
  const text = title === '' ? 'The last page is open' : `The ${title} page is open`
  return [{ ...place, check: { kind: 'present' }, inputs: [], text, node: end.title }]
}
