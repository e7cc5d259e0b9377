import type { Point } from '../../screen/tree/bounds.ts'
import { attribute, type Hierarchy, type UiNode } from '../../screen/tree/hierarchy.ts'
import { detectLoading } from '../../screen/loading.ts'
import { collectOnScreenNodes, findWindow } from '../../screen/matcher.ts'
import { isEmptyAt, findScrollableAt, findSliderAt, findTouchTarget } from '../../screen/hit-test.ts'
import { findNavigationButton, findNavigationSwipe, type Navigation } from './navigation.ts'
import type { PersonInput } from './person-input.ts'
import { hasChanged } from '../recording/screen-facts.ts'
import { type CapturedScreen, type CapturedStep, toSwipeAction } from '../recording/captured-step.ts'
import { isTextField } from '../recording/step-target.ts'
import { findFocusedField } from '../recording/text-fields.ts'
import { TypedTextReader, type Typing } from '../recording/typed-text.ts'

/** What a person did between two readings of the screen. */
export interface Burst {
  readonly inputs: readonly PersonInput[]
  readonly before: CapturedScreen | undefined
  readonly after: CapturedScreen | undefined
  readonly size: { readonly width: number; readonly height: number }
  readonly navigation: Navigation
}

/**
 * Makes steps of a burst. Only the first input surely acted on the screen before. A later input has a
 * target only if that node is on the screens before and after. The keyboard is in no tree: touches on it
 * become one step for each field whose text they changed.
 */
export function toCapturedSteps(burst: Burst): CapturedStep[] {
  const reader = new BurstReader(burst)
  for (const [index, input] of burst.inputs.entries()) reader.add(input, index === 0)
  return reader.toSteps()
}

type Swipe = Extract<PersonInput, { kind: 'swipe' }>
type Touch = Extract<PersonInput, { kind: 'tap' | 'long_press' }>
type Find = (tree: Hierarchy, point: Point) => UiNode | undefined

class BurstReader {
  readonly #burst: Burst
  readonly #parts: (CapturedStep | Typing)[] = []
  #field: UiNode | undefined
  #hasTouchedField = false

  constructor(burst: Burst) {
    this.#burst = burst
    this.#field = findFocusedField(burst.before?.hierarchy)
  }

  add(input: PersonInput, isFirst: boolean): void {
    if (input.kind === 'tap' || input.kind === 'long_press') this.#addTouch(input, isFirst)
    else if (input.kind === 'swipe') this.#addSwipe(input, isFirst)
    else if (input.kind === 'key') this.#readKey(input, isFirst)
  }

  toSteps(): CapturedStep[] {
    const { before, after } = this.#burst
    const texts = new TypedTextReader(before, after)
    const lastTyping = this.#parts.findLast(isTyping)
    const steps = this.#parts.flatMap((part) => (isTyping(part) ? texts.readSteps(part, part === lastTyping) : [part]))
    return steps.map((step, index) => ({
      ...step,
      after: index === steps.length - 1 ? after : step.after,
    }))
  }

  #addTouch({ kind, point, atMs }: Touch, isFirst: boolean): void {
    const { size, navigation, before } = this.#burst
    const tree = before?.hierarchy
    const key = findNavigationButton(point, { size, tree, navigation })
    if (key !== undefined) return this.#addKey(key, atMs, isFirst)
    if (this.#isKeyboard(point, isFirst)) return this.#addTyping(atMs)
    const target = this.#findSafely(findTouchTarget, point, isFirst)
    if (target === undefined && this.#isIdle(findTouchTarget, point, isFirst)) return
    if (target !== undefined && isTextField(target)) {
      this.#field = target
      this.#hasTouchedField = true
    }
    this.#add({ kind, point }, atMs, target === undefined ? this.#findBackground(isFirst) : before)
  }

  #addSwipe({ from, to, atMs }: Swipe, isFirst: boolean): void {
    const { before, size, navigation } = this.#burst
    const key = findNavigationSwipe({ from, to }, size, navigation)
    if (key !== undefined) return this.#addKey(key, atMs, isFirst)
    if (this.#isKeyboard(from, isFirst)) return this.#addTyping(atMs)
    const slider = this.#findSafely(findSliderAt, from, isFirst)
    const action = toSwipeAction({ from, to }, slider !== undefined)
    if (action.kind === 'slide') return this.#add(action, atMs, before)
    const scroller = this.#findSafely(findScrollableAt, from, isFirst)
    if (scroller === undefined && this.#isIdle(findScrollableAt, from, isFirst)) return
    const seen = scroller === undefined ? this.#findBackground(isFirst) : before
    this.#add(action, atMs, seen)
  }

  #readKey({ key, atMs }: Extract<PersonInput, { kind: 'key' }>, isFirst: boolean): void {
    if (key === 'typing') this.#addTyping(atMs)
    else this.#addKey(key, atMs, isFirst)
  }

  #addKey(key: string, atMs: number, isFirst: boolean): void {
    this.#add({ kind: 'key', key }, atMs, isFirst ? this.#burst.before : undefined)
  }

