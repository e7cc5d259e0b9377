import { writePatientlyAs } from '../domain/command/context.ts'
import { refreshAvailability } from '../domain/abilities/availability.ts'
import { type JobHandler, jobOrigin } from './handler.ts'
import type { RunnerDeps } from './runner.ts'

/** Recomputes which abilities can be used, after a change that no command follows up by itself. */
export function availabilityRefresh(deps: RunnerDeps): JobHandler {
  return {
    resume: 'rerun',
    run: (job) =>
      writePatientlyAs(deps, jobOrigin(job), (ctx) =>
        refreshAvailability(ctx, (job.payload as { reason: string }).reason),
      ),
  }
}
