import type { Point } from '../../screen/bounds.ts'
import { attribute, type Hierarchy, type UiNode } from '../../screen/hierarchy.ts'
import { loadingState } from '../../screen/loading.ts'
import { onScreenNodes, windowOf } from '../../screen/matcher.ts'
import { isBare, scrollerUnder, sliderUnder, touchTarget } from '../../screen/hit-test.ts'
import { navigationButton, navigationSwipe, type Navigation } from './navigation.ts'
import type { PersonInput } from './person-input.ts'
import { hasChanged } from '../recording/screen-facts.ts'
import { type ScreenEvidence, type StepEvidence, swipeAction } from '../recording/step-evidence.ts'
import { isTextField } from '../recording/step-target.ts'
import { focusedField } from '../recording/text-fields.ts'
import { TypedText, type Typing } from '../recording/typed-text.ts'

/** What a person did between two good looks at the screen. */
export interface Burst {
  readonly inputs: readonly PersonInput[]
  readonly before: ScreenEvidence | undefined
  readonly after: ScreenEvidence | undefined
  readonly size: { readonly width: number; readonly height: number }
  readonly navigation: Navigation
}

/**
 * Makes steps of a burst. Only its first input is sure to have met the screen before it; a later one is
 * tied to a node only if that node was there before and after. Touches on the keyboard, which is in no
 * tree, become one step for each field whose text they changed.
 */
export function explainBurst(burst: Burst): StepEvidence[] {
  const story = new Story(burst)
  for (const [index, input] of burst.inputs.entries()) story.take(input, index === 0)
  return story.finish()
}

type Draft = Omit<StepEvidence, 'effect' | 'app_label'>
type Swipe = Extract<PersonInput, { kind: 'swipe' }>
type Touch = Extract<PersonInput, { kind: 'tap' | 'long_press' }>
type Find = (tree: Hierarchy, point: Point) => UiNode | undefined

class Story {
  readonly #burst: Burst
  readonly #parts: (Draft | Typing)[] = []
  #field: UiNode | undefined
  #touchedField = false

  constructor(burst: Burst) {
    this.#burst = burst
    this.#field = focusedField(burst.before?.hierarchy)
  }

  take(input: PersonInput, first: boolean): void {
    if (input.kind === 'tap' || input.kind === 'long_press') this.#touch(input, first)
    else if (input.kind === 'swipe') this.#swipe(input, first)
    else if (input.kind === 'key') this.#key(input, first)
  }

