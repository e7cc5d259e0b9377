import type { UiNode } from '../../../screen/tree/hierarchy.ts'
import { listCells } from '../../../screen/structure/cells.ts'
import { normalizeLabel } from '../../../screen/label-match.ts'
import { formatDate } from '../../../screen/calendar/calendar-date.ts'
import { readNumber } from '../../../screen/shown-value/numbers.ts'
import type { Choice } from '../read/choice.ts'
import { findChoice } from '../read/choices.ts'
import { type EntryContext, findEntry, findEntryKey, type Rulings } from '../read/entry.ts'
import { isFoundBy, isInField } from '../read/lone-rows.ts'
import type { GoalWords } from '../read/goal.ts'
import {
  proposeBoxNames,
  proposeDateNames,
  proposeFieldNames,
  proposeOptionNames,
  proposeSwitchNames,
  proposeValueNames,
} from '../read/input-names.ts'
import type { InputList, LearnedInput } from '../read/inputs.ts'
import type { Intent } from '../read/intent.ts'
import { formatName, readText } from '../read/node-text.ts'
import { classifyRow, type Entry, findRowAround, type Row } from '../read/rows.ts'
import { isInside, isSameKind, isTextField, type Screen } from '../read/screen.ts'
import { isStructuralText } from '../read/structural-text.ts'

interface Binding {
  readonly inputs: InputList
  readonly rulings: Rulings
  readonly goal: GoalWords
}

/** Decides which values are inputs. Sets `entry`, `input` and the kinds `choose` and `pick`. */
export function bindInputs(intents: readonly Intent[], binding: Binding): Intent[] {
  return intents.map((unbound, at) => {
    const later = intents.slice(at)
    const earlier = intents.slice(0, at)
    const picked = bindChoice(unbound, earlier, binding)
    if (picked !== undefined) return picked
    const entry = findEntry(unbound, { earlier, later, ...binding })
    const intent = entry === undefined ? unbound : { ...unbound, entry }
    switch (intent.kind) {
      case 'type': {
        const searched = findSearchedEntry(intents, at, binding)
        return { ...intent, input: searched?.input ?? bindTyped(intent, binding, later).name }
      }
      case 'adjust':
        return { ...intent, ...bindAdjusted(intent, binding) }
      case 'toggle':
        return { ...intent, ...bindToggled(intent, binding) }
      case 'date':
        return { ...intent, ...bindDate(intent, intents.slice(0, at), binding) }
      case 'press':
        return bindPress(intent)
      case 'choose':
      case 'pick':
      case 'key':
      case 'open_app':
      case 'scroll':
      case 'slide':
      case 'swipe':
        return intent
      case 'move':
        return bindMove(intent, { earlier: intents.slice(0, at), later, ...binding })
    }
  })
}

/** The entry that was chosen among the results for a part of its name. The whole name can be typed as well. */
function findSearchedEntry(intents: readonly Intent[], at: number, binding: Binding): Entry | undefined {
  const { text, secret } = intents[at]?.typed ?? {}
  if (text === undefined || secret === true || text.trim().length < 2) return undefined
  for (const [ahead, intent] of intents.slice(at + 1, at + 1 + MAX_SEARCH_STEPS).entries()) {
    if (intent.kind === 'type' || intent.before === undefined || !isInField(text, intent.before)) return undefined
    const context = { earlier: intents.slice(0, at + 1 + ahead), later: intents.slice(at + 1 + ahead), ...binding }
    const key = findEntryKey(intent, context)
    if (key === undefined) continue
    const isPart = isFoundBy(key.cell.text, text) && normalizeLabel(key.cell.text) !== normalizeLabel(text)
    return isPart ? findEntry(intent, context) : undefined
  }
  return undefined
}

/** A button that starts the search may come before the choice. */
const MAX_SEARCH_STEPS = 3

/** An entry that was not dragged to an end of its list is placed beside another one, which an input names. */
function bindMove(intent: Intent, context: EntryContext): Intent {
  const { move } = intent
  if (move === undefined || move.position !== undefined) return intent
  const entry = findEntry({ ...intent, node: move.goal.node }, context)
  return { ...intent, move: { ...move, entry } }
}

function bindPress(intent: Intent): Intent {
  const { node, entry } = intent
  const isChoice = entry !== undefined && node !== undefined && isWholeRow(node, entry.row, entry.cell.node)
  return isChoice ? { ...intent, kind: 'choose' } : intent
}

/** Whether a node is a row, or contains the text that names it. */
function isWholeRow(node: UiNode, row: Row, cell: UiNode): boolean {
  return node === row.node || isInside(cell, node)
}

/** A tap on one of several options becomes an input. The bar of the app's pages is no choice. */
function bindChoice(
  intent: Intent,
  earlier: readonly Intent[],
  { inputs, rulings, goal }: Binding,
): Intent | undefined {
  const { node, before, event_ids } = intent
  if (intent.kind !== 'press' || intent.gesture !== 'tap' || node === undefined || before === undefined)
    return undefined
  if (event_ids.some((id) => rulings.fixed.has(id))) return undefined
  if (isBottomBar(node, before)) return undefined
  const choice = findChoice(intent, earlier)
  if (choice === undefined) return undefined
  const input = bindPicked(choice, intent, { inputs, rulings, goal })
  return { ...intent, kind: 'pick', input: input.name, choice }
}

