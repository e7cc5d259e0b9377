import type { UiNode } from '../../../screen/tree/hierarchy.ts'
import { splitLabel } from '../../../screen/structure/label-parts.ts'
import type { Intent } from '../read/intent.ts'
import { formatId, formatName, listTextNodes, readOwnText, readText } from '../read/node-text.ts'
import { isSameView, readTitle } from '../read/screen.ts'
import { keepStructuralText, type ScreenView } from '../read/selectors.ts'

/** Describes a step for a reviewer. The description has no chosen or typed text. */
export function describeIntent(intent: Intent, view: ScreenView): string {
  const { kind, gesture, input = '', entry, node, typed } = intent
  const name = formatName(input)
  switch (kind) {
    case 'choose':
      return `${gesture === 'long_press' ? 'Hold' : 'Choose'} the given ${formatName(entry?.input ?? 'entry')}`
    case 'pick':
      return `Select the given ${name}`
    case 'type':
      return typed?.append === true
        ? `Add the given ${name} to the field`
        : `Fill in the given ${name}${typed?.submit === true ? ' and submit it' : ''}`
    case 'adjust':
      return `Set ${name} to the given number`
    case 'date':
      return `Choose the given ${name} in the calendar`
    case 'toggle':
      return `Turn ${name} on or off as given`
    case 'press': {
      const owner = entry === undefined ? '' : ` of the given ${formatName(entry.input)}`
      return `${gesture === 'long_press' ? 'Hold' : 'Press'} ${nameNode(node, view)}${owner}`
    }
    case 'key':
      return `Press the ${intent.key ?? 'unknown'} key`
    case 'open_app':
      return 'Go to another app'
    case 'scroll':
      return `Scroll ${intent.direction ?? 'down'}`
    case 'slide':
      return `Move ${nameNode(node, view)}`
    case 'swipe': {
      const what = entry === undefined ? nameNode(node, view) : `the given ${formatName(entry.input)}`
      return `Swipe ${what} ${intent.swipe?.direction ?? 'left'}`
    }
    case 'move':
      return `Move the given ${formatName(entry?.input ?? 'entry')} ${describeGoal(intent)}`
  }
}

/** Describes the state after a step. Undefined if it has no distinct state. */
export function describeReachedState(intent: Intent, view: ScreenView): string | undefined {
  const { kind, input = '', entry, typed } = intent
  const name = formatName(input)
  switch (kind) {
    case 'choose': {
      const state = opensScreen(intent) ? 'open' : 'chosen'
      return `The given ${formatName(entry?.input ?? 'entry')} is ${state}`
    }
    case 'pick':
      return `The given ${name} is selected`
    case 'type':
      return `The given ${name} is ${typed?.submit === true ? 'submitted' : 'filled in'}`
    case 'adjust':
      return `The ${name} shows the given number`
    case 'date':
      return `The given ${name} is chosen`
    case 'toggle':
      return `The ${name} is on or off as given`
    case 'press':
      return describeOpenedScreen(intent, view)
    case 'key':
    case 'open_app':
    case 'scroll':
    case 'slide':
    case 'swipe':
      return undefined
    case 'move':
      return `The given ${formatName(entry?.input ?? 'entry')} is ${describeGoal(intent)}`
  }
}

function describeGoal({ move }: Intent): string {
  if (move?.position !== undefined) return `${move.position} in the list`
  return `beside the given ${formatName(move?.entry?.input ?? 'entry')}`
}

export function opensScreen({ before, after }: Intent): boolean {
  return before !== undefined && after !== undefined && !isSameView(before, after)
}

function describeOpenedScreen({ before, after, node }: Intent, view: ScreenView): string | undefined {
  if (before === undefined || after === undefined || isSameView(before, after)) return undefined
  const title = keepStructuralText(readTitle(after), view)
  if (after.is_dialog) return `The question after ${nameNode(node, view)} is open`
  return title === '' ? `The screen after ${nameNode(node, view)} is open` : `The ${toPlainText(title)} screen is open`
}

/** Names a node with texts and ids of the app. */
export function nameNode(node: UiNode | undefined, view: ScreenView): string {
  if (node === undefined) return 'the screen'
  const texts = [readOwnText(node), ...listTextNodes(node).map(readText)].flatMap((text) => [text, ...splitLabel(text)])
  const labels = texts.map((text) => keepStructuralText(removeVariableTexts(text, view), view))
  const label = labels.find((text) => text !== '') ?? ''
  return toPlainText(label) || formatId(node) || 'an unnamed control'
}

/** "Delete Water plants" becomes "Delete". */
function removeVariableTexts(text: string, { variable_texts }: ScreenView): string {
  return [...variable_texts]
    .filter((value) => value !== '' && text !== value)
    .reduce((rest, value) => rest.replaceAll(value, ''), text)
    .replaceAll(/\s+/gu, ' ')
    .trim()
}

/** Removes punctuation that has a meaning in Markdown or in labels. */
function toPlainText(text: string): string {
  return text
    .replaceAll(/[^\p{L}\p{N} &'’-]+/gu, ' ')
    .replaceAll(/\s+/gu, ' ')
    .trim()
}
