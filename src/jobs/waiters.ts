import type { Job } from '../store/command/jobs.ts'

type Answer = (job?: Job) => void

/** Callers that wait for a job to settle, each with its own timeout. */
export class Waiters {
  readonly #byJob = new Map<string, Set<Answer>>()

  /** `signal` answers this caller with undefined. */
  wait(jobId: string, withinMs: number, signal?: AbortSignal): Promise<Job | undefined> {
    return new Promise((resolve) => {
      const answers = this.#byJob.get(jobId) ?? new Set()
      this.#byJob.set(jobId, answers)
      const answer: Answer = (job) => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', leave)
        answers.delete(answer)
        if (answers.size === 0) this.#byJob.delete(jobId)
        resolve(job)
      }
      const leave = (): void => answer()
      const timer = setTimeout(answer, withinMs)
      signal?.addEventListener('abort', leave)
      answers.add(answer)
    })
  }

  notify(job: Job): void {
    for (const answer of this.#byJob.get(job.job_id) ?? []) answer(job)
  }

  /** Answers all waiting callers with undefined. */
  releaseAll(): void {
    for (const answers of this.#byJob.values()) for (const answer of answers) answer()
  }
}
