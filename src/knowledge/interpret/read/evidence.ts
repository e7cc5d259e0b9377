import type { Hierarchy } from '../../../screen/hierarchy.ts'

/** What was done to a device, in terms of the screen it was done on. */
export interface ObservedStepBody {
  readonly kind:
    | 'tap'
    | 'long_press'
    | 'scroll'
    | 'slide'
    | 'key'
    | 'text'
    | 'open_app'
    | 'close_app'
    | 'open_uri'
  /** The package in front. */
  readonly app: string
  /** The node acted on, by its path in the tree before; for text, the field. */
  readonly node_path?: string | undefined
  /** What was typed, as it may be kept; absent for passwords. */
  readonly text?: string | undefined
  readonly secret?: boolean | undefined
  readonly submit?: boolean | undefined
  readonly key?: string | undefined
  readonly direction?: 'up' | 'down' | 'left' | 'right' | undefined
  readonly point?: { readonly x: number; readonly y: number } | undefined
  readonly activity?: string | undefined
  readonly effect?: 'local_state' | 'side_effect' | undefined
}

/** One action of a demonstration with the screens around it. What is absent was not seen. */
export interface EvidencedStep {
  readonly event_id: string
  readonly trace_id: string
  readonly kind: ObservedStepBody['kind']
  /** Package in front. */
  readonly app: string
  readonly action_label: string
  /** Path of the node acted on, in `before`; for text the field, which may be in `after`. */
  readonly node_path?: string
  /** What was typed: the literal with consent, else its token; absent for passwords. */
  readonly text?: string
  readonly secret?: boolean
  readonly submit?: boolean
  readonly key?: string
  readonly direction?: 'up' | 'down' | 'left' | 'right'
  readonly point?: { readonly x: number; readonly y: number }
  readonly before?: Hierarchy
  readonly after?: Hierarchy
  /** Window after the step. */
  readonly activity?: string
  readonly effect?: 'local_state' | 'side_effect'
  readonly created_at: string
}

/** One demonstration. */
export interface EvidencedRun {
  readonly trace_id: string
  readonly steps: readonly EvidencedStep[]
}
