import { readBooleanWord } from '../../../screen/shown-value/boolean-words.ts'
import { attribute, isTrue, type UiNode } from '../../../screen/tree/hierarchy.ts'
import type { Screen } from '../../interpret/read/screen.ts'
import { type Candidate, readEntryName } from './candidate.ts'
import { describeCandidate, isControl, readWholeLabel } from './control-box.ts'
import { subtree } from '../../../screen/tree/hierarchy.ts'

/** A control that is on or off. */
export interface Toggle extends Candidate {
  readonly node: UiNode
  readonly on: boolean
  /** It has no check mark: its words tell its state, and a tap changes it. */
  readonly spoken: boolean
}

export function listToggles(screen: Screen): Toggle[] {
  const checkable = screen.nodes
    .filter((node) => isTrue(node, 'checkable') && !isRadio(node))
    .map((node) => ({ ...describeCandidate(screen, node), node, on: isTrue(node, 'checked'), spoken: false }))
  return [...checkable, ...listSpokenToggles(screen)]
}

const RADIO_CLASSES = /RadioButton|CheckedTextView$/

export const isRadio = (node: UiNode): boolean => RADIO_CLASSES.test(attribute(node, 'class'))

/** Tiles such as "Kitchen light · Off": one of their labels is a word for on or off. */
function listSpokenToggles({ nodes }: Screen): Toggle[] {
  return nodes.flatMap((node) => {
    if (!isTrue(node, 'clickable') || [...subtree(node)].some(isControl)) return []
    const parts = readWholeLabel(node).split(/ · |\n|, /u)
    const states = parts.flatMap((part) => readBooleanWord(part.trim().toLowerCase()) ?? [])
    const [on] = states
    if (on === undefined || states.length !== 1 || parts.length < 2) return []
    const label = readWholeLabel(node)
    const name = readEntryName(label).split(/\n|, /u)[0] ?? ''
    return [{ node, on, spoken: true, name, around: label, unnamed: false }]
  })
}
