import { attribute } from '../../../screen/tree/hierarchy.ts'
import { readText } from '../read/node-text.ts'
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
