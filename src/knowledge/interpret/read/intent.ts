import type { Direction } from '@apprentice/contracts/devices/action.ts'
import type { CalendarDate } from '../../../screen/calendar/calendar-date.ts'
import type { UiNode } from '../../../screen/tree/hierarchy.ts'
import type { ObservedStep, ObservedTrace } from '../../steps/observed-step.ts'
import type { Choice } from './choice.ts'
import type { Entry, Row } from './rows.ts'
import { findNode, isSameState, isTextField, parseScreen, type Screen } from './screen.ts'

/** Text typed into a field. */
export interface Typed {
  /** Absent for a password. */
  readonly text: string | undefined
  readonly secret: boolean
  readonly submit: boolean
  /** The text was added to the content of the field. */
  readonly append: boolean
}

/** A number that was set, and the controls that change it. All nodes belong to the screen before. */
export interface Adjustment {
  readonly value: UiNode
  readonly increase?: UiNode | undefined
  readonly decrease?: UiNode | undefined
  readonly slider?: UiNode | undefined
  readonly from: number
  readonly to: number
}

/** The place in a list that an entry was dragged to. */
export interface Move {
  /** The entry at that place before. */
  readonly goal: Row
  /** If the place is an end of the list. */
  readonly position?: 'first' | 'last' | undefined
  /** The goal as an entry that an input names, if it is not an end of the list. */
  readonly entry?: Entry | undefined
}

/**
 * What a person meant to do, with any number of touches. `readIntents` makes one intent of each
 * observed step. Normalization joins and drops intents. `bindInputs` then sets `entry`, `input` and the
 * kinds `choose` and `pick`.
 */
export interface Intent {
  readonly kind:
    /** Tap a list entry that an input names. */
    | 'choose'
    /** Select one of several options. */
    | 'pick'
    | 'type'
    /** Set a number. */
    | 'adjust'
    /** Set a switch. */
    | 'toggle'
    /** Choose a day of a calendar. */
    | 'date'
    | 'press'
    | 'key'
    | 'open_app'
    | 'scroll'
    /** Move a slider whose value is not visible. */
    | 'slide'
    /** Swipe across a list entry or a list. */
    | 'swipe'
    /** Drag a list entry to another place of its list. */
    | 'move'
  /** How the first of its steps was done. */
  readonly gesture: ObservedStep['kind']
  readonly event_ids: readonly string[]
  readonly trace_id: string
  readonly app: string
  readonly before: Screen | undefined
  /** The screen it led to, once that had settled. */
  readonly after: Screen | undefined
  /** The first screen read after it, which may still have been loading. */
  readonly first_after: Screen | undefined
  /** Its target on the screen before. */
  readonly node: UiNode | undefined
  readonly typed?: Typed | undefined
  readonly adjustment?: Adjustment | undefined
  /** The control that was switched, and its new state. */
  readonly toggled?: { readonly control: UiNode; readonly checked: boolean } | undefined
  /** The day that was chosen in a calendar. */
  readonly date?: CalendarDate | undefined
  /** Where the finger moved, and how far as a share of what it swiped. */
  readonly swipe?: { readonly direction: Direction; readonly distance_ratio: number } | undefined
  /** The entry that another one was dragged to. */
  readonly move?: Move | undefined
  /** Where a gesture started, and how far the finger moved. */
  readonly point?: ObservedStep['point']
  readonly travel?: ObservedStep['travel']
  readonly key?: string | undefined
  readonly direction?: ObservedStep['direction']
  /** The direction in which the list was scrolled to find the target. */
  readonly found_by?: ObservedStep['direction']
  /** A reviewer restored it: it is neither joined nor dropped. */
  readonly pinned?: boolean
  /** The list entry it was done to, or in. */
  readonly entry?: Entry | undefined
  /** The options of a `pick`. */
  readonly choice?: Choice | undefined
  /** Name of the input that gives its value. */
  readonly input?: string | undefined
  /** Only some of the traces contain it. */
  readonly optional?: boolean | undefined
}

