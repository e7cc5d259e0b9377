import type { RecordingEvent } from '@apprentice/contracts/devices/recording.ts'
import { readDisplayedText } from '../../screen/elements.ts'
import { diffSnapshots } from '../../screen/diff.ts'
import { attribute, readAppPackage, type UiNode } from '../../screen/tree/hierarchy.ts'
import { printWithoutPasswords } from '../../screen/hierarchy-print.ts'
import { isPasswordField } from './action-label.ts'
import { toSnapshot } from './screen-facts.ts'
import type { CapturedAction, CapturedScreen, CapturedStep } from './captured-step.ts'
import { readInnerText, isTextField, findTarget } from './step-target.ts'
import { readFieldText, findSameField } from './text-fields.ts'

type WithoutNumber<T> = T extends unknown ? Omit<T, 'ts' | 'seq'> : never
/** An event without time and sequence number. */
export type UnnumberedEvent = WithoutNumber<RecordingEvent>

/**
 * The recording event of a step, with the tree before it. Undefined for passwords and for steps that the
 * format does not have: keys other than back, sliders, opening and closing apps.
 */
export function toRecordingEvent(step: CapturedStep): UnnumberedEvent | undefined {
  const { action } = step
  switch (action.kind) {
    case 'tap':
    case 'long_press':
      return toClick(step)
    case 'scroll':
      return toScroll(step, action)
    case 'text':
      return toTextChange(step, action.text)
    case 'key':
      if (action.key !== 'back') return undefined
      return { type: 'press_key', key: action.key, snapshot: printTree(step.before) }
    case 'slide':
    case 'open_app':
    case 'close_app':
    case 'open_uri':
      return undefined
  }
}

export function printTree(screen: CapturedScreen | undefined): string | null {
  return screen === undefined ? null : printWithoutPasswords(screen.hierarchy)
}

function toClick(step: CapturedStep): UnnumberedEvent {
  const node = findTarget(step)
  const text = node && (toNull(readDisplayedText(node)) ?? (isTextField(node) ? null : toNull(readInnerText(node))))
  return {
    type: 'click',
    packageName: findPackage(node, step),
    resourceId: readId(node),
    text: text ?? null,
    contentDesc: node ? toNull(attribute(node, 'content-desc')) : null,
    bounds: findBounds(node, step.action),
    snapshot: printTree(step.before),
  }
}

/** The bounds of the target, or an empty rectangle at the touched point. */
function findBounds(node: UiNode | undefined, action: CapturedAction) {
  if (node?.bounds) return node.bounds
  const { x, y } = ('point' in action ? action.point : undefined) ?? { x: 0, y: 0 }
  return { left: x, top: y, right: x, bottom: y }
}

type Scroll = Extract<CapturedAction, { kind: 'scroll' }>

/**
 * A tree has no scroll position. The event has the distance of this step instead (positive is towards the
 * end), and zero for the limits.
 */
function toScroll(step: CapturedStep, action: Scroll): UnnumberedEvent {
  const node = findTarget(step)
  const { x, y } = measureScroll(step, action)
  return {
    type: 'scroll',
    packageName: findPackage(node, step),
    resourceId: readId(node),
    scrollX: x,
    scrollY: y,
    maxScrollX: 0,
    maxScrollY: 0,
    snapshot: printTree(step.before),
  }
}

function measureScroll({ before, after }: CapturedStep, { travel }: Scroll): { x: number; y: number } {
  const travelled = { x: negate(travel?.dx ?? 0), y: negate(travel?.dy ?? 0) }
  if (before === undefined || after === undefined) return travelled
  const diff = diffSnapshots(toSnapshot(before), toSnapshot(after))
  if (diff.empty) return { x: 0, y: 0 }
  const [scrolled] = diff.scrolled
  return scrolled === undefined ? travelled : { x: negate(scrolled.dx), y: negate(scrolled.dy) }
}

/** Avoids negative zero, which JSON does not preserve. */
function negate(distance: number): number {
  return distance === 0 ? 0 : -distance
}

function toTextChange(step: CapturedStep, typed: string): UnnumberedEvent | undefined {
  const node = findTarget(step)
  const now = node && step.after && findSameField(step.after.hierarchy, node)
  if ((node && isPasswordField(node)) || (now && isPasswordField(now))) return undefined
  return {
    type: 'text_change',
    packageName: findPackage(node, step),
    resourceId: readId(node),
    text: now === undefined ? typed : readFieldText(now),
    snapshot: printTree(step.before),
  }
}

function findPackage(node: UiNode | undefined, { before, after }: CapturedStep): string {
  const own = node === undefined ? '' : attribute(node, 'package')
  const screen = before ?? after
  return own !== '' || screen === undefined ? own : readAppPackage(screen.hierarchy)
}

function readId(node: UiNode | undefined): string | null {
  return node === undefined ? null : toNull(attribute(node, 'resource-id'))
}

function toNull(text: string): string | null {
  return text === '' ? null : text
}
