import { type CommandContext, DAEMON_ACTOR, writeAs } from '../domain/command/context.ts'
import { handleLostAdapters } from '../domain/capture/adapter-loss.ts'
import { expireOverdueSessions } from '../domain/learn/expiry.ts'
import { sweepApprovals } from '../domain/connectors/approvals.ts'
import { sweepContents } from '../domain/connectors/contents.ts'
import { sweepResults } from '../domain/connectors/dispatch-outcomes.ts'
import { expireChallenges } from '../domain/connectors/sign-in/challenges.ts'
import { sweepSignIns } from '../domain/connectors/sign-in/sign-ins.ts'
import { enqueueNightly } from '../domain/command/nightly.ts'
import { recordEvent } from '../domain/command/ledger.ts'
import { sweepDocuments } from '../domain/documents/documents.ts'
import { sweepExpiredImports } from '../domain/skill-import/expiry.ts'
import { sweepSceneReports } from '../domain/scenes/scene-files.ts'
import { deleteExpiredReplies } from '../store/command/idempotency.ts'
import { deleteExpiredLogins } from '../store/config/tokens.ts'
import type { RunnerDeps } from './runner.ts'

const INTERVAL_MS = 60_000
const BATCH_SIZE = 500
const MAX_BATCHES = 1000

const sweeps: Readonly<Record<string, (ctx: CommandContext) => number>> = {
  expired_sessions: expireOverdueSessions,
  sessions_losing_adapters: handleLostAdapters,
  expired_imports: sweepExpiredImports,
  expired_replies: sweepExpiredReplies,
  expired_logins: sweepExpiredLogins,
  connector_sign_ins: sweepSignIns,
  connector_challenges: expireChallenges,
  connector_approvals: sweepApprovals,
  connector_results: sweepResults,
  scene_reports: sweepSceneReports,
  connector_contents: sweepContents,
  documents: sweepDocuments,
  nightly: (ctx) => Number(enqueueNightly(ctx)),
}

/** Applies what only time changes, once a minute: expired sessions, imports, replies, logins and reports, and the nightly job. */
export class Sweeper {
  readonly #deps: RunnerDeps
  #timer: NodeJS.Timeout | undefined
  #last: Promise<unknown> = Promise.resolve()
  #stopping = false

  constructor(deps: RunnerDeps) {
    this.#deps = deps
  }

  start(): void {
    const sweep = () => {
      // It never rejects: each sweep logs its own failure.
      void this.sweepNow()
    }
    this.#timer = setInterval(sweep, INTERVAL_MS).unref()
    sweep()
  }

  /** Resolves with the number of changes per sweep. Calls run one after the other. */
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
        this.#deps.log.error({ err: error, sweep: name }, 'sweep failed')
      }
    }
    return found
  }

  async #inBatches(sweep: (ctx: CommandContext) => number): Promise<number> {
    const origin = { actor: DAEMON_ACTOR, correlation_id: this.#deps.newId() }
    let total = 0
    for (let batch = 0; batch < MAX_BATCHES && !this.#stopping; batch += 1) {
      const done = await writeAs(this.#deps, origin, sweep)
      if (done === 0) break
      total += done
    }
    return total
  }
}

function sweepExpiredReplies(ctx: CommandContext): number {
  const forgotten = deleteExpiredReplies(ctx.tx, ctx.now, BATCH_SIZE)
  if (forgotten > 0) recordEvent(ctx, 'idempotency', 'learn.idempotency.changed', { forgotten })
  return forgotten
}

/** Logins have no projection, so no event is recorded. */
function sweepExpiredLogins(ctx: CommandContext): number {
  deleteExpiredLogins(ctx.tx, ctx.now)
  return 0
}