/** Whether a node is in a bar at the lower edge of the window that leads to the pages of the app. */
function isBottomBar(node: UiNode, { nodes }: Screen): boolean {
  const row = findRowAround(node)
  if (row === undefined || classifyRow(row) !== 'navigation') return false
  const window = nodes[0]?.bounds
  const top = Math.min(...row.group.members.map(({ bounds }) => bounds?.top ?? 0))
  return window != null && top >= window.top + (window.bottom - window.top) * BOTTOM_SHARE
}

const BOTTOM_SHARE = 0.78

function bindPicked(choice: Choice, { before, event_ids }: Intent, { inputs, goal }: Binding): LearnedInput {
  const { text: example, members, options, is_closed } = choice
  const known = inputs.findByExample(example)
  if (known !== undefined) return known
  const isPublic = options.every((text) => !/[@\r\n‹›]/.test(text)) && options.length <= MAX_CHOICES && is_closed
  const names = before === undefined ? ['option'] : proposeOptionNames(members, before, goal)
  const proposed_name = inputs.chooseName(names, example)
  return inputs.add({
    proposed_name,
    type: 'string',
    summary: `Which ${formatName(proposed_name)}, by the text the app shows`,
    example,
    source_event_ids: event_ids,
    ...(isPublic && options.length > 1 && { choices: options, ...(isStructuralText(example) && { default: example }) }),
  })
}

const MAX_CHOICES = 20

function bindTyped(intent: Intent, { inputs, goal }: Binding, later: readonly Intent[]): LearnedInput {
  const { typed, event_ids } = intent
  const known = typed?.text === undefined ? undefined : inputs.findByExample(typed.text)
  if (known !== undefined) {
    inputs.addSources(known.name, event_ids)
    return known
  }
  const proposed_name = inputs.chooseName(proposeFieldNames(intent, goal), typed?.text)
  const isSecret = typed?.secret === true
  const isNumber = typed?.text !== undefined && isTreatedAsNumber(typed.text, later)
  const summary = `${isNumber ? 'Number' : 'Text'} for ${formatName(proposed_name)}`
  return inputs.add({
    proposed_name,
    type: isNumber ? 'number' : 'string',
    summary: isSecret ? `${summary}; secret, never stored` : summary,
    source_event_ids: event_ids,
    ...(isSecret ? { secret: true } : typed?.text !== undefined && { example: typed.text }),
  })
}

/**
 * Digits are a number only if the app formats them as one. A code or a postal code is displayed as it
 * was typed, and would lose its leading zeros as a number.
 */
function isTreatedAsNumber(text: string, later: readonly Intent[]): boolean {
  if (!/^(?:0|[1-9]\d{0,8})(?:\.\d{1,4})?$/.test(text)) return false
  return later.some(({ after }) =>
    after?.nodes.some((node) => {
      const label = readText(node)
      const isAsTyped = label.match(/\d[\d.,]*\d|\d/g)?.includes(text) === true
      return !isTextField(node) && !isAsTyped && readNumber(label) === Number(text)
    }),
  )
}

function bindAdjusted(intent: Intent, { inputs, goal }: Binding): Pick<Intent, 'input'> {
  const { adjustment, before, event_ids, entry } = intent
  if (adjustment === undefined || before === undefined) return {}
  const { value, slider, increase, decrease } = adjustment
  const parts = { slider, buttons: [increase, decrease] }
  const names = proposeValueNames(value, parts, entry === undefined ? before : undefined, goal)
  const proposed_name = inputs.chooseName(names)
  const { name } = inputs.add({
    proposed_name,
    type: 'number',
    summary: `Number that ${formatName(proposed_name)} is set to`,
    example: String(adjustment.to),
    source_event_ids: event_ids,
  })
  return { input: name }
}

/** A date is named by what opened the calendar. */
function bindDate(intent: Intent, earlier: readonly Intent[], { inputs, goal }: Binding): Pick<Intent, 'input'> {
  const { date, before, event_ids } = intent
  if (date === undefined || before === undefined) return {}
  const opener = earlier.findLast((one) => one.before !== undefined && !isSameKind(one.before, before))
  const proposed_name = inputs.chooseName(proposeDateNames(opener?.node, before, goal))
  const { name } = inputs.add({
    proposed_name,
    type: 'string',
    summary: `Date for ${formatName(proposed_name)}, such as 2026-03-14 or 14 March 2026`,
    example: formatDate(date),
    source_event_ids: event_ids,
  })
  return { input: name }
}

function bindToggled(intent: Intent, { inputs, rulings }: Binding): Pick<Intent, 'input'> {
  const { toggled, before, node, event_ids, entry } = intent
  if (toggled === undefined || before === undefined) return {}
  const { control } = toggled
  // The texts beside a control in a list entry belong to the entry.
  const isInEntry = entry !== undefined && listCells(entry.row.node).length > 0
  const names = isInEntry ? proposeBoxNames(control) : proposeSwitchNames(control, node ?? control, before)
  const proposed_name = inputs.chooseName(names)
  const isUndecided = event_ids.some((id) => rulings.undecided.has(id))
  const { name } = inputs.add({
    proposed_name,
    type: 'boolean',
    summary: `Whether ${formatName(proposed_name)} is on`,
    example: String(toggled.checked),
    source_event_ids: event_ids,
    ...(!isUndecided && { default: toggled.checked }),
  })
  return { input: name }
}
