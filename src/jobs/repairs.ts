import { z } from 'zod'
import { writePatientlyAs } from '../domain/command/context.ts'
import { proposeRepair } from '../domain/learn/repair-proposal.ts'
import { type JobHandler, jobOrigin } from './handler.ts'
import type { RunnerDeps } from './runner.ts'

const Payload = z.object({ run_id: z.string() })

/** Drafts repairs from runs whose targets were found by other anchors than before. */
export function repairProposals(deps: RunnerDeps): JobHandler {
  return {
    resume: 'rerun',
    run: async (job) => {
      const { run_id } = Payload.parse(job.payload)
      const proposal_id = await writePatientlyAs(deps, jobOrigin(job), (ctx) => proposeRepair(ctx, run_id) ?? null)
      return { proposal_id }
    },
  }
}
