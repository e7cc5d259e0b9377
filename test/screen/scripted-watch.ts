import type { RevisionState } from '@apprentice/contracts/devices/snapshot.ts'
import type { Observation, Watch } from '../../src/screen/watch/observation.ts'
import { buildSnapshot, toRevisionState } from '../../src/screen/snapshot.ts'
import { buildCapture } from './snapshot-builder.ts'
import type { Sketch } from './tree-builder.ts'

/** What the screen shows at one look: a tree, a failed dump, or an old one. */
export type ScriptedReading = Sketch | 'failed' | 'stale'

export interface ScriptedWatch extends Watch {
  readonly looks: () => number
  readonly slept: readonly number[]
}

/**
 * A clock that moves only by reading and sleeping, and a screen that follows a script; its last line
 * repeats. Each look takes `read_ms`.
 */
export function scriptedWatch(
  script: readonly ScriptedReading[],
  more: { read_ms?: number; action_ended_ms?: number; signal?: AbortSignal } = {},
): ScriptedWatch {
  let clock = 10_000
  let looks = 0
  let last: RevisionState | null = null
  const slept: number[] = []
  return {
    looks: () => looks,
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
      const look = script[Math.min(looks, script.length - 1)]
      looks += 1
      if (looks > 1000) throw new Error('The wait does not end.')
      const dump_started_ms = clock
      clock += more.read_ms ?? 10
      if (look === undefined) throw new Error('An empty script.')
      if (look === 'failed') {
        return Promise.resolve({ status: 'failed', code: 'NOT_IDLE', message: 'no idle state' })
      }
      if (look === 'stale') return Promise.resolve({ status: 'stale', message: 'an old dump' })
      const capture = buildCapture([look], { dump_started_ms, dump_finished_ms: clock })
      const snapshot = buildSnapshot(capture, last)
      last = toRevisionState(snapshot)
      return Promise.resolve<Observation>({ status: 'ok', snapshot, hierarchy: capture.hierarchy })
    },
  }
}
