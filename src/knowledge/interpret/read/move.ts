import type { UiNode } from '../../../screen/hierarchy.ts'
import type { EvidencedRun, EvidencedStep } from './evidence.ts'
import { isSameState, isTextField, nodeAt, readScreen, type Screen } from './screen.ts'

/** What was typed into a field, the last word of it. */
export interface Typed {
  /** Absent for a password. */
  readonly text: string | undefined
  readonly secret: boolean
  readonly submit: boolean
  /** It was added to what stood there. */
  readonly append: boolean
}

/** A number that was moved to another value, and what moves it. All nodes are of the screen before. */
export interface Adjustment {
  readonly value: UiNode
  readonly increase?: UiNode | undefined
  readonly decrease?: UiNode | undefined
  readonly slider?: UiNode | undefined
  readonly from: number
  readonly to: number
}

type MoveKind =
  | 'press'
  | 'long_press'
  | 'type'
  | 'adjust'
  | 'slide'
  | 'toggle'
  | 'scroll'
  | 'key'
  | 'open_app'
  | 'close_app'
  | 'open_uri'

/** One thing a person did, however many touches it took. */
export interface Move {
  readonly kind: MoveKind
  readonly event_ids: readonly string[]
  readonly trace_id: string
  readonly app: string
  /** The screen it was done on, and the one it led to once that had come to rest. */
  readonly before: Screen | undefined
  readonly after: Screen | undefined
  /** The screen right after it, which may still be on its way. */
  readonly at_once: Screen | undefined
  /** What it was done to, on the screen before. */
  readonly node: UiNode | undefined
  readonly typed?: Typed | undefined
  readonly adjustment?: Adjustment | undefined
  /** The control that was switched, and how it stands now. */
  readonly toggled?: { readonly control: UiNode; readonly checked: boolean } | undefined
  readonly key?: string | undefined
  readonly direction?: EvidencedStep['direction']
  /** The way the list was pushed to find it. */
  readonly found_by?: EvidencedStep['direction']
  /** It was touched as a thing of its own; a reviewer wants it back as it was. */
  readonly kept?: boolean
}

/** The steps of a run as moves, one each, with the screens a person saw before and after. */
export function readMoves({ steps }: EvidencedRun, keep: ReadonlySet<string>): Move[] {
  const screens = readScreens(steps)
  return steps.map((step, at) => {
    const { before, at_once } = screens[at] ?? { before: undefined, at_once: undefined }
    const holder = nodeAt(before ?? emptyScreen, step.node_path)
    const typedUnseen = step.kind === 'text' && before === undefined
    const node = typedUnseen ? nodeAt(at_once ?? emptyScreen, step.node_path) : holder
    const after = settledAfter(screens, at)
    return {
      kind: kindOf(step),
      event_ids: [step.event_id],
      trace_id: step.trace_id,
      app: step.app,
      before: typedUnseen ? at_once : before,
      after,
      at_once,
      node,
      ...(step.kind === 'text' && { typed: typedIn(step, node, after) }),
      key: step.key,
      direction: step.direction,
      kept: keep.has(step.event_id),
    }
  })
}

const emptyScreen = readScreen({ attributes: {}, rotation: 0, roots: [], nodes: [] }, undefined)

/** Which window it is was asked after a step; it is the same one until the next. */
function readScreens(
  steps: readonly EvidencedStep[],
): { readonly before: Screen | undefined; readonly at_once: Screen | undefined }[] {
  let activity: string | undefined
  let last: Screen | undefined
  return steps.map((step) => {
    const before = step.before === undefined ? last : readScreen(step.before, activity)
    const at_once = step.after === undefined ? undefined : readScreen(step.after, step.activity)
    activity = step.activity
    last = at_once
    return { before, at_once }
  })
}

/**
 * The screen once it had come to rest: the one the next step met. Steps in quick succession share the
 * screen before them and only the last of them was seen to the end, so they share that end as well.
 */
function settledAfter(
  screens: readonly { readonly before: Screen | undefined; readonly at_once: Screen | undefined }[],
  at: number,
): Screen | undefined {
  const own = screens[at]
  const next = screens[at + 1]
  if (own === undefined) return undefined
  if (next?.before === undefined || own.at_once !== undefined) return next?.before ?? own.at_once
  const shared = own.before !== undefined && isSameState(own.before, next.before)
  return shared ? (settledAfter(screens, at + 1) ?? next.before) : next.before
}

const KINDS: Readonly<Record<EvidencedStep['kind'], MoveKind>> = {
  tap: 'press',
  long_press: 'long_press',
  scroll: 'scroll',
  slide: 'slide',
  key: 'key',
  text: 'type',
  open_app: 'open_app',
  close_app: 'close_app',
  open_uri: 'open_uri',
}

function kindOf({ kind }: EvidencedStep): MoveKind {
  return KINDS[kind]
}

/** A field that held something and now holds it with more behind it was added to. */
function typedIn(
  { text, secret, submit }: EvidencedStep,
  field: UiNode | undefined,
  after: Screen | undefined,
): Typed {
  const stood = field === undefined ? '' : (field.attributes['text'] ?? '')
  const id = field?.attributes['resource-id'] ?? ''
  const now = after?.nodes.find(
    (node) =>
      isTextField(node) &&
      (id === '' ? node.path === field?.path : node.attributes['resource-id'] === id),
  )
  const stands = now?.attributes['text'] ?? ''
  const added = text !== undefined && stood !== '' && stands === `${stood}${text}`
  return { text, secret: secret === true, submit: submit === true, append: added }
}

/** Several moves that were really one. */
export function joined(moves: readonly [Move, ...Move[]], change: Partial<Move>): Move {
  const last = moves.at(-1) ?? moves[0]
  return {
    ...moves[0],
    after: last.after,
    at_once: last.at_once,
    ...change,
    event_ids: moves.flatMap(({ event_ids }) => event_ids),
  }
}
