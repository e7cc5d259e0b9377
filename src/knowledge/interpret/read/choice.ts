import type { UiNode } from '../../../screen/tree/hierarchy.ts'

/** One of several options that exclude each other. */
export interface Choice {
  readonly option: UiNode
  readonly members: readonly UiNode[]
  readonly text: string
  readonly options: readonly string[]
  /** The app offers these options to everybody. */
  readonly is_closed: boolean
  /** Set if the options are numbers around a centre, and what they are. */
  readonly dial?: 'hour' | 'minute' | 'number'
}
