/**
 * A failure of the connection to a device. A command that ran and failed is never reported with this
 * class: it has an exit code, and a retry of the transport must not hide it.
 */
export class TransportFailure extends Error {
  override readonly name = 'TransportFailure'
  readonly kind: TransportFailureKind
  readonly retryable: boolean
  readonly serial: string | undefined
  /** The command was sent to the device: whether it took effect is unknown. */
  readonly commandSent: boolean

  constructor(kind: TransportFailureKind, message: string, facts: TransportFailureFacts = {}) {
    super(message, facts.cause === undefined ? undefined : { cause: facts.cause })
    this.kind = kind
    this.retryable = RETRYABLE[kind]
    this.serial = facts.serial
    this.commandSent = facts.commandSent ?? false
  }
}

export type TransportFailureKind = keyof typeof RETRYABLE

export interface TransportFailureFacts {
  readonly serial?: string | undefined
  readonly commandSent?: boolean
  readonly cause?: unknown
}

/** An unauthorized device needs a person; an aborted call was ended by its caller. */
const RETRYABLE = {
  server_down: true,
  device_not_found: true,
  device_offline: true,
  device_unauthorized: false,
  device_connecting: true,
  device_lost: true,
  stream_refused: true,
  protocol_error: true,
  deadline: true,
  aborted: false,
} as const satisfies Record<string, boolean>

/** Converts the text after a `FAIL` of the adb server. */
export function toTransportFailure(text: string, serial?: string): TransportFailure {
  const kind = REFUSAL_PATTERNS.find(([pattern]) => pattern.test(text))?.[1] ?? 'stream_refused'
  return new TransportFailure(kind, `adb refused: ${text}`, { serial })
}

const REFUSAL_PATTERNS: readonly (readonly [RegExp, TransportFailureKind])[] = [
  [/device offline/i, 'device_offline'],
  [/device unauthorized/i, 'device_unauthorized'],
  [/device still (connecting|authorizing)/i, 'device_connecting'],
  [/device '.*' not found|device not found|no devices/is, 'device_not_found'],
  [/unknown host service|malformed/i, 'protocol_error'],
]

/** The same failure, marked as having happened after the command was sent. */
export function withCommandSent(failure: TransportFailure): TransportFailure {
  if (failure.commandSent) return failure
  const { kind, message, serial, cause } = failure
  return new TransportFailure(kind, message, { serial, cause, commandSent: true })
}
