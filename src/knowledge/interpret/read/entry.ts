import { isTrue } from '../../../screen/hierarchy.ts'
import { isOption } from './controls.ts'
import { proposeEntryNames } from './input-names.ts'
import type { InputList } from './inputs.ts'
import type { Intent } from './intent.ts'
import { formatName, listTextNodes, readText } from './node-text.ts'
import { type Entry, findIdentity, findRowAround, isDataRow, listRows, type Row } from './rows.ts'
import { isSameView, isTextField, type Screen } from './screen.ts'
import { isStructuralText } from './structural-text.ts'

/** What a reviewer or a second trace decided about choices, as event ids. */
export interface Rulings {
  /** The list entry is the same in each run. */
  readonly fixed: ReadonlySet<string>
  /** The list entry is an input. */
  readonly varied: ReadonlySet<string>
  /** The traces set the switch to different states. */
  readonly undecided: ReadonlySet<string>
}

interface EntryContext {
  /** The intent itself and all later ones. */
  readonly later: readonly Intent[]
  readonly inputs: InputList
  readonly rulings: Rulings
}

/** The list entry an intent acts on, unless the entry belongs to a menu of the app. Adds an input for it. */
export function findEntry(intent: Intent, context: EntryContext): Entry | undefined {
  const { node, before } = intent
  if (node === undefined || before === undefined || isTextField(node)) return undefined
  if (!['press', 'toggle', 'adjust'].includes(intent.kind)) return undefined
  const row = findRowAround(node)
  const cell = row && findIdentity(row, findOpenedScreen(intent))
  if (row === undefined || cell === undefined || isOption(node)) return undefined
  const name = readText(cell)
  if (!isDataEntry(intent, row, name, context)) return undefined
  const { inputs } = context
  const known = inputs.findByExample(name)
  if (known !== undefined) inputs.addSources(known.name, intent.event_ids)
  const proposed_name = inputs.chooseName(proposeEntryNames(row, before), name)
  const input =
    known ??
    inputs.add({
      proposed_name,
      type: 'string',
      summary: `Which ${formatName(proposed_name)}, by its name in the list`,
      example: name,
      source_event_ids: intent.event_ids,
    })
  return { row, cell, input: input.name }
}

/** The screen that an intent opened, if it opened one. */
export function findOpenedScreen({ before, after }: Intent): Screen | undefined {
  if (before === undefined || after === undefined || isSameView(before, after)) return undefined
  return after
}

/**
 * Whether an entry is data and not part of a menu. Entries of lists are data, except those of settings
 * pages of the framework. Such an entry is data only if the opened screen shows its name, or if a later
 * intent changed the entry.
 */
function isDataEntry(intent: Intent, row: Row, name: string, context: EntryContext): boolean {
  const { rulings, later, inputs } = context
  if (intent.event_ids.some((id) => rulings.fixed.has(id))) return false
  if (intent.event_ids.some((id) => rulings.varied.has(id))) return true
  if (!isStructuralText(name) || inputs.findByExample(name) !== undefined) return true
  if (isDataRow(row)) return true
  if (intent.kind === 'toggle' || intent.kind === 'adjust') return false
  return reappears(intent, name) || changesLater(intent, name, later)
}

/** Whether the opened screen shows a text outside its title. */
function reappears(intent: Intent, text: string): boolean {
  const opened = findOpenedScreen(intent)
  if (opened === undefined) return false
  return opened.nodes.some((node) => {
    if (node === opened.title) return false
    return opened.is_dialog ? readText(node).includes(text) : readText(node) === text
  })
}

function changesLater({ before }: Intent, name: string, later: readonly Intent[]): boolean {
  if (before === undefined) return false
  const old = describeEntry(before, name)
  return later.some(({ after }) => {
    if (after === undefined || !isSameView(before, after)) return false
    const now = describeEntry(after, name)
    return now !== undefined && now !== old
  })
}

/** The selection and all texts of the entry with a name. */
function describeEntry(screen: Screen, name: string): string | undefined {
  const row = listRows(screen.nodes).find(({ node }) => listTextNodes(node).some((cell) => readText(cell) === name))
  return row && [isTrue(row.node, 'selected'), ...listTextNodes(row.node).map(readText)].join('\n')
}
