import type { UiNode } from '../../../screen/hierarchy.ts'
import type { Intent } from '../align/intent.ts'
import { isSameView, titleWords } from '../read/screen.ts'
import { type ScreenView, structural } from '../read/selectors.ts'
import { idWords, ownWords, shownWords, speakingNodes, spoken } from '../read/words.ts'

/** What a step does, for a reviewer. Nothing that was chosen or typed is in it. */
export function describe(intent: Intent, sight: ScreenView): string {
  const { kind, input = '', entry, move } = intent
  const given = spoken(input)
  switch (kind) {
    case 'choose':
      return `${move.kind === 'long_press' ? 'Hold' : 'Choose'} the given ${spoken(entry?.input ?? 'entry')}`
    case 'pick':
      return `Select the given ${given}`
    case 'type':
      return move.typed?.append === true
        ? `Add the given ${given} to the field`
        : `Fill in the given ${given}${move.typed?.submit === true ? ' and submit it' : ''}`
    case 'adjust':
      return `Set ${given} to the given number`
    case 'toggle':
      return `Turn ${given} on or off as given`
    case 'press': {
      const where = entry === undefined ? '' : ` of the given ${spoken(entry.input)}`
      return `${move.kind === 'long_press' ? 'Hold' : 'Press'} ${thing(move.node, sight)}${where}`
    }
    case 'key':
      return `Press the ${move.key ?? 'unknown'} key`
    case 'open_app':
      return 'Go to another app'
    case 'scroll':
      return `Scroll ${move.direction ?? 'down'}`
    case 'slide':
      return `Move ${thing(move.node, sight)}`
  }
}

/** The state a step leaves behind; nothing when it cannot be told from what went before. */
export function stateReached(intent: Intent, sight: ScreenView): string | undefined {
  const { kind, input = '', entry, move } = intent
  const given = spoken(input)
  switch (kind) {
    case 'choose':
      return opens(intent)
        ? `The given ${spoken(entry?.input ?? 'entry')} is open`
        : `The given ${spoken(entry?.input ?? 'entry')} is chosen`
    case 'pick':
      return `The given ${given} is selected`
    case 'type':
      return move.typed?.submit === true
        ? `The given ${given} is submitted`
        : `The given ${given} is filled in`
    case 'adjust':
      return `The ${given} shows the given number`
    case 'toggle':
      return `The ${given} is on or off as given`
    case 'press':
      return screenReached(intent, sight)
    case 'key':
    case 'open_app':
    case 'scroll':
    case 'slide':
      return undefined
  }
}

export function opens({ move: { before, after } }: Intent): boolean {
  return before !== undefined && after !== undefined && !isSameView(before, after)
}

function screenReached(
  { move: { before, after, node } }: Intent,
  sight: ScreenView,
): string | undefined {
  if (before === undefined || after === undefined || isSameView(before, after)) return undefined
  const name = structural(titleWords(after), sight)
  if (after.is_dialog) return `The question after ${thing(node, sight)} is open`
  return name === ''
    ? `The screen after ${thing(node, sight)} is open`
    : `The ${plain(name)} screen is open`
}

/** A name for something that was touched, from the app's own words. */
export function thing(node: UiNode | undefined, sight: ScreenView): string {
  if (node === undefined) return 'the screen'
  const said = [ownWords(node), ...speakingNodes(node).map(shownWords)]
  const words = said.map((one) => structural(withoutChosen(one, sight), sight))
  return plain(words.find((one) => one !== '') ?? '') || idWords(node) || 'an unnamed control'
}

/** "Delete Water plants" is about deleting. */
function withoutChosen(words: string, { variable_words }: ScreenView): string {
  return [...variable_words]
    .filter((chosen) => chosen !== '' && words !== chosen)
    .reduce((rest, chosen) => rest.replaceAll(chosen, ''), words)
    .replaceAll(/\s+/gu, ' ')
    .trim()
}

/** Without marks that mean something elsewhere. */
function plain(words: string): string {
  return words
    .replaceAll(/[^\p{L}\p{N} &'’-]+/gu, ' ')
    .replaceAll(/\s+/gu, ' ')
    .trim()
}
