import { isTrue, subtree, type UiNode } from '../../../screen/tree/hierarchy.ts'
import { listCells } from '../../../screen/structure/cells.ts'
import type { Intent } from '../read/intent.ts'
import type { NormalizedTrace } from '../read/normalized-trace.ts'
import { findRowAround, isDataRow, listRows, type Row } from '../read/rows.ts'
import { isSameKind, type Screen } from '../read/screen.ts'
import type { ScreenView } from '../read/selectors.ts'
import { FurnitureWords } from '../words/private-words.ts'

/**
 * Tells the texts of the app from what people have in it, by all screens in the order they were seen. Rows that the bound
 * intents touch as parts of the app are no data.
 */
export function collectWords(
  traces: readonly NormalizedTrace[],
  goal: string | undefined,
  bound: readonly Intent[],
): Pick<ScreenView, 'isOfApp' | 'isPersonal'> {
  const intents = traces.flatMap((trace) => trace.intents)
  const screens = intents
    .flatMap(({ before, first_after, after }) => [before, first_after, after])
    .filter((screen) => screen !== undefined)
  const fixed = bound.flatMap(listFixedGroups)
  const isData = (row: Row, screen: Screen) =>
    isDataRow(row) &&
    !isHeading(row) &&
    !fixed.some((one) => one.holder === row.group.holder.path && isSameKind(one.screen, screen))
  const words = new FurnitureWords<Screen>(
    screens.filter((screen, at) => screen !== screens[at - 1]),
    {
      goal,
      typed: intents.flatMap(({ typed }) => typed?.text ?? []),
      row_nodes: (screen) =>
        listRows(screen)
          .filter((row) => isData(row, screen))
          .map(({ node }) => node),
      menu_labels: (screen) =>
        listRows(screen)
          .filter((row) => !isData(row, screen) && row.group.members.length > 1)
          .flatMap(({ node }) => listCells(node)[0]?.text ?? []),
    },
  )
  return { isOfApp: (text) => words.isFurniture(text), isPersonal: (text) => words.isPersonal(text) }
}

/** A text between rows that takes no touch. */
const isHeading = ({ node, group }: Row): boolean =>
  group.members.length === 1 && listCells(node).length <= 1 && !isTrue(node, 'clickable')

interface FixedGroup {
  readonly holder: string
  readonly screen: Screen
}

/** The groups of the rows that an intent touches without choosing one of them. */
function listFixedGroups({ kind, entry, before, node, adjustment }: Intent): FixedGroup[] {
  if (before === undefined || entry !== undefined || !['press', 'toggle', 'adjust'].includes(kind)) return []
  const touched = [node, adjustment?.value, adjustment?.increase, adjustment?.decrease]
  return touched.flatMap((one) => {
    const row = one && findRowAround(one)
    const isWhole = one !== undefined && row !== undefined && (kind !== 'press' || holdsFirstText(one, row))
    return isWhole ? [{ holder: row.group.holder.path, screen: before }] : []
  })
}

function holdsFirstText(node: UiNode, row: Row): boolean {
  const first = listCells(row.node)[0]?.node
  return node === row.node || first === undefined || [...subtree(node)].includes(first)
}