  finish(): StepEvidence[] {
    const { before, after } = this.#burst
    const typed = new TypedText(before, after)
    const last = this.#parts.findLast(isTyping)
    const drafts = this.#parts.flatMap((part): Draft[] =>
      isTyping(part) ? typed.stepsOf(part, part === last) : [part],
    )
    return drafts.map((draft, index) => ({
      ...draft,
      after: index === drafts.length - 1 ? after : draft.after,
    }))
  }

  #touch({ kind, point, atMs }: Touch, first: boolean): void {
    const { size, navigation, before } = this.#burst
    const tree = before?.hierarchy
    const key = navigationButton(point, { size, tree, navigation })
    if (key !== undefined) return this.#press(key, atMs, first)
    if (this.#isKeyboard(point, first)) return this.#typing(atMs)
    const target = this.#surely(touchTarget, point, first)
    if (target === undefined && this.#isIdle(touchTarget, point, first)) return
    if (target !== undefined && isTextField(target)) {
      this.#field = target
      this.#touchedField = true
    }
    this.#add({ kind, point }, atMs, target === undefined ? this.#ground(first) : before)
  }

  #swipe({ from, to, atMs }: Swipe, first: boolean): void {
    const { before, size, navigation } = this.#burst
    const key = navigationSwipe({ from, to }, size, navigation)
    if (key !== undefined) return this.#press(key, atMs, first)
    if (this.#isKeyboard(from, first)) return this.#typing(atMs)
    const slider = this.#surely(sliderUnder, from, first)
    const action = swipeAction({ from, to }, slider !== undefined)
    if (action.kind === 'slide') return this.#add(action, atMs, before)
    const scroller = this.#surely(scrollerUnder, from, first)
    if (scroller === undefined && this.#isIdle(scrollerUnder, from, first)) return
    const seen = scroller === undefined ? this.#ground(first) : before
    this.#add(action, atMs, seen)
  }

  #key({ key, atMs }: Extract<PersonInput, { kind: 'key' }>, first: boolean): void {
    if (key === 'typing') this.#typing(atMs)
    else this.#press(key, atMs, first)
  }

  #press(key: string, atMs: number, first: boolean): void {
    this.#add({ kind: 'key', key }, atMs, first ? this.#burst.before : undefined)
  }

  #add(action: StepEvidence['action'], at_ms: number, before: ScreenEvidence | undefined): void {
    this.#parts.push({ action, at_ms, before })
  }

  #typing(atMs: number): void {
    const last = this.#parts.at(-1)
    if (last !== undefined && isTyping(last)) last.atMs = atMs
    else this.#parts.push({ kind: 'typing', atMs, field: this.#field })
  }

  /** The node that was met, unless the screen may have become another one meanwhile. */
  #surely(find: Find, point: Point, first: boolean): UiNode | undefined {
    const { before, after } = this.#burst
    const met = before && find(before.hierarchy, point)
    if (first || met === undefined) return met
    const now = after && find(after.hierarchy, point)
    return now !== undefined && areAlike(met, now) ? met : undefined
  }

  /** The screen of a touch that met nothing on it, if that screen was still there. */
  #ground(first: boolean): ScreenEvidence | undefined {
    const { before } = this.#burst
    return first && before !== undefined && !isLoading(before) ? before : undefined
  }

  /** A touch that surely met nothing counts only if it alone can have changed what is seen. */
  #isIdle(find: Find, point: Point, first: boolean): boolean {
    const { before, after, inputs } = this.#burst
    if (before === undefined || after === undefined) return false
    const trees = first ? [before] : [before, after]
    if (trees.some(({ hierarchy }) => find(hierarchy, point) !== undefined)) return false
    return inputs.length > 1 || !hasChanged(before, after)
  }

  /**
   * The keyboard is up while a field has the focus, and nothing of the app takes touches there. When a
   * field was touched in this very burst and is gone by now, its place has to tell.
   */
  #isKeyboard(point: Point, first: boolean): boolean {
    const { before, after, size } = this.#burst
    if (isFree(before?.hierarchy, point)) return true
    if (first) return false
    if (isFree(after?.hierarchy, point)) return true
    const low = point.y > size.height * KEYBOARD_FROM
    return this.#touchedField && low && this.#surely(touchTarget, point, false) === undefined
  }
}

/** Keyboards cover less than this share of the screen's lower end. */
const KEYBOARD_FROM = 0.5

function isTyping(part: Draft | Typing): part is Typing {
  return 'kind' in part
}

function isFree(tree: Hierarchy | undefined, point: Point): boolean {
  return tree !== undefined && focusedField(tree) !== undefined && isBare(tree, point)
}

/** What is still filling may be full by the time it is touched. */
function isLoading({ hierarchy }: ScreenEvidence): boolean {
  return loadingState(onScreenNodes(hierarchy.roots, windowOf(hierarchy))) !== null
}

function areAlike(one: UiNode, other: UiNode): boolean {
  const same = ['class', 'resource-id'].every(
    (key) => attribute(one, key) === attribute(other, key),
  )
  if (!same || one.bounds === null || other.bounds === null) return false
  const [a, b] = [one.bounds, other.bounds]
  return (['left', 'top', 'right', 'bottom'] as const).every(
    (edge) => Math.abs(a[edge] - b[edge]) <= 4,
  )
}
