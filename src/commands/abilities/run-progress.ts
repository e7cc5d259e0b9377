import { setTimeout as sleep } from 'node:timers/promises'
import { type AbilityRun, getAbilityRun, streamRunEvents } from '@apprentice/contracts/abilities/runs.ts'
import type { Call } from '@apprentice/contracts/client.ts'
import type { ConnectionOptions } from '../terminal/connection.ts'
import type { StreamEvent } from '@apprentice/contracts/event-stream.ts'
import { followEvents } from '../terminal/event-stream.ts'
import { ProgressLine } from '../terminal/progress-line.ts'
import { type StepDescriptions, describeStep } from './run-text.ts'

export interface WatchOptions {
  readonly call: Call
  readonly options: ConnectionOptions
  readonly steps: StepDescriptions
  readonly say: (line: string) => void
  /** How long to wait for the run to settle; unlimited if absent. */
  readonly waitMs?: number | undefined
}

const POLL_MS = 250

/** Prints each step as it finishes. Returns the run when it has settled or the wait is over. */
export async function watchRun(watch: WatchOptions, { run_id }: AbilityRun) {
  const { waitMs } = watch
  const untilMs = waitMs === undefined ? Number.POSITIVE_INFINITY : Date.now() + waitMs
  const signal = waitMs === undefined ? undefined : AbortSignal.timeout(Math.max(waitMs, 1))
  await printSteps(watch, run_id, signal)
  for (;;) {
    const { run } = await watch.call(getAbilityRun, { params: { runId: run_id } })
    if (run.settled_at !== undefined || Date.now() >= untilMs) return run
    await sleep(POLL_MS)
  }
}

/** A broken stream is not an error: the state of the run is polled afterwards. */
async function printSteps(
  { options, steps, say }: WatchOptions,
  runId: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  const progress = new ProgressLine()
  const formatter = new StepFormatter(steps)
  try {
    const follow = { params: { runId }, signal }
    for await (const event of followEvents(options, streamRunEvents, follow)) {
      const { line, current } = formatter.format(event)
      progress.clear()
      if (line !== undefined) say(line)
      // Without a terminal the finished steps are enough.
      if (current !== undefined && process.stderr.isTTY) progress.show(current)
    }
  } catch {
    // The wait is over or the connection broke; the poll that follows reports which.
  } finally {
    progress.clear()
  }
}

/** Turns the events of a run into lines of text. */
export class StepFormatter {
  readonly #steps: StepDescriptions
  #total = 0
  #done = 0

  constructor(steps: StepDescriptions) {
    this.#steps = steps
  }

  format({ event_kind, payload }: StreamEvent): { line?: string; current?: string } {
    if (event_kind === 'ability.run.started') {
      this.#total = Number(payload['actions'] ?? 0)
      return { current: 'waiting for the phone' }
    }
    if (event_kind === 'ability.run.item_settled') {
      return { line: `item ${Number(payload['item']) + 1}: ${String(payload['state'])}` }
    }
    if (event_kind === 'ability.run.step_started') {
      return { current: `step ${this.#done + 1} of ${this.#total}: ${this.#describe(payload)}` }
    }
    if (event_kind !== 'ability.run.step_finished') return {}
    this.#done += 1
    const { success, outcome, error } = payload
    const mark = outcome === 'skipped' ? 'skip' : success === true ? 'ok  ' : 'FAIL'
    const why = mark === 'FAIL' && typeof error === 'string' ? `  ${error}` : ''
    return { line: `${mark} ${this.#done}/${this.#total} ${this.#describe(payload)}${why}` }
  }

  #describe({ step_id }: StreamEvent['payload']): string {
    return describeStep(String(step_id), this.#steps)
  }
}
