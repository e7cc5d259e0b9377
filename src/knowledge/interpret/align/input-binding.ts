import { attribute, type UiNode } from '../../../screen/hierarchy.ts'
import { isOption } from '../read/controls.ts'
import { findEntry, type Rulings } from '../read/entry.ts'
import {
  proposeBoxNames,
  proposeFieldNames,
  proposeOptionNames,
  proposeSwitchNames,
  proposeValueNames,
} from '../read/input-names.ts'
import type { InputList, LearnedInput } from '../read/inputs.ts'
import type { Intent } from '../read/intent.ts'
import { formatName, listTextNodes, readText } from '../read/node-text.ts'
import type { Row } from '../read/rows.ts'
import { isTextField } from '../read/screen.ts'

/** Decides which values are inputs. Sets `entry`, `input` and the kinds `choose` and `pick`. */
export function bindInputs(intents: readonly Intent[], inputs: InputList, rulings: Rulings): Intent[] {
  return intents.map((unbound, at) => {
    const later = intents.slice(at)
    const entry = findEntry(unbound, { later, inputs, rulings })
    const intent = entry === undefined ? unbound : { ...unbound, entry }
    switch (intent.kind) {
      case 'type':
        return { ...intent, input: bindTyped(intent, inputs, later).name }
      case 'adjust':
        return { ...intent, ...bindAdjusted(intent, inputs) }
      case 'toggle':
        return { ...intent, ...bindToggled(intent, inputs, rulings) }
      case 'press':
        return bindPress(intent, inputs)
      case 'choose':
      case 'pick':
      case 'key':
      case 'open_app':
      case 'scroll':
      case 'slide':
        return intent
    }
  })
}

function bindPress(intent: Intent, inputs: InputList): Intent {
  const { node, before, entry } = intent
  if (entry !== undefined) {
    const isChoice = node !== undefined && isWholeRow(node, entry.row)
    return isChoice ? { ...intent, kind: 'choose' } : intent
  }
  if (node === undefined || before === undefined || !isOption(node)) return intent
  return { ...intent, kind: 'pick', input: bindPicked(intent, node, inputs).name }
}

/** Whether a node is a row, or contains all texts of the row. */
function isWholeRow(node: UiNode, row: Row): boolean {
  return node === row.node || listTextNodes(node).length === listTextNodes(row.node).length
}

function bindPicked({ before, event_ids }: Intent, node: UiNode, inputs: InputList): LearnedInput {
  const example = readText(node)
  const known = inputs.findByExample(example)
  if (known !== undefined) return known
  const options = listOptions(node)
  const isClosed = options.every((text) => !/[@\r\n‹›]/.test(text)) && options.length <= MAX_CHOICES
  const names = before === undefined ? ['option'] : proposeOptionNames(node, before)
  const proposed_name = inputs.chooseName(names, example)
  return inputs.add({
    proposed_name,
    type: 'string',
    summary: `Which ${formatName(proposed_name)}, by the text the app shows`,
    example,
    source_event_ids: event_ids,
    ...(isClosed && options.length > 1 && { choices: options }),
  })
}

const MAX_CHOICES = 20

/** The texts of an option and its siblings. */
function listOptions(node: UiNode): string[] {
  const type = attribute(node, 'class')
  const group = node.parent?.children ?? [node]
  const texts = group.filter((one) => attribute(one, 'class') === type).map(readText)
  return [...new Set(texts.filter((text) => text !== ''))]
}

function bindTyped(intent: Intent, inputs: InputList, later: readonly Intent[]): LearnedInput {
  const { typed, event_ids } = intent
  const known = typed?.text === undefined ? undefined : inputs.findByExample(typed.text)
  if (known !== undefined) {
    inputs.addSources(known.name, event_ids)
    return known
  }
  const proposed_name = inputs.chooseName(proposeFieldNames(intent), typed?.text)
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
      const [digits] = /\d+(?:[.,]\d+)?/.exec(readText(node)) ?? []
      if (digits === undefined || digits === text || isTextField(node)) return false
      return Number(digits.replace(',', '.')) === Number(text)
    }),
  )
}

function bindAdjusted(intent: Intent, inputs: InputList): Pick<Intent, 'input'> {
  const { adjustment, before, event_ids, entry } = intent
  if (adjustment === undefined || before === undefined) return {}
  const { value, slider } = adjustment
  const names = proposeValueNames(value, slider, entry === undefined ? before : undefined)
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

function bindToggled(intent: Intent, inputs: InputList, rulings: Rulings): Pick<Intent, 'input'> {
  const { toggled, before, node, event_ids, entry } = intent
  if (toggled === undefined || before === undefined) return {}
  const { control } = toggled
  // The texts beside a control in a list entry belong to the entry.
  const names = entry === undefined ? proposeSwitchNames(control, node ?? control, before) : proposeBoxNames(control)
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
