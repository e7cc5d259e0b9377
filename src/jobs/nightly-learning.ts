import { lookOverNightly } from '../domain/abilities/availability.ts'
import type { CommandContext } from '../domain/command/context.ts'
import { mendBridge } from '../domain/capabilities/bridge.ts'
import {
  compactCategoryLog,
  compactCheckpointReceipts,
  rollOldReceipts,
} from '../domain/capture/compaction.ts'
import {
  archiveProposals,
  archiveSessions,
  forgetExecutions,
  purgeObservations,
} from '../domain/capture/retention.ts'
import type { Job } from '../store/command/jobs.ts'
import type { JobHandler } from './handler.ts'
import type { RunnerDeps } from './runner.ts'

const batchSize = 500
/** More than any store will need; a step that never ends is a fault and must not be one for ever. */
const mostBatches = 100_000

const steps: Readonly<Record<string, (ctx: CommandContext, limit: number) => number>> = {
  purged: purgeObservations,
  forgotten_executions: forgetExecutions,
  archived_sessions: archiveSessions,
  archived_proposals: archiveProposals,
  folded_checkpoint_receipts: compactCheckpointReceipts,
  rolled_receipts: rollOldReceipts,
  compacted_category_lines: compactCategoryLog,
  mended_bridge_entries: mendBridge,
  abilities_looked_over: lookOverNightly,
}

/** The night's tidying, in small transactions between which the daemon answers. Doing it twice changes nothing. */
export function nightlyLearning(edges: RunnerDeps): JobHandler {
  return {
    resume: 'rerun',
    run: async (job, signal) => {
      const done: Record<string, number> = {}
      const failed: string[] = []
      for (const [name, step] of Object.entries(steps)) {
        try {
          done[name] = await runInBatches(edges, job, { step, signal })
        } catch (error) {
          signal.throwIfAborted()
          // The other steps do not need this one.
          edges.log.error({ err: error, step: name }, 'a nightly step failed')
          failed.push(name)
        }
      }
      if (failed.length > 0) throw new Error(`Nightly steps failed: ${failed.join(', ')}.`)
      return done
    },
  }
}

async function runInBatches(
  { store, clock, newId }: RunnerDeps,
  { correlation_id }: Job,
  { step, signal }: { step: (ctx: CommandContext, limit: number) => number; signal: AbortSignal },
): Promise<number> {
  let total = 0
  for (let batch = 0; batch < mostBatches; batch += 1) {
    signal.throwIfAborted()
    const done = await store.write((tx) =>
      step(
        {
          tx,
          now: clock().toISOString(),
          actor: { kind: 'nightly', user_id: 'system' },
          correlation_id,
          newId,
        },
        batchSize,
      ),
    )
    if (done === 0) return total
    total += done
  }
  throw new Error('A nightly step found no end.')
}
