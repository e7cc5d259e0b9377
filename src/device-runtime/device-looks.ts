import { setTimeout as pause } from 'node:timers/promises'
import type { DebugSnapshot, FoundElement } from '@apprentice/contracts/devices/find-element.ts'
import { Failure } from '../failure/failure.ts'
import type { Viewer } from './reading-history.ts'
import { describeDebugSnapshot } from '../screen/debug-semantics.ts'
import { type ElementQuery, findElements, isAmbiguous } from '../screen/find-element.ts'
import type { DeviceLog } from '../devices/driver/device-log.ts'
import type { DeviceReader } from './devices/device-reader.ts'

const READ_TIMEOUT_MS = 30_000
const POLL_MS = 300
const MAX_CANDIDATES = 5
const LOG_WINDOW_MS = 60_000

export interface ElementSearch {
  readonly found: boolean
  readonly ambiguous: boolean
  readonly match: FoundElement | null
  readonly candidates: FoundElement[]
  readonly matched_count: number
  readonly snapshot_revision: number
}

/** Reads the screen until an element matches or the time is over. */
export async function searchElement(
  deviceReader: DeviceReader,
  { serial, principal }: Viewer,
  { timeout_ms, isStopping, ...query }: ElementQuery & { timeout_ms: number; isStopping: () => boolean },
): Promise<ElementSearch> {
  const endsMs = performance.now() + timeout_ms
  for (;;) {
    const { snapshot } = await deviceReader.snapshot(serial, { principal, timeoutMs: READ_TIMEOUT_MS })
    const found = findElements(snapshot, query)
    if (found.length === 0 && performance.now() < endsMs && !isStopping()) {
      await pause(POLL_MS)
      continue
    }
    return {
      found: found.length > 0,
      ambiguous: isAmbiguous(found),
      match: found[0] ?? null,
      candidates: found.slice(0, MAX_CANDIDATES),
      matched_count: found.length,
      snapshot_revision: snapshot.snapshot_revision,
    }
  }
}

interface DebugDeps {
  readonly deviceReader: DeviceReader
  /** Reads the log of the device for a period, in milliseconds of the host. */
  readonly readLog: (window: { fromMs: number; toMs: number; lines: number }) => Promise<DeviceLog>
  readonly now: () => string
}

export interface DebugRequest {
  readonly reason: string
  readonly include_logs: boolean
  readonly log_lines: number
}

/** Reads one part after the other, because a phone answers one dump at a time. */
export async function readDebugSnapshot(
  { deviceReader, readLog, now }: DebugDeps,
  { serial, principal }: Viewer,
  request: DebugRequest,
): Promise<DebugSnapshot> {
  const access = { principal, timeoutMs: READ_TIMEOUT_MS }
  const tree = await attempt(async () => (await deviceReader.snapshot(serial, access)).snapshot)
  const picture = await attempt(async () => {
    const { png } = await deviceReader.screenshot(serial, access)
    return deviceReader.savePicture(png, { serial, owner_user_id: principal })
  })
  const toMs = Date.parse(now())
  const window = { fromMs: toMs - LOG_WINDOW_MS, toMs: toMs + LOG_WINDOW_MS, lines: request.log_lines }
  const log = request.include_logs ? await attempt(() => readLog(window)) : {}
  const raw: DebugSnapshot['raw'] = {
    timestamp: now(),
    reason: request.reason,
    snapshot_revision: tree.value?.snapshot_revision,
    captured_at_ms: tree.value?.captured_at_ms,
    activity: tree.value?.activity ?? null,
    fingerprint: tree.value?.fingerprint ?? null,
    loading_state: tree.value?.loading_state ?? null,
    ui_tree: tree.value ?? null,
    ui_tree_error: tree.error,
    screenshot: picture.value ?? null,
    screenshot_error: picture.error,
    logs: [...(log.value?.lines ?? [])],
    logs_error: log.error,
  }
  return { raw, semantic: describeDebugSnapshot(raw), schema_version: 1 }
}

interface Part<T> {
  readonly value?: T
  readonly error?: string
}

/** A part that fails is reported. That the device belongs to somebody else refuses the whole request. */
async function attempt<T>(work: () => Promise<T>): Promise<Part<T>> {
  try {
    return { value: await work() }
  } catch (error) {
    if (!(error instanceof Failure) || error.code === 'DEVICE_LEASED') throw error
    return { error: `${error.code}: ${error.message}`.slice(0, 240) }
  }
}