/** Makes one intent of each step of a trace. `pinned` holds event ids. */
export function readIntents({ steps }: ObservedTrace, pinned: ReadonlySet<string>): Intent[] {
  const screens = readScreens(steps)
  return steps.map((step, at) => {
    const { before, first_after } = screens[at] ?? NO_SCREENS
    // Text typed before the first reading: its field is known only from the screen after it.
    const isUnseenField = step.kind === 'text' && before === undefined
    const screen = isUnseenField ? first_after : before
    const node = screen && findNode(screen, step.node_path)
    const after = findSettledScreen(screens, at)
    return {
      kind: KINDS[step.kind],
      gesture: step.kind,
      event_ids: [step.event_id],
      trace_id: step.trace_id,
      app: step.app,
      before: screen,
      after,
      first_after,
      node,
      ...(step.kind === 'text' && { typed: readTyped(step, node, after) }),
      key: step.key,
      direction: step.direction,
      point: step.point,
      travel: step.travel,
      pinned: pinned.has(step.event_id),
    }
  })
}

const KINDS: Readonly<Record<ObservedStep['kind'], Intent['kind']>> = {
  tap: 'press',
  long_press: 'press',
  scroll: 'scroll',
  slide: 'slide',
  key: 'key',
  text: 'type',
  open_app: 'open_app',
  close_app: 'open_app',
  open_uri: 'open_app',
}

type ScreensAround = Pick<Intent, 'before' | 'first_after'>

const NO_SCREENS: ScreensAround = { before: undefined, first_after: undefined }

/** The activity is read after each step. It stays the same until the next step. */
function readScreens(steps: readonly ObservedStep[]): ScreensAround[] {
  let activity: string | undefined
  let last: Screen | undefined
  return steps.map((step) => {
    const before = step.before === undefined ? last : parseScreen(step.before, activity)
    const first_after = step.after && parseScreen(step.after, step.activity)
    activity = step.activity
    last = first_after
    return { before, first_after }
  })
}

/**
 * The settled screen after a step is the one before the next step. Steps in quick succession share the
 * screen before them, and only the last of them has a screen after it: they share that one as well.
 */
function findSettledScreen(screens: readonly ScreensAround[], at: number): Screen | undefined {
  const own = screens[at]
  const next = screens[at + 1]
  if (own === undefined) return undefined
  if (next?.before === undefined || own.first_after !== undefined) {
    return next?.before ?? own.first_after
  }
  const isShared = own.before !== undefined && isSameState(own.before, next.before)
  return isShared ? (findSettledScreen(screens, at + 1) ?? next.before) : next.before
}

/** Text was appended if the field now holds its old content followed by the text. */
function readTyped(
  { text, secret, submit }: ObservedStep,
  field: UiNode | undefined,
  after: Screen | undefined,
): Typed {
  const oldText = field === undefined ? '' : (field.attributes['text'] ?? '')
  const id = field?.attributes['resource-id'] ?? ''
  const now = after?.nodes.find(
    (node) => isTextField(node) && (id === '' ? node.path === field?.path : node.attributes['resource-id'] === id),
  )
  const newText = now?.attributes['text'] ?? ''
  const append = text !== undefined && oldText !== '' && newText === `${oldText}${text}`
  return { text, secret: secret === true, submit: submit === true, append }
}

export function isTap({ kind, gesture }: Intent): boolean {
  return kind === 'press' && gesture === 'tap'
}

export function isLongPress({ kind, gesture }: Intent): boolean {
  return kind === 'press' && gesture === 'long_press'
}

/** Joins several intents to one. */
export function joinIntents(intents: readonly [Intent, ...Intent[]], change: Partial<Intent>): Intent {
  const last = intents.at(-1) ?? intents[0]
  return {
    ...intents[0],
    after: last.after,
    first_after: last.first_after,
    ...change,
    event_ids: intents.flatMap(({ event_ids }) => event_ids),
  }
}
