import { refreshNightly } from '../domain/abilities/availability.ts'
import { type CommandContext, NIGHTLY_ACTOR, writeAs } from '../domain/command/context.ts'
import { rebuildBridgeNightly } from '../domain/capabilities/bridge.ts'
import { compactCategoryLog, compactCheckpointReceipts, rollOldReceipts } from '../domain/capture/compaction.ts'
import {
  archiveProposals,
  archiveSessions,
  deleteExecutionEvidence,
  purgeObservations,
} from '../domain/capture/retention.ts'
import type { Job } from '../store/command/jobs.ts'
import type { JobHandler } from './handler.ts'
import type { RunnerDeps } from './runner.ts'

const BATCH_SIZE = 500
/** A step that needs more batches than this does not terminate, which is a defect. */
const MAX_BATCHES = 100_000

const steps: Readonly<Record<string, (ctx: CommandContext, limit: number) => number>> = {
  purged: purgeObservations,
  forgotten_executions: deleteExecutionEvidence,
  archived_sessions: archiveSessions,
  archived_proposals: archiveProposals,
  folded_checkpoint_receipts: compactCheckpointReceipts,
  rolled_receipts: rollOldReceipts,
  compacted_category_lines: compactCategoryLog,
  mended_bridge_entries: rebuildBridgeNightly,
  abilities_looked_over: refreshNightly,
}

/** Cleans up the store every night, in small transactions between which requests are answered. It is idempotent. */
export function nightlyLearning(deps: RunnerDeps): JobHandler {
  return {
    resume: 'rerun',
    run: async (job, signal) => {
      const done: Record<string, number> = {}
      const failed: string[] = []
      for (const [name, step] of Object.entries(steps)) {
        try {
          done[name] = await runInBatches(deps, job, { step, signal })
        } catch (error) {
          signal.throwIfAborted()
          // The steps are independent, so the others still run.
          deps.log.error({ err: error, step: name }, 'nightly step failed')
          failed.push(name)
        }
      }
      if (failed.length > 0) throw new Error(`Nightly steps failed: ${failed.join(', ')}.`)
      return done
    },
  }
}

async function runInBatches(
  deps: RunnerDeps,
  { correlation_id }: Job,
  { step, signal }: { step: (ctx: CommandContext, limit: number) => number; signal: AbortSignal },
): Promise<number> {
  const origin = { actor: NIGHTLY_ACTOR, correlation_id }
  let total = 0
  for (let batch = 0; batch < MAX_BATCHES; batch += 1) {
    signal.throwIfAborted()
    const done = await writeAs(deps, origin, (ctx) => step(ctx, BATCH_SIZE))
    if (done === 0) return total
    total += done
  }
  throw new Error('A nightly step did not terminate.')
}
