import { isTrue, type UiNode } from '../../../screen/tree/hierarchy.ts'
import { readLabel } from '../../../screen/tree/roles.ts'
import { areSimilar } from '../../../screen/structure/shape.ts'
import { readTitle, type Screen } from '../../interpret/read/screen.ts'
import { type Candidate, readEntryName } from './candidate.ts'
import { describeCandidate, isControl, readWholeLabel } from './control-box.ts'
import { isRadio } from './toggles.ts'
import { subtree } from '../../../screen/tree/hierarchy.ts'

/** One of several options of which one is chosen: radio buttons, segments, chips, entries of a chooser. */
export interface Choice extends Candidate {
  readonly node: UiNode
  readonly option: string
  readonly chosen: boolean
}

/** `name` is what is chosen: the heading of the group, or the title of the chooser. */
export function listChoices(screen: Screen): Choice[] {
  return screen.nodes
    .filter((node) => isOption(node))
    .map((node) => {
      const { around } = describeCandidate(screen, node)
      const option = readOption(screen, node)
      const chosen = isTrue(node, 'checked') || isTrue(node, 'selected') || hasChosenMark(node)
      const name = [readTitle(screen), around].join(' · ')
      return { node, option, chosen, name, around, unnamed: true }
    })
}

/** The label of an option, or the name of the row that it is the mark of. */
function readOption(screen: Screen, node: UiNode): string {
  const own = readEntryName(readWholeLabel(node)).trim()
  return own === '' ? describeCandidate(screen, node).name : own
}

function isOption(node: UiNode): boolean {
  if (isRadio(node)) return isTrue(node, 'checkable')
  if (!isTrue(node, 'clickable') || !(node.parent?.children ?? []).some(isMarked) || readWholeLabel(node) === '')
    return false
  const siblings = listAlike(node)
  if (siblings.length < 2) return false
  const marked = siblings.filter(isMarked)
  return (
    marked.length === 1 && !siblings.some((one) => [...subtree(one)].some((part) => isControl(part) && part !== one))
  )
}

const isMarked = (node: UiNode): boolean => isTrue(node, 'checked') || isTrue(node, 'selected')

/** Siblings of the same shape that take a touch, with the node itself. */
function listAlike(node: UiNode): UiNode[] {
  const siblings = node.parent?.children ?? []
  return siblings.filter((one) => one === node || (isTrue(one, 'clickable') && areSimilar(one, node)))
}

const hasChosenMark = (node: UiNode): boolean =>
  [...subtree(node)].some(
    (one) => one !== node && (isTrue(one, 'checked') || isTrue(one, 'selected')) && readLabel(one) === '',
  )
