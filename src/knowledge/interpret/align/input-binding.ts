import type { UiNode } from '../../../screen/tree/hierarchy.ts'
import { listCells } from '../../../screen/structure/cells.ts'
import { normalizeLabel } from '../../../screen/label-match.ts'
import { formatDate } from '../../../screen/calendar/calendar-date.ts'
import { readNumber } from '../../../screen/shown-value/numbers.ts'
import { isAppLabel } from '../read/app-rows.ts'
import type { Choice } from '../read/choice.ts'
import { findChoice } from '../read/choices.ts'
import { findDialChoice } from '../read/dials.ts'
import { type EntryContext, findEntry, findEntryKey, type Rulings } from '../read/entry.ts'
import { isFoundBy, isInField } from '../read/lone-rows.ts'
import { proposeEntryNames } from '../read/entry-names.ts'
import {
  type NameSource,
  proposeBoxNames,
  proposeDateNames,
  proposeFieldNames,
  proposeOptionNames,
  proposeSwitchNames,
  proposeValueNames,
} from '../read/input-names.ts'
import type { InputList, LearnedInput } from '../read/inputs.ts'
import type { Intent } from '../read/intent.ts'
import { formatSubject, type Names } from '../read/name-list.ts'
import { readText } from '../read/node-text.ts'
import { classifyRow, type Entry, findIdentity, findRowAround, isDataRow, type Row } from '../read/rows.ts'
import { isInside, isSameKind, isTextField, type Screen } from '../read/screen.ts'
import { isStructuralText } from '../read/structural-text.ts'

interface Binding extends Omit<NameSource, 'later' | 'earlier'> {
  readonly inputs: InputList
  readonly rulings: Rulings
}

/** Decides which values are inputs. Sets `entry`, `input` and the kinds `choose` and `pick`. */
export function bindInputs(intents: readonly Intent[], binding: Binding): Intent[] {
  return intents.map((unbound, at) => {
    const here = { ...binding, earlier: intents.slice(0, at), later: intents.slice(at) }
    const picked = bindChoice(unbound, here)
    if (picked !== undefined) return picked
    const entry = findEntry(unbound, here)
    const intent = entry === undefined ? unbound : { ...unbound, entry }
    switch (intent.kind) {
      case 'type': {
        const searched = findSearchedEntry(intents, at, binding)
        return { ...intent, input: searched?.input ?? bindTyped(intent, here).name }
      }
      case 'adjust':
        return { ...intent, ...bindAdjusted(intent, here) }
      case 'toggle':
        return { ...intent, ...bindToggled(intent, here) }
      case 'date':
        return { ...intent, ...bindDate(intent, here) }
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
        return bindMove(intent, here)
    }
  })
}

/**
 * The entry that was chosen among the results for a part of its name. The whole name can be typed as well, if the list was
 * filtered while the text was typed. A part that was submitted is a question of its own: other words may find the entry.
 */
