import { ENDINGS } from '../../domain/practice/practice-endings.ts'
import { endPractice, wasInterruptedProving, type PracticeEnding } from '../../domain/practice/practice-record.ts'
import { parseGoal } from '../../knowledge/goal-search/goal/parse-goal.ts'
import { Failure } from '../../failure/failure.ts'
import type { Job } from '../../store/command/jobs.ts'
import { findPractice } from '../../store/practice/practices.ts'
import { writePatientlyAs } from '../../domain/command/context.ts'
import { type JobHandler, jobOrigin } from '../handler.ts'
import { type PracticeDeps, PracticeStopped } from './device.ts'
import { PracticeWork } from './work.ts'

/**
 * The jobs of practices. A search only navigates, so after a restart of the daemon it continues. A proof changes
 * something, so an interrupted proof ends the practice.
 */
export function practiceJobs(deps: PracticeDeps): JobHandler {
  return {
    resume: 'rerun',
    run: async (job, signal) => {
      const ending = await runPractice(deps, job, signal)
      await writePatientlyAs(deps, jobOrigin(job), (ctx) => endPractice(ctx, job.job_id, ending))
    },
    onSettled: (ctx, { job_id, state }) => {
      // Has no effect when `run` ended the practice.
      if (state === 'cancelled') endPractice(ctx, job_id, ENDINGS.cancelled)
      else if (state === 'expired') endPractice(ctx, job_id, ENDINGS.time)
      else endPractice(ctx, job_id, ENDINGS.interrupted)
    },
  }
}

async function runPractice(deps: PracticeDeps, job: Job, signal: AbortSignal): Promise<PracticeEnding> {
  const practice = deps.store.read((reader) => findPractice(reader, job.job_id))
  const parsed = parseGoal(practice?.goal ?? '')
  if (practice === undefined || !parsed.clear) return ENDINGS.not_found
  if (deps.store.read((reader) => wasInterruptedProving(reader, job.job_id))) return ENDINGS.interrupted
  try {
    return await new PracticeWork(deps, { practice, goal: parsed.goal, signal }).run()
  } catch (error) {
    // A command that the time limit cut off fails like one of a lost device.
    if (!signal.aborted && deps.clock().toISOString() > practice.deadline_at) return ENDINGS.time
    if (error instanceof PracticeStopped && error.reason === 'device') return deviceFailed(error.message)
    if (error instanceof PracticeStopped && error.reason === 'policy') return policyClosed(error.message)
    if (error instanceof PracticeStopped && error.reason !== 'device' && error.reason !== 'policy') {
      return ENDINGS[error.reason]
    }
    if (error instanceof Failure && !signal.aborted) return deviceFailed(`${error.code}: ${error.message}`)
    throw error
  }
}

const policyClosed = (reason: string): PracticeEnding => ({
  outcome: 'policy_closed',
  summary: `The practice cannot continue: ${reason}`.slice(0, 500),
})

const deviceFailed = (message: string): PracticeEnding => ({
  outcome: 'device_failed',
  summary: `The device failed: ${message}`.slice(0, 500),
})
