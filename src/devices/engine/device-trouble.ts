import type { TransportFailure, TransportFailureKind } from '../adb/transport-failure.ts'

/** Trouble with the device itself, in a family of its own: no step can be blamed for it. */
export type DeviceTroubleCode =
  | 'DEVICE_LOST'
  | 'DEVICE_OFFLINE'
  | 'DEVICE_UNAUTHORIZED'
  | 'ADB_SERVER_FAILED'
  | 'DEVICE_TIMEOUT'

export function deviceTroubleCode({ kind }: TransportFailure): DeviceTroubleCode {
  return CODES[kind]
}

/** What the caller can do about it. */
export function deviceTroubleHint(failure: TransportFailure): string {
  const advice = failure.retryable
    ? 'Retryable: it can work once the device answers again.'
    : failure.kind === 'device_unauthorized'
      ? 'Not retryable by itself: a person must allow debugging on the device.'
      : 'Not retryable by itself.'
  const doubt = failure.commandSent
    ? ' The device had been handed the command; whether it took effect is unknown.'
    : ' The device had not been handed the command.'
  return advice + doubt
}

const CODES: Readonly<Record<TransportFailureKind, DeviceTroubleCode>> = {
  server_down: 'ADB_SERVER_FAILED',
  protocol_error: 'ADB_SERVER_FAILED',
  device_offline: 'DEVICE_OFFLINE',
  device_connecting: 'DEVICE_OFFLINE',
  device_unauthorized: 'DEVICE_UNAUTHORIZED',
  device_not_found: 'DEVICE_LOST',
  device_lost: 'DEVICE_LOST',
  stream_refused: 'DEVICE_LOST',
  deadline: 'DEVICE_TIMEOUT',
  // Not by our own caller, or we would not be asked: somebody closed the way to the device.
  aborted: 'DEVICE_LOST',
}
