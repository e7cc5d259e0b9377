import { attribute } from '../../../screen/tree/hierarchy.ts'
import { normalizeLabel, readLabels } from '../../../screen/label-match.ts'
import { splitLabel } from '../../../screen/structure/label-parts.ts'
import { formatReference } from '../read/matching.ts'
import { formatName, readText } from '../read/node-text.ts'
import { findRowAround, isDataRow } from '../read/rows.ts'
import { isSameView, isTextField, type Screen } from '../read/screen.ts'
import { type Claim, isClaimTrue } from './claims.ts'
import type { Ending } from './ending.ts'
import { claimPresences } from './row-claims.ts'
import { claimTitle } from './screen-claims.ts'

/**
 * Claims that are new on their page, although another page shows the same: a status that other entries have too. Each
 * comes after a claim that tells the page apart from those.
 */
export function claimOnPage(claims: readonly Claim[], ending: Ending): Claim[] {
  const { end, earlier, examples } = ending
  for (const claim of claims) {
    if (!isClaimTrue(claim, end, examples)) continue
    const showing = earlier.filter((screen) => isClaimTrue(claim, screen, examples))
    if (showing.some((screen) => isSameView(screen, end))) continue
    const page = claimPage(ending, showing)
    if (page !== undefined) return [page, claim]
  }
  return []
}

/** Claims that a page is open which was not before, and that it lists a given entry. */
export function claimArrivedEntry(ending: Ending): Claim[] {
  const { end, earlier } = ending
  if (end.is_dialog || earlier.some((screen) => isSameView(screen, end))) return []
  return claimOnPage(claimPresences(ending), ending)
}

/**
 * A state or a page of the app does not tell which thing it is about. If the last page names what was chosen or
 * searched for, a run must see that name too. A message stays alone: it is followed by a look at the thing.
 */
export function claimNamedEntry(claims: readonly Claim[], ending: Ending): Claim[] {
  if (claims.some(({ transient, inputs }) => transient === true || inputs.length > 0)) return []
  const { intents } = ending
  const chosen = intents.flatMap(({ entry }) => entry?.input ?? [])
  const given = intents.flatMap(({ kind, input }) => (kind === 'pick' || kind === 'type' ? (input ?? []) : []))
  return [...new Set([...chosen, ...given])].flatMap((name) => claimName(name, ending)).slice(0, 1)
}

function claimName(name: string, { end, examples }: Ending): Claim[] {
  const value = normalizeLabel(examples.get(name) ?? '')
  const node = end.nodes.find((one) => {
    if (isTextField(one) || value === '') return false
    return readLabels(one).some((label) => splitLabel(label).some((part) => normalizeLabel(part) === value))
  })
  if (node === undefined) return []
  const selector = {
    class: attribute(node, 'class'),
    part_equals: formatReference(name),
    annotation: 'VARIABLE' as const,
  }
  const claim: Claim = {
    selector,
    check: { kind: 'present' },
    inputs: [name],
    text: `The page shows the given ${formatName(name)}`,
    node,
  }
  return isClaimTrue(claim, end, examples) ? [claim] : []
}

/** A part of the app that the last screen shows and none of the others does. */
function claimPage(ending: Ending, others: readonly Screen[]): Claim | undefined {
  const { end, examples, locate } = ending
  const isTelling = (claim: Claim) =>
    isClaimTrue(claim, end, examples) && !others.some((screen) => isClaimTrue(claim, screen, examples))
  const title = claimTitle(ending).find(isTelling)
  if (title !== undefined) return title
  const nodes = [...(end.title === undefined ? [] : [end.title]), ...end.nodes]
  for (const node of nodes) {
    const row = findRowAround(node)
    if (readText(node) === '' || isTextField(node) || (row !== undefined && isDataRow(row))) continue
    const place = locate(node, end)
    if (place === undefined || place.selector.annotation !== 'STRUCTURAL' || place.selector.index !== undefined)
      continue
    const selector = attribute(node, 'selected') === 'true' ? { ...place.selector, selected: true } : place.selector
    const text = `The page with ${ending.keepText(readText(node)) || 'its parts'} is open`
    const claim: Claim = { ...place, selector, check: { kind: 'present' }, inputs: [], text, node }
    if (isTelling(claim)) return claim
  }
  return undefined
}
