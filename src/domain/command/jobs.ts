import { insertJob, type NewJob } from '../../store/command/jobs.ts'
import type { CommandContext } from './context.ts'

type JobParts = Pick<NewJob, 'job_id' | 'kind' | 'lane' | 'payload'> &
  Partial<Pick<NewJob, 'priority' | 'run_after' | 'deadline_at'>>

/** Adds a job that runs after this command commits. Returns false if a job with this id exists already. */
export function enqueueJob(ctx: CommandContext, parts: JobParts): boolean {
  return insertJob(ctx.tx, {
    priority: 0,
    principal: ctx.actor.user_id,
    ...(ctx.actor.authority === undefined ? {} : { authority: ctx.actor.authority }),
    run_after: ctx.now,
    ...parts,
    correlation_id: ctx.correlation_id,
    created_at: ctx.now,
  })
}
