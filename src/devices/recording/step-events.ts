import type { RecordingEvent } from '@apprentice/contracts/devices/recording.ts'
import { shownText } from '../../screen/elements.ts'
import { diffSnapshots } from '../../screen/diff.ts'
import { attribute, type UiNode } from '../../screen/hierarchy.ts'
import { printWithoutPasswords } from '../../screen/hierarchy-print.ts'
import { isSecret } from './action-label.ts'
import { frontPackage, snapshotOfScreen } from './screen-facts.ts'
import type { RecordedAction, ScreenEvidence, StepEvidence } from './step-evidence.ts'
import { innerWords, isTextField, resolveNode } from './step-target.ts'
import { fieldText, sameField } from './text-fields.ts'

type WithoutMarks<T> = T extends unknown ? Omit<T, 'ts' | 'seq'> : never
/** An event that has not been given its time and number yet. */
export type UnmarkedEvent = WithoutMarks<RecordingEvent>

/**
 * What the recording format can say of a step; nothing for what it has no word for (keys but back,
 * sliders) and for passwords. Trees are those before the step.
 */
export function stepEvent(step: StepEvidence): UnmarkedEvent | undefined {
  const { action } = step
  switch (action.kind) {
    case 'tap':
    case 'long_press':
      return clickEvent(step)
    case 'scroll':
      return scrollEvent(step, action)
    case 'text':
      return textEvent(step, action.text)
    case 'key':
      if (action.key !== 'back') return undefined
      return { type: 'press_key', key: action.key, snapshot: treeText(step.before) }
    case 'slide':
    case 'open_app':
    case 'close_app':
    case 'open_uri':
      return undefined
  }
}

export function treeText(screen: ScreenEvidence | undefined): string | null {
  return screen === undefined ? null : printWithoutPasswords(screen.hierarchy)
}

function clickEvent(step: StepEvidence): UnmarkedEvent {
  const node = resolveNode(step)
  const text =
    node && (orNull(shownText(node)) ?? (isTextField(node) ? null : orNull(innerWords(node))))
  return {
    type: 'click',
    packageName: packageOf(node, step),
    resourceId: idOf(node),
    text: text ?? null,
    contentDesc: node ? orNull(attribute(node, 'content-desc')) : null,
    bounds: boundsOf(node, step.action),
    snapshot: treeText(step.before),
  }
}

/** Without a node the place itself, as a rectangle without area. */
function boundsOf(node: UiNode | undefined, action: RecordedAction) {
  if (node?.bounds) return node.bounds
  const { x, y } = ('point' in action ? action.point : undefined) ?? { x: 0, y: 0 }
  return { left: x, top: y, right: x, bottom: y }
}

type Scroll = Extract<RecordedAction, { kind: 'scroll' }>

/**
 * A tree does not tell how far a list is scrolled nor how far it could be: the numbers are how far this
 * step moved it (positive is towards the end), and zero for its limits.
 */
function scrollEvent(step: StepEvidence, action: Scroll): UnmarkedEvent {
  const node = resolveNode(step)
  const { x, y } = movement(step, action)
  return {
    type: 'scroll',
    packageName: packageOf(node, step),
    resourceId: idOf(node),
    scrollX: x,
    scrollY: y,
    maxScrollX: 0,
    maxScrollY: 0,
    snapshot: treeText(step.before),
  }
}

function movement({ before, after }: StepEvidence, { travel }: Scroll): { x: number; y: number } {
  const byFinger = { x: opposite(travel?.dx ?? 0), y: opposite(travel?.dy ?? 0) }
  if (before === undefined || after === undefined) return byFinger
  const diff = diffSnapshots(snapshotOfScreen(before), snapshotOfScreen(after))
  if (diff.empty) return { x: 0, y: 0 }
  const [seen] = diff.scrolled
  return seen === undefined ? byFinger : { x: opposite(seen.dx), y: opposite(seen.dy) }
}

/** Never the negative zero, which JSON cannot keep. */
function opposite(distance: number): number {
  return distance === 0 ? 0 : -distance
}

function textEvent(step: StepEvidence, typed: string): UnmarkedEvent | undefined {
  const node = resolveNode(step)
  const now = node && step.after && sameField(step.after.hierarchy, node)
  if ((node && isSecret(node)) || (now && isSecret(now))) return undefined
  return {
    type: 'text_change',
    packageName: packageOf(node, step),
    resourceId: idOf(node),
    text: now === undefined ? typed : fieldText(now),
    snapshot: treeText(step.before),
  }
}

function packageOf(node: UiNode | undefined, { before, after }: StepEvidence): string {
  const own = node === undefined ? '' : attribute(node, 'package')
  const shown = before ?? after
  return own !== '' || shown === undefined ? own : frontPackage(shown.hierarchy)
}

function idOf(node: UiNode | undefined): string | null {
  return node === undefined ? null : orNull(attribute(node, 'resource-id'))
}

function orNull(words: string): string | null {
  return words === '' ? null : words
}
