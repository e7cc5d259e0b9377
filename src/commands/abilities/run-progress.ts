import { setTimeout as sleep } from 'node:timers/promises'
import { type AbilityRun, getAbilityRun } from '@apprentice/contracts/abilities/runs.ts'
import type { Call } from '@apprentice/contracts/client.ts'
import { streamExecutionEvents } from '@apprentice/contracts/devices/executions.ts'
import type { ConnectionOptions } from '../terminal/connection.ts'
import { followEvents, type ToldEvent } from '../terminal/event-stream.ts'
import { ProgressLine } from '../terminal/progress-line.ts'
import { type StepWords, stepWords } from './run-words.ts'

export interface RunWatch {
  readonly call: Call
  readonly options: ConnectionOptions
  readonly steps: StepWords
  readonly say: (line: string) => void
  /** How long it is watched at most. */
  readonly waitMs?: number | undefined
}

const pollMs = 250

/** Tells of each step as it is done, and returns the run once it is over, or the wait is. */
export async function watchRun(watch: RunWatch, { run_id, execution_id }: AbilityRun) {
  const { waitMs } = watch
  const untilMs = waitMs === undefined ? Number.POSITIVE_INFINITY : Date.now() + waitMs
  const signal = waitMs === undefined ? undefined : AbortSignal.timeout(Math.max(waitMs, 1))
  await tellSteps(watch, execution_id, signal)
  for (;;) {
    const { run } = await watch.call(getAbilityRun, { params: { runId: run_id } })
    if (run.settled_at !== undefined || Date.now() >= untilMs) return run
    await sleep(pollMs)
  }
}

/** A stream that breaks is no reason to stop: how it ended can still be asked. */
async function tellSteps(
  { options, steps, say }: RunWatch,
  executionId: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  const progress = new ProgressLine()
  const teller = new StepTeller(steps)
  try {
    const following = { params: { executionId }, signal }
    for await (const event of followEvents(options, streamExecutionEvents, following)) {
      const { line, doing } = teller.tell(event)
      progress.clear()
      if (line !== undefined) say(line)
      // Elsewhere than on a terminal the lines say enough.
      if (doing !== undefined && process.stderr.isTTY) progress.show(doing)
    }
  } catch {
    // The wait is over, or the daemon went away; what comes next says which.
  } finally {
    progress.clear()
  }
}

/** Turns the events of an execution into lines. */
export class StepTeller {
  readonly #steps: StepWords
  #total = 0
  #done = 0

  constructor(steps: StepWords) {
    this.#steps = steps
  }

  tell({ event_kind, payload }: ToldEvent): { line?: string; doing?: string } {
    if (event_kind === 'execution.queued') {
      this.#total = Number(payload['actions'] ?? 0)
      return { doing: 'waiting for the phone' }
    }
    if (event_kind === 'execution.step_started') {
      return { doing: `step ${this.#done + 1} of ${this.#total}: ${this.#words(payload)}` }
    }
    if (event_kind !== 'execution.step_finished') return {}
    this.#done += 1
    const { success, outcome, error } = payload
    const mark = outcome === 'skipped' ? 'skip' : success === true ? 'ok  ' : 'FAIL'
    const why = mark === 'FAIL' && typeof error === 'string' ? `  ${error}` : ''
    return { line: `${mark} ${this.#done}/${this.#total} ${this.#words(payload)}${why}` }
  }

  #words({ step_id }: ToldEvent['payload']): string {
    return stepWords(String(step_id), this.#steps)
  }
}
