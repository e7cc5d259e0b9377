import type { Tx } from '../../store/db/db.ts'

/** Who asks. `user_id` owns what is made; the daemon itself acts for the owner of what it touches. */
export interface Actor {
  readonly kind: 'user' | 'agent' | 'system' | 'nightly'
  readonly user_id: string
  /** Who really asks, when it is an operator in that user's name. */
  readonly by?: string | undefined
}

/** Everything a decision needs from outside: the pen, the time, who asks, and fresh ids. */
export interface CommandContext {
  readonly tx: Tx
  /** UTC, ISO-8601 with milliseconds. */
  readonly now: string
  readonly actor: Actor
  readonly correlation_id: string
  readonly newId: () => string
}

/** The same act in the daemon's own name, for a session of `owner`. */
export const asSystem = (
  ctx: CommandContext,
  owner: string,
  kind: 'system' | 'nightly' = 'system',
): CommandContext => ({
  ...ctx,
  actor: { kind, user_id: owner },
})
