import { formatReference } from '../read/matching.ts'
import { formatName } from '../read/node-text.ts'
import { isMoved } from '../read/row-order.ts'
import { type Entry, findIdentity, findRowByText, type Row } from '../read/rows.ts'
import { isSameKind } from '../read/screen.ts'
import { locateEntry } from '../read/selectors.ts'
import type { Claim } from './claims.ts'
import type { Ending } from './ending.ts'

/** Claims that an entry came to an end of its list, or right before another given entry. All others are as before. */
export function claimOrder(entry: Entry, ending: Ending): Claim[] {
  const { earlier, end } = ending
  const reading = earlier.findLast((screen) => isSameKind(screen, end))
  const before = reading && findRowByText(entry.cell.text, reading)
  if (before === undefined || !isMoved(entry.row, before, entry.cell.text)) return []
  const { selector, container } = locateEntry(entry)
  const common = { check: { kind: 'present' as const }, node: entry.cell.node, is_state: true }
  const name = `The given ${formatName(entry.input)}`
  const { members } = entry.row.group
  const at = members.indexOf(entry.row.node)
  const position = at === 0 ? 'first' : at === members.length - 1 ? 'last' : undefined
  if (position !== undefined) {
    const placed = { ...selector, entry_position: position } as const
    const text = `${name} is ${position} in the list`
    return [{ ...common, ...(container && { container }), selector: placed, inputs: [entry.input], text }]
  }
  return [at, at - 1].flatMap((from): Claim[] => {
    const other = listNamed(members[from === at ? at + 1 : at - 1], entry, ending)
    if (other === undefined) return []
    const [first, second] = from === at ? [entry.input, other] : [other, entry.input]
    const part = (input: string) => ({ part_equals: formatReference(input), annotation: 'VARIABLE' as const })
    const placed = { ...selector, ...part(first), followed_by: [part(second)] }
    const text = `The given ${formatName(first)} is right before the given ${formatName(second)}`
    return [{ ...common, selector: placed, inputs: [entry.input, other], text }]
  })
}

/** The other input that names an entry. */
function listNamed(node: Row['node'] | undefined, { row, input }: Entry, { inputs }: Ending): string | undefined {
  const text = node && findIdentity({ node, group: row.group })?.text
  return inputs.find(({ name, example }) => name !== input && example === text && text !== undefined)?.name
}
