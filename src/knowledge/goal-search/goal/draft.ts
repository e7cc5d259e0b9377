import type { Desired } from './goal.ts'
import type { Token } from './tokens.ts'

/** What a clause alone says. */
export interface Draft {
  /** Name what is meant. */
  readonly subject: readonly Token[]
  readonly desired?: Desired | undefined
}
