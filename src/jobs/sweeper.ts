import type { CommandContext } from '../domain/command/context.ts'
import { sweepLostAdapters } from '../domain/capture/adapter-loss.ts'
import { sweepLapsedSessions } from '../domain/learn/expiry.ts'
import { enqueueNightly } from '../domain/command/nightly.ts'
import { recordEvent } from '../domain/command/ledger.ts'
import { sweepExpiredImports } from '../domain/skill-import/expiry.ts'
import { deleteExpiredReplies } from '../store/command/idempotency.ts'
import { deleteExpiredLogins } from '../store/config/tokens.ts'
import type { RunnerDeps } from './runner.ts'

const everyMs = 60_000
const batchSize = 500
const mostBatches = 1000

const sweeps: Readonly<Record<string, (ctx: CommandContext) => number>> = {
  lapsed_sessions: sweepLapsedSessions,
  sessions_losing_adapters: sweepLostAdapters,
  expired_imports: sweepExpiredImports,
  forgotten_replies: forgetReplies,
  ended_logins: endLogins,
  nightly: (ctx) => Number(enqueueNightly(ctx)),
}

/** Looks once a minute for what time alone has changed. */
export class Sweeper {
  readonly #edges: RunnerDeps
  #timer: NodeJS.Timeout | undefined
  #last: Promise<unknown> = Promise.resolve()
  #stopping = false

  constructor(edges: RunnerDeps) {
    this.#edges = edges
  }

  start(): void {
    const sweep = () => {
      // It never rejects: each part's failure is logged.
      void this.sweepNow()
    }
    this.#timer = setInterval(sweep, everyMs).unref()
    sweep()
  }

  /** How much each part found. One sweep at a time; one that is asked for meanwhile comes after. */
  sweepNow(): Promise<Record<string, number>> {
    const next = this.#last.then(() => this.#sweep())
    this.#last = next
    return next
  }

  async stop(): Promise<void> {
    this.#stopping = true
    clearInterval(this.#timer)
    await this.#last
  }

  async #sweep(): Promise<Record<string, number>> {
    const found: Record<string, number> = {}
    for (const [name, sweep] of Object.entries(sweeps)) {
      if (this.#stopping) break
      try {
        found[name] = await this.#inBatches(sweep)
      } catch (error) {
        this.#edges.log.error({ err: error, sweep: name }, 'a sweep failed')
      }
    }
    return found
  }

  async #inBatches(sweep: (ctx: CommandContext) => number): Promise<number> {
    const { store, clock, newId } = this.#edges
    const correlation_id = newId()
    let total = 0
    for (let batch = 0; batch < mostBatches && !this.#stopping; batch += 1) {
      const done = await store.write((tx) =>
        sweep({
          tx,
          now: clock().toISOString(),
          actor: { kind: 'system', user_id: 'system' },
          correlation_id,
          newId,
        }),
      )
      if (done === 0) break
      total += done
    }
    return total
  }
}

function forgetReplies(ctx: CommandContext): number {
  const forgotten = deleteExpiredReplies(ctx.tx, ctx.now, batchSize)
  if (forgotten > 0) recordEvent(ctx, 'idempotency', 'learn.idempotency.changed', { forgotten })
  return forgotten
}

/** Logins are in no mirror, so their end is no event. */
function endLogins(ctx: CommandContext): number {
  deleteExpiredLogins(ctx.tx, ctx.now)
  return 0
}
