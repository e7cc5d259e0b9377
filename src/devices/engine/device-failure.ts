import type { TransportFailure, TransportFailureKind } from '../adb/transport-failure.ts'

/** Error codes for failures of the device or its connection, as opposed to failures of a step. */
export type DeviceFailureCode =
  | 'DEVICE_LOST'
  | 'DEVICE_OFFLINE'
  | 'DEVICE_UNAUTHORIZED'
  | 'ADB_SERVER_FAILED'
  | 'DEVICE_TIMEOUT'

export function toDeviceFailureCode({ kind }: TransportFailure): DeviceFailureCode {
  return CODES[kind]
}

/** Describes whether a retry can help and whether the command may have taken effect. */
export function formatDeviceFailureHint(failure: TransportFailure): string {
  const advice = failure.retryable
    ? 'Retryable: a retry can succeed once the device responds again.'
    : failure.kind === 'device_unauthorized'
      ? 'Not retryable: allow debugging on the device first.'
      : 'Not retryable.'
  const effect = failure.commandSent
    ? ' The command was sent to the device; whether it took effect is unknown.'
    : ' The command was not sent to the device.'
  return advice + effect
}

const CODES: Readonly<Record<TransportFailureKind, DeviceFailureCode>> = {
  server_down: 'ADB_SERVER_FAILED',
  protocol_error: 'ADB_SERVER_FAILED',
  device_offline: 'DEVICE_OFFLINE',
  device_connecting: 'DEVICE_OFFLINE',
  device_unauthorized: 'DEVICE_UNAUTHORIZED',
  device_not_found: 'DEVICE_LOST',
  device_lost: 'DEVICE_LOST',
  stream_refused: 'DEVICE_LOST',
  deadline: 'DEVICE_TIMEOUT',
  // An abort by the caller is handled earlier, so the connection to the device was closed.
  aborted: 'DEVICE_LOST',
}
