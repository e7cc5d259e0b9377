import { startBudget } from '../adb/call-limits.ts'
import type { Budget, CallLimits } from '../adb/call-limits.ts'
import { UiautomatorSource } from '../driver/ui-source.ts'
import type { DeviceAddress } from '../shell/command-stream.ts'
import type { CommandRunner } from '../shell/device-shell.ts'
import { HelperFailure } from './helper-failure.ts'
import { HelperSession } from './helper-session.ts'
import { isSnapshotHelperReady } from './preparation-marks.ts'

export interface Measurement {
  readonly dumpMs: readonly number[]
  /** Undefined if the helper is not there or did not start. */
  readonly helperStartMs: number | undefined
  readonly helperMs: readonly number[]
  readonly failures: readonly string[]
  /** Of the helper if there is one, because it has all windows. */
  readonly tree: string
}

const READINGS = 5
const STOP_TIMEOUT_MS = 2000

/** Reads the same screen several times in both ways. Nothing else may read screens of the device meanwhile. */
export async function measureReadings(
  runner: CommandRunner,
  device: DeviceAddress,
  limits: CallLimits,
): Promise<Measurement> {
  const budget = startBudget(limits)
  const byDump = await measureDumps(new UiautomatorSource(runner), budget)
  if (!(await isSnapshotHelperReady(runner, budget.remainingLimits()))) {
    return { ...byDump, helperStartMs: undefined, helperMs: [] }
  }
  const byHelper = await measureHelper(device, budget)
  const failures = [...byDump.failures, ...byHelper.failures]
  return { ...byDump, ...byHelper, failures, tree: byHelper.tree === '' ? byDump.tree : byHelper.tree }
}

async function measureDumps(source: UiautomatorSource, budget: Budget) {
  const dumpMs: number[] = []
  const failures: string[] = []
  let tree = ''
  for (let count = 0; count < READINGS; count += 1) {
    const { ms, value } = await time(() => source.dump(budget.remainingLimits()))
    if (value.outcome === 'ok') {
      dumpMs.push(ms)
      tree = value.xml
    } else failures.push(`dump: ${value.kind}`)
  }
  return { dumpMs, failures, tree }
}

async function measureHelper(device: DeviceAddress, budget: Budget) {
  const helperMs: number[] = []
  const failures: string[] = []
  let helperStartMs: number | undefined
  let tree = ''
  let session: HelperSession | undefined
  try {
    const started = await time(() => HelperSession.start(device, budget.remainingLimits()))
    const running = (session = started.value)
    helperStartMs = started.ms
    for (let count = 0; count < READINGS; count += 1) {
      const { ms, value } = await time(() => running.ask('snapshot', budget.remainingLimits()))
      helperMs.push(ms)
      tree = value.body
    }
  } catch (error) {
    if (!(error instanceof HelperFailure)) throw error
    failures.push(`helper: ${error.kind}: ${error.message}`)
  } finally {
    await session?.stop({ timeoutMs: STOP_TIMEOUT_MS })
  }
  return { helperStartMs, helperMs, failures, tree }
}

async function time<T>(work: () => Promise<T>): Promise<{ readonly ms: number; readonly value: T }> {
  const startedMs = performance.now()
  const value = await work()
  return { ms: Math.round(performance.now() - startedMs), value }
}