  #add(action: CapturedStep['action'], at_ms: number, before: CapturedScreen | undefined): void {
    this.#parts.push({ action, at_ms, before })
  }

  #addTyping(atMs: number): void {
    const last = this.#parts.at(-1)
    if (last !== undefined && isTyping(last)) last.atMs = atMs
    else this.#parts.push({ kind: 'typing', atMs, field: this.#field })
  }

  /** The node at a point, unless the screen may have changed before the touch. */
  #findSafely(find: Find, point: Point, isFirst: boolean): UiNode | undefined {
    const { before, after } = this.#burst
    const node = before && find(before.hierarchy, point)
    if (isFirst || node === undefined) return node
    const now = after && find(after.hierarchy, point)
    return now !== undefined && isSameNode(node, now) ? node : undefined
  }

  /** The screen of a touch without a target, if it was surely on that screen. */
  #findBackground(isFirst: boolean): CapturedScreen | undefined {
    const { before } = this.#burst
    return isFirst && before !== undefined && !isLoading(before) ? before : undefined
  }

  /** A touch without a target counts only if it was alone and the screen changed. */
  #isIdle(find: Find, point: Point, isFirst: boolean): boolean {
    const { before, after, inputs } = this.#burst
    if (before === undefined || after === undefined) return false
    const trees = isFirst ? [before] : [before, after]
    if (trees.some(({ hierarchy }) => find(hierarchy, point) !== undefined)) return false
    return inputs.length > 1 || !hasChanged(before, after)
  }

  /**
   * The keyboard is open while a field has the focus, and no node takes touches there. If the burst
   * touched a field that is gone now, the lower half of the screen counts as the keyboard.
   */
  #isKeyboard(point: Point, isFirst: boolean): boolean {
    const { before, after, size } = this.#burst
    if (isKeyboardArea(before?.hierarchy, point)) return true
    if (isFirst) return false
    if (isKeyboardArea(after?.hierarchy, point)) return true
    const isLow = point.y > size.height * KEYBOARD_TOP_SHARE
    return this.#hasTouchedField && isLow && this.#findSafely(findTouchTarget, point, false) === undefined
  }
}

/** Keyboards cover at most the lower half of the screen. */
const KEYBOARD_TOP_SHARE = 0.5

function isTyping(part: CapturedStep | Typing): part is Typing {
  return 'kind' in part
}

function isKeyboardArea(tree: Hierarchy | undefined, point: Point): boolean {
  return tree !== undefined && findFocusedField(tree) !== undefined && isEmptyAt(tree, point)
}

function isLoading({ hierarchy }: CapturedScreen): boolean {
  return detectLoading(collectOnScreenNodes(hierarchy.roots, findWindow(hierarchy))) !== null
}

const BOUNDS_TOLERANCE_PX = 4

function isSameNode(one: UiNode, other: UiNode): boolean {
  const isSame = ['class', 'resource-id'].every((key) => attribute(one, key) === attribute(other, key))
  if (!isSame || one.bounds === null || other.bounds === null) return false
  const [a, b] = [one.bounds, other.bounds]
  return (['left', 'top', 'right', 'bottom'] as const).every(
    (edge) => Math.abs(a[edge] - b[edge]) <= BOUNDS_TOLERANCE_PX,
  )
}
