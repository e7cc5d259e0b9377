import type { Job } from '../store/command/jobs.ts'

type Answer = (job?: Job) => void

/** Those who wait for a job to settle, each for a time of its own. */
export class Waiters {
  readonly #byJob = new Map<string, Set<Answer>>()

  wait(jobId: string, withinMs: number): Promise<Job | undefined> {
    return new Promise((resolve) => {
      const among = this.#byJob.get(jobId) ?? new Set()
      this.#byJob.set(jobId, among)
      const answer: Answer = (job) => {
        clearTimeout(timer)
        among.delete(answer)
        if (among.size === 0) this.#byJob.delete(jobId)
        resolve(job)
      }
      const timer = setTimeout(answer, withinMs)
      among.add(answer)
    })
  }

  tell(job: Job): void {
    for (const answer of this.#byJob.get(job.job_id) ?? []) answer(job)
  }

  /** Nobody will hear any more. */
  release(): void {
    for (const among of this.#byJob.values()) for (const answer of among) answer()
  }
}