function findSearchedEntry(intents: readonly Intent[], at: number, binding: Binding): Entry | undefined {
  const { text, secret } = intents[at]?.typed ?? {}
  const intent = intents[at + 1]
  if (text === undefined || secret === true || text.trim().length < 2) return undefined
  if (intent === undefined || intent.kind === 'type' || intent.before === undefined) return undefined
  if (!isInField(text, intent.before)) return undefined
  const context = { earlier: intents.slice(0, at + 1), later: intents.slice(at + 1), ...binding }
  const key = findEntryKey(intent, context)
  if (key === undefined) return undefined
  const isPart = isFoundBy(key.cell.text, text) && normalizeLabel(key.cell.text) !== normalizeLabel(text)
  return isPart ? findEntry(intent, context) : undefined
}

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
function bindChoice(intent: Intent, binding: EntryContext): Intent | undefined {
  const { node, before, event_ids } = intent
  if (intent.kind !== 'press' || intent.gesture !== 'tap' || node === undefined || before === undefined)
    return undefined
  if (event_ids.some((id) => binding.rulings.fixed.has(id))) return undefined
  if (isBottomBar(node, before)) return undefined
  const dialled = findDialChoice(intent)
  if (dialled !== undefined)
    return { ...intent, kind: 'pick', input: bindDialled(dialled, intent, binding).name, choice: dialled }
  const choice = findChoice(intent, binding.earlier, binding.later.slice(1))
  if (choice === undefined) return undefined
  const input = bindPicked(choice, intent, binding)
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

function bindPicked(choice: Choice, intent: Intent, binding: EntryContext): LearnedInput {
  const { text: example, options, is_closed } = choice
  const { inputs } = binding
  const known = inputs.findByExample(example)
  if (known !== undefined) return known
  const isPublic =
    options.every((text) => !/[@\r\n‹›]/.test(text) && !binding.isPersonal(text)) &&
    options.length <= MAX_CHOICES &&
    is_closed &&
    !mayDepend(choice, intent, binding)
  const chosen = inputs.chooseName(proposeOptionNames(choice, intent, binding), example)
  return inputs.add({
    proposed_name: chosen.name,
    type: 'string',
    summary: `Which ${formatSubject(chosen)}, by the text the app shows`,
    example,
    source_event_ids: intent.event_ids,
    ...(isPublic && options.length > 1 && { choices: options, ...(isStructuralText(example) && { default: example }) }),
  })
}

const MAX_CHOICES = 20

/** A number on a dial is a value of its own, also if another input has the same number. */
function bindDialled(choice: Choice, intent: Intent, binding: EntryContext): LearnedInput {
  const kind = choice.dial === undefined || choice.dial === 'number' ? [] : [{ name: choice.dial }]
  const chosen = binding.inputs.chooseName([...kind, ...proposeOptionNames(choice, intent, binding)])
  return binding.inputs.add({
    proposed_name: chosen.name,
    type: 'number',
    summary: `Which ${formatSubject(chosen)}, by its number on the dial`,
    example: choice.text,
    source_event_ids: intent.event_ids,
  })
}

/** Options of a window that opened after another choice on the same page may depend on it, unless all apps have them. */
function mayDepend({ options }: Choice, { before, after }: Intent, { earlier, inputs, goal }: EntryContext): boolean {
  if (before?.is_dialog !== true || after === undefined || options.every((text) => isAppLabel(text, goal))) return false
  return earlier.some(
    (one) =>
      one.kind === 'press' &&
      inputs.isSource(one.event_ids) &&
      one.before?.is_dialog === true &&
      one.after !== undefined &&
      isSameKind(one.after, after),
  )
}

function bindTyped(intent: Intent, binding: EntryContext): LearnedInput {
  const { typed, event_ids } = intent
  const { inputs, later } = binding
  const known = typed?.text === undefined ? undefined : inputs.findByExample(typed.text)
  if (known !== undefined) {
    inputs.addSources(known.name, event_ids)
    return known
  }
  const chosen = inputs.chooseName(proposeTypedNames(intent, binding), typed?.text)
  const isSecret = typed?.secret === true
  const isNumber = typed?.text !== undefined && isTreatedAsNumber(typed.text, later)
  const summary = `${isNumber ? 'Number' : 'Text'} for ${formatSubject(chosen)}`
  return inputs.add({
    proposed_name: chosen.name,
    type: isNumber ? 'number' : 'string',
    summary: isSecret ? `${summary}; secret, never stored` : summary,
    source_event_ids: event_ids,
    ...(isSecret ? { secret: true } : typed?.text !== undefined && { example: typed.text }),
  })
}

/** A text that is typed to find an entry and then chosen is named as the entry. The new name of a thing is its name. */
function proposeTypedNames(intent: Intent, binding: EntryContext): Names {
  const { typed, node } = intent
  const { inputs, later, earlier, goal } = binding
  const names = proposeFieldNames(intent, binding)
  const old = node === undefined ? '' : readText(node)
  if (old !== '' && inputs.findByExample(old) !== undefined) return [{ name: 'new_name' }, ...names]
  const isFirst = earlier.every(({ kind }) => kind !== 'type')
  const sought = goal.searched === undefined || !isFirst ? [] : [{ name: goal.searched }]
  const chosen = later.find(({ kind, node: touched }) => kind === 'press' && touched && showsText(touched, typed?.text))
  const row = chosen?.node && findRowAround(chosen.node)
  const cell = row && findIdentity(row)
  const isEntry = chosen?.before !== undefined && row !== undefined && cell !== undefined && isDataRow(row)
  const entryNames = isEntry ? proposeEntryNames(row, cell.node, chosen.before, binding).slice(0, -1) : []
  return [...sought, ...entryNames, ...names]
}

function showsText(node: UiNode, text: string | undefined): boolean {
  const row = findRowAround(node)
  return text !== undefined && row !== undefined && findIdentity(row)?.text === text
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

function bindAdjusted(intent: Intent, binding: EntryContext): Pick<Intent, 'input'> {
  const { adjustment, before, event_ids, entry } = intent
  if (adjustment === undefined || before === undefined) return {}
  const { value, slider, increase, decrease } = adjustment
  const parts = { slider, buttons: [increase, decrease] }
  const names = proposeValueNames(value, parts, entry === undefined ? before : undefined, binding)
  const chosen = binding.inputs.chooseName(names)
  const { name } = binding.inputs.add({
    proposed_name: chosen.name,
    type: 'number',
    summary: `Number that ${formatSubject(chosen)} is set to`,
    example: String(adjustment.to),
    source_event_ids: event_ids,
  })
  return { input: name }
}

/** A date is named by what opened the calendar. */
function bindDate(intent: Intent, binding: EntryContext): Pick<Intent, 'input'> {
  const { date, before, event_ids } = intent
  const { earlier, inputs } = binding
  if (date === undefined || before === undefined) return {}
  const opener = earlier.findLast((one) => one.before !== undefined && !isSameKind(one.before, before))
  const chosen = inputs.chooseName(proposeDateNames(opener?.node, before, binding))
  const { name } = inputs.add({
    proposed_name: chosen.name,
    type: 'string',
    summary: `Date for ${formatSubject(chosen)}, such as 2026-03-14 or 14 March 2026`,
    example: formatDate(date),
    source_event_ids: event_ids,
  })
  return { input: name }
}

function bindToggled(intent: Intent, binding: EntryContext): Pick<Intent, 'input'> {
  const { toggled, before, node, event_ids, entry } = intent
  if (toggled === undefined || before === undefined) return {}
  const { inputs, rulings } = binding
  const { control } = toggled
  // The texts beside a control in a list entry belong to the entry.
  const isInEntry = entry !== undefined && listCells(entry.row.node).length > 0
  const names = isInEntry ? proposeBoxNames(control) : proposeSwitchNames(control, node ?? control, before, binding)
  const chosen = inputs.chooseName(names)
  const isUndecided = event_ids.some((id) => rulings.undecided.has(id))
  const { name } = inputs.add({
    proposed_name: chosen.name,
    type: 'boolean',
    summary: `Whether ${formatSubject(chosen)} is on`,
    example: String(toggled.checked),
    source_event_ids: event_ids,
    ...(!isUndecided && { default: toggled.checked }),
  })
  return { input: name }
}
