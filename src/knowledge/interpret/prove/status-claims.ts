import { normalizeLabel, readLabels } from '../../../screen/label-match.ts'
import { listCells } from '../../../screen/structure/cells.ts'
import { splitLabel } from '../../../screen/structure/label-parts.ts'
import { attribute, type UiNode } from '../../../screen/tree/hierarchy.ts'
import { escapeReferences } from '../read/matching.ts'
import { readText, resourceId } from '../read/node-text.ts'
import { type Cell, findIdentity } from '../read/rows.ts'
import { isTextField } from '../read/screen.ts'
import type { Claim } from './claims.ts'
import { type Ending, nameAttribute } from './ending.ts'

/**
 * Claims that the page of the chosen entry shows another status than the row of the entry did: one that other rows of the
 * list have in the same column. The page itself may never have been read before the work.
 */
export function claimOtherStatus(ending: Ending): Claim[] {
  const { end, intents } = ending
  const chosen = intents.findLast(({ kind, entry }) => kind === 'choose' && entry !== undefined)
  const { row } = chosen?.entry ?? {}
  if (row === undefined) return []
  const shown = new Set(end.nodes.flatMap(listParts).map(normalizeLabel))
  const name = findIdentity(row)
  const columns = listCells(row.node).filter(
    (cell) => cell.node !== name?.node && !shown.has(normalizeLabel(cell.text)),
  )
  const others = row.group.members.filter((member) => member !== row.node)
  const statuses = new Set(
    columns.flatMap((cell) =>
      others.flatMap((member) => {
        const texts = listCells(member).filter((other) => isSameColumn(cell, other))
        return texts.map(({ text }) => normalizeLabel(text))
      }),
    ),
  )
  const [node, ...more] = end.nodes.filter((one) => !isTextField(one) && statuses.has(normalizeLabel(readText(one))))
  return node === undefined || more.length > 0 ? [] : claimStatus(node, ending)
}

function claimStatus(node: UiNode, { keepText }: Ending): Claim[] {
  const status = keepText(readText(node))
  if (status === '' || /\p{N}/u.test(status)) return []
  const id = resourceId(node)
  const shape = id === '' ? { class: attribute(node, 'class') } : { resource_id: id }
  const selector = { ...shape, part_equals: escapeReferences(status), annotation: 'STRUCTURAL' as const }
  const text = `The ${nameAttribute(node)} says ${status}`
  return [{ selector, check: { kind: 'present' }, inputs: [], text, node, is_state: true }]
}

/** Whether two cells of a list are of one kind, and stand at the same edge of their rows. */
function isSameColumn({ node: one }: Cell, { node: other }: Cell): boolean {
  const [id, otherId] = [resourceId(one), resourceId(other)]
  if (id !== '' || otherId !== '') return id === otherId
  const isAligned = one.bounds?.left === other.bounds?.left || one.bounds?.right === other.bounds?.right
  return attribute(one, 'class') === attribute(other, 'class') && isAligned
}

const listParts = (node: UiNode): string[] => readLabels(node).flatMap(splitLabel)
