import { attribute, isTrue, subtree, type UiNode } from '../../../screen/tree/hierarchy.ts'
import { readLabel } from '../../../screen/tree/roles.ts'
import { nameNode, readIdWords } from '../../../screen/structure/node-name.ts'
import { isStateWord } from '../../../screen/structure/state-words.ts'
import { isSlider, isTextField, listAncestors, type Screen } from '../../interpret/read/screen.ts'
import type { Candidate } from './candidate.ts'

export const isControl = (node: UiNode): boolean => isTrue(node, 'checkable') || isTextField(node) || isSlider(node)

/** The labels of a node and its descendants, without the content of text fields. */
export function readWholeLabel(node: UiNode): string {
  const labels = [...subtree(node)]
    .filter((one) => !isTrue(one, 'password') && !isTextField(one))
    .map((one) => readLabel(one).trim())
    .filter((text) => text !== '')
  return [...new Set(labels)].join(' · ').slice(0, 240)
}

/** The name of a control and the words of its row and of the heading above. */
export function describeCandidate(screen: Screen, node: UiNode, parts: readonly UiNode[] = [node]): Candidate {
  const box = findBox(node, parts)
  const found = nameNode(node, screen.nodes)
  const beside = box === undefined || isIn(box, node, found) ? found : ''
  const name = beside === '' && box !== undefined ? findNumberedName(box) : beside
  const around = [box, findHeading(screen, node)].flatMap((one) => (one === undefined ? [] : [readWholeLabel(one)]))
  return { name, around: around.join(' · '), unnamed: isUnnamed(name) }
}

/** "Lamp 2" looks like a measure and is a name where there is no other. */
const findNumberedName = (box: UiNode): string =>
  readWholeLabel(box)
    .split(' · ')
    .find((part) => /\p{L}{2}/u.test(part) && !isStateWord(part)) ?? ''

/** Whether a name is of the control or in its box. A text beside the box may name the control of another row. */
const isIn = (box: UiNode, node: UiNode, name: string): boolean =>
  isTrue(box, 'clickable') ||
  [readWholeLabel(box), readIdWords(node), attribute(node, 'hint')].some((text) => text.includes(name)) ||
  !hasOtherControls(box)

const hasOtherControls = (box: UiNode): boolean =>
  (box.parent?.children ?? []).some((sibling) => sibling !== box && [...subtree(sibling)].some(isControl))

/** Names such as "On" or "Power" say nothing about what they switch. */
export const isUnnamed = (name: string): boolean => {
  const words = name
    .toLowerCase()
    .split(/[^\p{L}]+/u)
    .filter((word) => word !== '')
  return words.every((word) => isStateWord(word) || GENERIC_NAMES.has(word))
}

const GENERIC_NAMES: ReadonlySet<string> = new Set(
  (
    'power switch toggle value level state status enabled use default main slider picker ' +
    'schalter wert stufe zustand verwenden hauptschalter interrupteur valeur niveau utiliser ' +
    'interruptor valor nivel estado usar interruttore valore livello stato usa nivel ligar schakelaar waarde niveau gebruiken'
  ).split(' '),
)

/** The largest box around a control that contains no other control and is not most of the screen. */
export function findBox(node: UiNode, parts: readonly UiNode[] = [node]): UiNode | undefined {
  const [root] = listAncestors(node).slice(-1)
  const limit = root?.bounds == null ? Number.POSITIVE_INFINITY : (root.bounds.bottom - root.bounds.top) * MAX_BOX_SHARE
  let box: UiNode | undefined
  for (const ancestor of listAncestors(node)) {
    const height = ancestor.bounds === null ? 0 : ancestor.bounds.bottom - ancestor.bounds.top
    if (isTrue(ancestor, 'scrollable') || height > limit) break
    const foreign = [...subtree(ancestor)].filter((one) => isControl(one) && !parts.includes(one))
    if (foreign.length > 0) break
    box = ancestor
  }
  return box
}

const MAX_BOX_SHARE = 0.4

/** The last text above a control that takes no touch and stands in no row with another control. */
function findHeading({ nodes }: Screen, node: UiNode): UiNode | undefined {
  const top = node.bounds?.top
  if (top === undefined) return undefined
  return nodes
    .filter((one) => one.children.length === 0 && !isTrue(one, 'clickable') && readLabel(one).trim() !== '')
    .filter((one) => one.bounds !== null && one.bounds.bottom <= top && !isControl(one))
    .filter((one) => !listAncestors(one).some((ancestor) => isTrue(ancestor, 'clickable')))
    .findLast((one) => findBox(one, []) !== undefined || attribute(one, 'text') !== '')
}
