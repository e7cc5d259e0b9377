import type { ScreenReader } from '../jobs/ports.ts'
import type { DeviceReader } from './devices/device-reader.ts'

const READ_TIMEOUT_MS = 20_000

/** How a practice reads its phone: through the phone's queue, between its own executions. */
export const createPracticeReader =
  (deviceReader: DeviceReader): ScreenReader =>
  async (serial, { principal, signal }) => {
    const { hierarchy, snapshot } = await deviceReader.snapshot(serial, {
      principal,
      signal,
      timeoutMs: READ_TIMEOUT_MS,
    })
    const { activity, fingerprint, screen_id, loading_state } = snapshot
    return {
      hierarchy,
      activity,
      package: snapshot.package,
      fingerprint,
      screen_id,
      loading: loading_state !== null,
    }
  }
