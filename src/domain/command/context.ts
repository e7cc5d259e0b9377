import type { JobAuthority } from '../../store/command/jobs.ts'
import type { Store, Tx } from '../../store/db/db.ts'

/** The author of a change. `user_id` owns what is created; the daemon acts for the owner of what it changes. */
export interface Actor {
  readonly kind: 'user' | 'agent' | 'system' | 'nightly'
  readonly user_id: string
  /** The admin who acts in that user's name, if one does. */
  readonly operator?: string | undefined
  /** Decides which policy profiles apply. Jobs pass it on to the work they start. */
  readonly authority?: JobAuthority | undefined
}

/** Everything a decision needs: the transaction, the time, the actor and fresh ids. */
export interface CommandContext {
  readonly tx: Tx
  /** UTC, ISO-8601 with milliseconds. */
  readonly now: string
  readonly actor: Actor
  readonly correlation_id: string
  readonly newId: () => string
}

export interface ContextDeps {
  readonly clock: () => Date
  readonly newId: () => string
}

/** The daemon itself, for changes that belong to no user: devices, the bridge, sweeps over all users. */
export const DAEMON_ACTOR: Actor = { kind: 'system', user_id: 'system' }

/** The nightly job, for changes that belong to no user. */
export const NIGHTLY_ACTOR: Actor = { kind: 'nightly', user_id: 'system' }

/** The daemon on behalf of the owner of what it changes. */
export const systemActor = (owner: string, authority?: JobAuthority): Actor => ({
  kind: 'system',
  user_id: owner,
  authority,
})

/** The only place that builds a command context. */
export const commandContext = (
  tx: Tx,
  { clock, newId }: ContextDeps,
  actor: Actor,
  correlation_id: string,
): CommandContext => ({ tx, now: clock().toISOString(), actor, correlation_id, newId })

/** Runs `work` with a command context in one transaction. It must be synchronous. */
export function writeAs<T>(
  deps: ContextDeps & { readonly store: Store },
  { actor, correlation_id }: Pick<CommandContext, 'actor' | 'correlation_id'>,
  work: (ctx: CommandContext) => T,
): Promise<T> {
  return deps.store.write((tx) => work(commandContext(tx, deps, actor, correlation_id)) as never)
}

/**
 * As `writeAs`, but while the disk is full it waits for room. It is for work that nobody would repeat, such as a step of
 * a job. Requests use `writeAs`, so that their clients are told.
 */
export function writePatientlyAs<T>(
  deps: ContextDeps & { readonly store: Store },
  { actor, correlation_id }: Pick<CommandContext, 'actor' | 'correlation_id'>,
  work: (ctx: CommandContext) => T,
): Promise<T> {
  return deps.store.writePatiently((tx) => work(commandContext(tx, deps, actor, correlation_id)) as never)
}

/**
 * As `writePatientlyAs`, for work that nobody waits for: it is committed with the next other write, or after a few
 * milliseconds. Its time is that of the call.
 */
export function writeDeferredAs(
  deps: ContextDeps & { readonly store: Store },
  { actor, correlation_id }: Pick<CommandContext, 'actor' | 'correlation_id'>,
  work: (ctx: CommandContext) => void,
): Promise<void> {
  const now = deps.clock()
  const { newId } = deps
  return deps.store.writeDeferred((tx) => work(commandContext(tx, { clock: () => now, newId }, actor, correlation_id)))
}

/** The same context with the daemon as its actor, on behalf of `owner`. */
export const asSystem = (
  ctx: CommandContext,
  owner: string,
  kind: 'system' | 'nightly' = 'system',
): CommandContext => ({
  ...ctx,
  actor: { kind, user_id: owner, authority: findAuthority(ctx, owner) },
})

/** The authority of the actor, if the work is for the same user. */
export const findAuthority = ({ actor }: CommandContext, owner: string): JobAuthority | undefined =>
  actor.user_id === owner ? actor.authority : undefined
