import type { NamedAction } from './named-action.ts'

/** Who looks at a device, and until when. */
export interface Looker {
  readonly serial: string
  readonly principal: string
  /** The daemon's time when the look was asked for. */
  readonly now: string
  readonly signal: AbortSignal
  /** The action the look is about. */
  readonly action?: NamedAction | undefined
  /** Whether that action has ended by now. */
  readonly actionEnded: () => boolean
}
