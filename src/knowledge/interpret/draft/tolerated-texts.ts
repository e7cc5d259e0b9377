import { readLabels } from '../../../screen/label-match.ts'
import { splitLabel } from '../../../screen/structure/label-parts.ts'
import { subtree, type UiNode } from '../../../screen/tree/hierarchy.ts'
import { hasMeaning } from '../../../screen/words/words.ts'
import type { Claim } from '../prove/claims.ts'
import type { Proof } from '../prove/proof.ts'
import { findRowAround, isDataRow, listRows } from '../read/rows.ts'
import type { Screen } from '../read/screen.ts'
import { keepStructuralText, type ScreenView } from '../read/selectors.ts'

/**
 * Texts of the app that sound like a failure or a wait, although the workflow was done: outside lists, and in the entry
 * that the claim is about. What another entry says is no excuse for this one.
 */
export function listTolerated(claim: Claim, { end, entry, reopen }: Proof, view: ScreenView): string[] {
  const screens = [end, ...(reopen ?? []).flatMap(({ after }) => after ?? [])]
  const about = claim.node ?? entry?.cell.node
  const row = about && findRowAround(about)
  const nodes = [...screens.flatMap(listOutsideLists), ...(row === undefined ? [] : subtree(row.node))]
  const parts = nodes.flatMap((node) => readLabels(node).flatMap(splitLabel))
  const sounding = parts.filter((text) => hasMeaning(text, 'failure') || hasMeaning(text, 'waiting'))
  return [...new Set(sounding.filter((text) => keepStructuralText(text, view) !== ''))].slice(0, MAX_TOLERATED)
}

function listOutsideLists(screen: Screen): UiNode[] {
  const rows = listRows(screen).filter(isDataRow)
  const inRows = new Set(rows.flatMap(({ node }) => [...subtree(node)]))
  return screen.nodes.filter((node) => !inRows.has(node))
}

const MAX_TOLERATED = 20
