import type { Direction, Effect } from '@apprentice/contracts/devices/action.ts'
import type { Hierarchy } from '../../screen/tree/hierarchy.ts'

/** One action on a device with the screens around it. An absent field was not observed. */
export interface ObservedStep {
  readonly event_id: string
  readonly trace_id: string
  readonly kind: 'tap' | 'long_press' | 'scroll' | 'slide' | 'key' | 'text' | 'open_app' | 'close_app' | 'open_uri'
  /** Package in front. Empty if unknown. */
  readonly app: string
  /** The action in one sentence. */
  readonly action_label: string
  /** Path of the target in `before`. For text it is the field, which may exist only in `after`. */
  readonly node_path?: string | undefined
  /** Typed text: the literal with consent, otherwise its token. Absent for passwords. */
  readonly text?: string | undefined
  /** The text went into a password field. */
  readonly secret?: boolean | undefined
  readonly submit?: boolean | undefined
  readonly key?: string | undefined
  readonly direction?: Direction | undefined
  readonly point?: { readonly x: number; readonly y: number } | undefined
  /** How far the finger moved. */
  readonly travel?: { readonly dx: number; readonly dy: number } | undefined
  /** Activity in front after the step. */
  readonly activity?: string | undefined
  readonly effect?: Effect | undefined
  /** False if no screen was read after the step. */
  readonly caused_state_change: boolean
  readonly before?: Hierarchy | undefined
  readonly after?: Hierarchy | undefined
  /** Evidence that stores the trees. The trees themselves are absent until they are loaded. */
  readonly before_ref?: string | undefined
  readonly after_ref?: string | undefined
  readonly created_at: string
}

/** What was done, without ids, label and screens. */
export type ObservedAction = Pick<
  ObservedStep,
  | 'kind'
  | 'app'
  | 'node_path'
  | 'text'
  | 'secret'
  | 'submit'
  | 'key'
  | 'direction'
  | 'point'
  | 'travel'
  | 'activity'
  | 'effect'
>

/** The steps of one demonstration or of one past execution, in order. */
export interface ObservedTrace {
  readonly trace_id: string
  readonly steps: readonly ObservedStep[]
}
