import type { FailureCode } from '@apprentice/contracts/base/failures.ts'
import type { DebugSnapshot, FoundElement } from '@apprentice/contracts/devices/find-element.ts'
import type { Snapshot } from '@apprentice/contracts/devices/snapshot.ts'
import type { CheckContext } from '../domain/devices/check-context.ts'
import { Failure } from '../failure/failure.ts'
import { describeDebugSnapshot } from '../screen/debug-semantics.ts'
import { type ElementQuery, findElements, isAmbiguous } from '../screen/find-element.ts'
import type { Observation, Watch } from '../screen/watch/observation.ts'
import type { DeviceLog } from '../devices/driver/device-log.ts'
import type { DeviceReader } from './devices/device-reader.ts'
import { DEVICE_BUSY } from './screen-watch.ts'

const READ_TIMEOUT_MS = 30_000
const POLL_MS = 300
const MAX_CANDIDATES = 5
const LOG_WINDOW_MS = 60_000
const REFUSES_ALL: ReadonlySet<FailureCode> = new Set(['DEVICE_LEASED', 'SHUTTING_DOWN'])

export interface ElementSearch {
  readonly found: boolean
  readonly ambiguous: boolean
  readonly match: FoundElement | null
  readonly candidates: FoundElement[]
  readonly matched_count: number
  readonly snapshot_revision: number
}

/** Reads the screen until an element matches or the time is over, which includes the wait for the device. */
export async function searchElement(watch: Watch, query: ElementQuery, timeoutMs: number): Promise<ElementSearch> {
  const endsMs = watch.now() + timeoutMs
  let read: ElementSearch | undefined
  for (;;) {
    const observation = await watch.observe(watch.signal)
    if (observation.status === 'ok') read = searchIn(observation.snapshot, query)
    const isOver = watch.now() >= endsMs
    if (read !== undefined && (read.found || isOver)) return read
    if (isOver) throw toReadingFailure(observation)
    await watch.sleep(POLL_MS, watch.signal)
  }
}

function searchIn(snapshot: Snapshot, query: ElementQuery): ElementSearch {
  const found = findElements(snapshot, query)
  return {
    found: found.length > 0,
    ambiguous: isAmbiguous(found),
    match: found[0] ?? null,
    candidates: found.slice(0, MAX_CANDIDATES),
    matched_count: found.length,
    snapshot_revision: snapshot.snapshot_revision,
  }
}

/** No reading succeeded in the time. */
function toReadingFailure(observation: Observation): Failure {
  if (observation.status !== 'failed') return new Failure('DEVICE_TIMEOUT', 'The screen was not read in time.')
  const { code, message } = observation
  return code === DEVICE_BUSY
    ? new Failure('DEVICE_TIMEOUT', message)
    : new Failure('SNAPSHOT_EXTRACTION_FAILED', message, { details: { kind: code } })
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
  { serial, principal, signal }: CheckContext,
  request: DebugRequest,
): Promise<DebugSnapshot> {
  const access = { principal, signal, timeoutMs: READ_TIMEOUT_MS }
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

/** A part that fails is reported. That the device belongs to somebody else, or the daemon stops, refuses the whole request. */
async function attempt<T>(work: () => Promise<T>): Promise<Part<T>> {
  try {
    return { value: await work() }
  } catch (error) {
    if (!(error instanceof Failure) || REFUSES_ALL.has(error.code)) throw error
    return { error: `${error.code}: ${error.message}`.slice(0, 240) }
  }
}
