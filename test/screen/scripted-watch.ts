import type { RevisionState } from '@apprentice/contracts/devices/snapshot.ts'
import type { Observation, Watch } from '../../src/screen/watch/observation.ts'
import { buildSnapshot, toRevisionState } from '../../src/screen/snapshot.ts'
import { buildCapture } from './snapshot-builder.ts'
import type { Sketch } from './tree-builder.ts'

/** One scripted reading: a tree, a failed dump, or a stale one. */
export type ScriptedReading = Sketch | 'failed' | 'stale'

export interface ScriptedWatch extends Watch {
  readonly readings: () => number
  readonly slept: readonly number[]
}

/**
 * A clock that advances only by reading and sleeping, and a screen that follows a script. The last entry
 * repeats. Each reading takes `read_ms`.
 */
export function scriptedWatch(
  script: readonly ScriptedReading[],
  more: { read_ms?: number; action_ended_ms?: number; signal?: AbortSignal } = {},
): ScriptedWatch {
  let clock = 10_000
  let readings = 0
  let last: RevisionState | null = null
  const slept: number[] = []
  return {
    readings: () => readings,
    slept,
    signal: more.signal ?? new AbortController().signal,
    action_ended_ms: more.action_ended_ms,
    now: () => clock,
    sleep: (ms, signal) => {
      signal.throwIfAborted()
      slept.push(ms)
      clock += ms
      return Promise.resolve()
    },
    observe: () => {
      const reading = script[Math.min(readings, script.length - 1)]
      readings += 1
      if (readings > 1000) throw new Error('The wait does not end.')
      const dump_started_ms = clock
      clock += more.read_ms ?? 10
      if (reading === undefined) throw new Error('An empty script.')
      if (reading === 'failed') {
        return Promise.resolve({ status: 'failed', code: 'NOT_IDLE', message: 'no idle state' })
      }
      if (reading === 'stale') return Promise.resolve({ status: 'stale', message: 'an old dump' })
      const capture = buildCapture([reading], { dump_started_ms, dump_finished_ms: clock })
      const snapshot = buildSnapshot(capture, last)
      last = toRevisionState(snapshot)
      return Promise.resolve<Observation>({ status: 'ok', snapshot, hierarchy: capture.hierarchy })
    },
  }
}
