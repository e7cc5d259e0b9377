import type { Hierarchy } from '../../../screen/hierarchy.ts'
import type { ObservedStepBody } from '../../../store/capture/observed-steps.ts'

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
