import { readDisplayedText } from '../../../screen/elements.ts'
import { attribute, isTrue, type UiNode } from '../../../screen/tree/hierarchy.ts'
import { findFieldLabel } from '../../../screen/structure/node-name.ts'
import { findWord } from '../../action-policy/policy-words.ts'
import { isTextField, listAncestors, type Screen } from '../../interpret/read/screen.ts'
import type { Candidate } from './candidate.ts'
import { describeCandidate, isUnnamed } from './control-box.ts'

export interface Field extends Candidate {
  readonly node: UiNode
  readonly text: string
}

/** The text fields that a goal may fill. Passwords, searches and the fields of wheels are none. */
export function listFields(screen: Screen): Field[] {
  return screen.nodes
    .filter((node) => isTextField(node) && !isTrue(node, 'password') && isTrue(node, 'enabled'))
    .filter((node) => !listAncestors(node).some((one) => /NumberPicker|Wheel/u.test(attribute(one, 'class'))))
    .map((node) => {
      const text = readDisplayedText(node)
      const name = findFieldLabel(node, screen.nodes)
      // An empty field shows its hint as its text on some builds.
      const around = [describeCandidate(screen, node).around, text].join(' · ')
      return { node, text, name, around, unnamed: isUnnamed(name) }
    })
    .filter(({ name, text, node }) => !isSearch(`${name} ${text} ${attribute(node, 'resource-id')}`))
}

const isSearch = (text: string): boolean => findWord('searching', text.replaceAll(/[_:/]/gu, ' ')) !== undefined
