import { attribute, type UiNode } from '../../../screen/hierarchy.ts'
import { type Entry, entryOf, type Rulings } from '../read/entry.ts'
import { type InputList, type LearnedInput } from '../read/inputs.ts'
import type { Move } from '../read/move.ts'
import { boxNames, fieldNames, optionNames, switchNames, valueNames } from '../read/naming.ts'
import type { Row } from '../read/rows.ts'
import { isTextField } from '../read/screen.ts'
import { isOption } from '../read/toggling.ts'
import { shownWords, speakingNodes, spoken } from '../read/words.ts'

/** A move with its meaning: what of it is fixed and what is said anew each time. */
export interface Intent {
  readonly move: Move
  readonly kind:
    | 'choose'
    | 'pick'
    | 'type'
    | 'adjust'
    | 'toggle'
    | 'press'
    | 'key'
    | 'open_app'
    | 'scroll'
    | 'slide'
  /** The list entry it was done to, or in. */
  readonly entry?: Entry
  /** What it sets. */
  readonly input?: string
  /** Done in some of the runs only. */
  readonly optional?: boolean
}

/** What each move means. Inputs are added as they are met. */
export function readIntents(moves: readonly Move[], inputs: InputList, rulings: Rulings): Intent[] {
  return moves.map((move, at) => {
    const entry = entryOf(move, { later: moves.slice(at), inputs, rulings })
    const intent = { move, ...(entry !== undefined && { entry }) }
    switch (move.kind) {
      case 'type':
        return { ...intent, kind: 'type', input: typedInput(move, inputs, moves.slice(at)).name }
      case 'adjust':
        return { ...intent, kind: 'adjust', ...adjustedInput(intent, inputs) }
      case 'toggle':
        return { ...intent, kind: 'toggle', ...toggledInput(intent, inputs, rulings) }
      case 'press':
      case 'long_press':
        return pressed(intent, inputs)
      case 'slide':
      case 'scroll':
      case 'key':
      case 'open_app':
        return { ...intent, kind: move.kind }
      case 'close_app':
      case 'open_uri':
        return { ...intent, kind: 'open_app' }
    }
  })
}

function pressed(intent: { move: Move; entry?: Entry }, inputs: InputList): Intent {
  const { move, entry } = intent
  const { node, before } = move
  if (entry !== undefined) {
    return { ...intent, kind: node !== undefined && isWhole(node, entry.row) ? 'choose' : 'press' }
  }
  if (node === undefined || before === undefined || !isOption(node)) {
    return { ...intent, kind: 'press' }
  }
  return { ...intent, kind: 'pick', input: pickedInput(move, node, inputs).name }
}

/** The row itself, or what fills it and takes the touches. */
function isWhole(node: UiNode, row: Row): boolean {
  return node === row.node || speakingNodes(node).length === speakingNodes(row.node).length
}

function pickedInput({ before, event_ids }: Move, node: UiNode, inputs: InputList): LearnedInput {
  const example = shownWords(node)
  const known = inputs.withExample(example)
  if (known !== undefined) return known
  const options = optionsBeside(node)
  const fixed = options.every((words) => !/[@\r\n‹›]/.test(words)) && options.length <= MAX_CHOICES
  const names = before === undefined ? ['option'] : optionNames(node, before)
  const wanted_name = inputs.nameFrom(names, example)
  return inputs.add({
    wanted_name,
    type: 'string',
    summary: `Which ${spoken(wanted_name)}, by the words the app shows`,
    example,
    source_event_ids: event_ids,
    ...(fixed && options.length > 1 && { choices: options }),
  })
}

const MAX_CHOICES = 20

function optionsBeside(node: UiNode): string[] {
  const type = attribute(node, 'class')
  const group = node.parent?.children ?? [node]
  const words = group.filter((one) => attribute(one, 'class') === type).map(shownWords)
  return [...new Set(words.filter((one) => one !== ''))]
}

function typedInput(move: Move, inputs: InputList, later: readonly Move[]): LearnedInput {
  const { typed, event_ids } = move
  const known = typed?.text === undefined ? undefined : inputs.withExample(typed.text)
  if (known !== undefined) {
    inputs.alsoFrom(known.name, event_ids)
    return known
  }
  const wanted_name = inputs.nameFrom(fieldNames(move), typed?.text)
  const secret = typed?.secret === true
  const isAmount = typed?.text !== undefined && isShownAsAmount(typed.text, later)
  const what = `${isAmount ? 'Number' : 'Text'} for ${spoken(wanted_name)}`
  return inputs.add({
    wanted_name,
    type: isAmount ? 'number' : 'string',
    summary: secret ? `${what}; secret, never kept` : what,
    source_event_ids: event_ids,
    ...(secret ? { secret } : typed?.text !== undefined && { example: typed.text }),
  })
}

/**
 * Digits are a number only if the app treats them so, by writing them its own way: a code or a postal
 * number comes back as it was typed, and would lose its noughts as a number.
 */
function isShownAsAmount(text: string, later: readonly Move[]): boolean {
  if (!/^(?:0|[1-9]\d{0,8})(?:\.\d{1,4})?$/.test(text)) return false
  return later.some(({ after }) =>
    after?.nodes.some((node) => {
      const words = shownWords(node)
      const [digits] = /\d+(?:[.,]\d+)?/.exec(words) ?? []
      if (digits === undefined || digits === text || isTextField(node)) return false
      return Number(digits.replace(',', '.')) === Number(text)
    }),
  )
}

function adjustedInput(
  { move, entry }: { readonly move: Move; readonly entry?: Entry },
  inputs: InputList,
): { input?: string } {
  const { adjustment, before, event_ids } = move
  if (adjustment === undefined || before === undefined) return {}
  const { value, slider } = adjustment
  const names = valueNames(value, slider, entry === undefined ? before : undefined)
  const wanted_name = inputs.nameFrom(names)
  const { name } = inputs.add({
    wanted_name,
    type: 'number',
    summary: `Number that ${spoken(wanted_name)} is set to`,
    example: String(adjustment.to),
    source_event_ids: event_ids,
  })
  return { input: name }
}

function toggledInput(
  { move, entry }: { readonly move: Move; readonly entry?: Entry },
  inputs: InputList,
  rulings: Rulings,
): { input?: string } {
  const { toggled, before, node, event_ids } = move
  if (toggled === undefined || before === undefined) return {}
  const touched = node ?? toggled.control
  // The words beside it are the entry's own.
  const { control } = toggled
  const names = entry === undefined ? switchNames(control, touched, before) : boxNames(control)
  const wanted_name = inputs.nameFrom(names)
  const { name } = inputs.add({
    wanted_name,
    type: 'boolean',
    summary: `Whether ${spoken(wanted_name)} is on`,
    example: String(toggled.checked),
    source_event_ids: event_ids,
    ...(!event_ids.some((id) => rulings.undecided.has(id)) && { default: toggled.checked }),
  })
  return { input: name }
}
