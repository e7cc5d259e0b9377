import type { NamedAction } from './named-action.ts'

/** The device, the caller and the time limit of one check. */
export interface CheckContext {
  readonly serial: string
  readonly principal: string
  /** The daemon's time when the check was requested. */
  readonly now: string
  readonly signal: AbortSignal
  /** The action to check. */
  readonly action?: NamedAction | undefined
  /** True once that action is over. */
  readonly isActionSettled: () => boolean
}
