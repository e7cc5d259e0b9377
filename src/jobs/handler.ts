import type { CommandContext } from '../domain/command/context.ts'
import type { Job } from '../store/command/jobs.ts'

/** What a kind of job does. The work has no pen: it gets a job and returns a result. */
export interface JobHandler {
  /**
   * What becomes of a job the daemon went away under: `rerun` for work that can be done twice, `interrupt` for
   * work whose effects are then unknown.
   */
  readonly resume: 'rerun' | 'interrupt'
  /** Ends soon after the signal fires: until it has ended, its lane is taken. */
  run(job: Job, signal: AbortSignal): Promise<unknown>
  /** What the domain writes in the transaction that starts the job. */
  started?(ctx: CommandContext, job: Job): void
  /** What the domain writes in the transaction that settles the job, however it ended. */
  settled?(ctx: CommandContext, job: Job): void
}

/** Why a running job was told to end, as its signal's reason. */
export class JobStopped extends Error {
  readonly state: 'cancelled' | 'expired' | 'interrupted'

  constructor(state: JobStopped['state']) {
    super(`The job was ${state}.`)
    this.state = state
  }
}
