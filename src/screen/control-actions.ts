import { readLabels } from './label-match.ts'
import { splitLabel } from './structure/label-parts.ts'
import { isMeasure } from './structure/mask-text.ts'
import { isStateWord } from './structure/state-words.ts'
import { type UiNode, isTrue, subtree } from './tree/hierarchy.ts'
import { readActions, saysActions } from './words/actions/action-meaning.ts'

/**
 * The first text of a control: its own label, or the first one inside it. A second line explains the first, and a state or
 * a value behind it does not belong to it.
 */
export function readCaption(control: UiNode): string {
  for (const node of subtree(control)) {
    const [label] = isTrue(node, 'password') ? [] : readLabels(node)
    if (label !== undefined) return readFirstLine(label)
  }
  return ''
}

function readFirstLine(label: string): string {
  const [line = ''] = label.trim().split(/[\r\n]+/u)
  const parts = splitLabel(line)
  const kept = parts.filter((part) => !isStateWord(part) && !isMeasure(part))
  return kept.length === parts.length ? line : kept.join(', ')
}

/** What a control says that it does, in any language. */
export const readControlActions = (control: UiNode): readonly string[] => readActions(readCaption(control))

/** Whether a control says that it does what another one did, under another label or in another language. */
export const saysControlActions = (control: UiNode, wanted: readonly string[]): boolean =>
  saysActions(readCaption(control), wanted)
