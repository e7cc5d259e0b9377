import { insertJob, type NewJob } from '../../store/command/jobs.ts'
import type { CommandContext } from './context.ts'

type JobParts = Pick<NewJob, 'job_id' | 'kind' | 'lane' | 'payload'> &
  Partial<Pick<NewJob, 'priority' | 'run_after' | 'deadline_at'>>

/** Writes down work to be done after this command; false when a job of this id exists already. */
export function enqueueJob(act: CommandContext, parts: JobParts): boolean {
  return insertJob(act.tx, {
    priority: 0,
    principal: act.actor.user_id,
    run_after: act.now,
    ...parts,
    correlation_id: act.correlation_id,
    created_at: act.now,
  })
}
