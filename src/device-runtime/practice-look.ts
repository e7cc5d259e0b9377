import type { Look } from '../jobs/practice-device.ts'
import type { DeviceReader } from './devices/device-reader.ts'

const readMs = 20_000

/** How a practice sees its phone: in the phone's lane, between what it does there. */
export const lookFor =
  (eyes: DeviceReader): Look =>
  async (serial, { principal, signal }) => {
    const { hierarchy, snapshot } = await eyes.snapshot(serial, {
      principal,
      signal,
      timeoutMs: readMs,
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
