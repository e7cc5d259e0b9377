import { type CommandContext, systemActor } from '../domain/command/context.ts'
import type { Job } from '../store/command/jobs.ts'
import type { Reader } from '../store/db/db.ts'

/** Handles one kind of job. `run` does not write to the store on its own: it gets a job and returns a result. */
export interface JobHandler {
  /**
   * What happens at startup to a job that was running when the daemon stopped: `rerun` for work that can be
   * repeated, `interrupt` for work whose effects are then unknown.
   */
  readonly resume: 'rerun' | 'interrupt'
  /** Whether a job whose queue is empty starts in the transaction that queues it, which saves a commit. */
  readonly startsAtOnce?: boolean
  /**
   * Whether the end of the job may queue another that precedes those that wait. Otherwise the next job of the queue may
   * start in the transaction that settles this one.
   */
  mayContinue?(reader: Reader, job: Job): boolean
  /** Must end soon after the signal fires: its queue is blocked until it does. */
  run(job: Job, signal: AbortSignal): Promise<unknown>
  /** Writes domain state in the transaction that starts the job. */
  onStarted?(ctx: CommandContext, job: Job): void
  /** Writes domain state in the transaction that settles the job, whatever its final state. */
  onSettled?(ctx: CommandContext, job: Job): void
}

/** The signal's reason when a running job is stopped. A handler may also throw it, with the reason for users. */
export class JobStopped extends Error {
  readonly state: 'cancelled' | 'expired' | 'interrupted'

  readonly explanation: string | undefined

  constructor(state: JobStopped['state'], explanation?: string) {
    super(explanation ?? `The job was ${state}.`)
    this.state = state
    this.explanation = explanation
  }
}
/** Actor and correlation id of what a job writes: the daemon, on behalf of the user who queued it. */
export const jobOrigin = ({
  principal,
  correlation_id,
  authority,
}: Pick<Job, 'principal' | 'correlation_id' | 'authority'>): Pick<CommandContext, 'actor' | 'correlation_id'> => ({
  actor: systemActor(principal, authority),
  correlation_id,
})
