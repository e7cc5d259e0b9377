import { OperationFailure } from '../adb/operation-failure.ts'
import type { ScreenReading } from './screen-reading.ts'

export type StepData = Readonly<Record<string, string>>

export interface StepFailureFacts {
  /** Nothing was done yet, and a retry can succeed. */
  readonly retryable?: boolean
  readonly data?: StepData
  readonly cause?: unknown
  /** The screen on which the target was missing, if that is the failure. */
  readonly seen?: ScreenReading | undefined
}

/** The device was reached, but the step could not be done. */
export class StepFailure extends Error {
  override readonly name = 'StepFailure'
  /** The code in `data.error`. */
  readonly error: string
  readonly retryable: boolean
  readonly data: StepData
  readonly seen: ScreenReading | undefined

  constructor(error: string, message: string, facts: StepFailureFacts = {}) {
    super(message, facts.cause === undefined ? undefined : { cause: facts.cause })
    this.error = error
    this.retryable = facts.retryable ?? false
    this.data = facts.data ?? {}
    this.seen = facts.seen
  }

  /** The same failure after its retries are used up. It is no longer retryable. */
  toExhausted(attempts: number): StepFailure {
    if (!this.retryable) return this
    const data = { ...this.data, attempts: String(attempts) }
    const { cause, seen } = this
    return new StepFailure(this.error, this.message, { data, cause, seen })
  }
}

/** The time limit of the whole execution has passed. */
export class OutOfTime extends Error {
  override readonly name = 'OutOfTime'
  /** A command was sent to the device and its outcome is unknown. */
  readonly commandSent: boolean

  constructor(commandSent = false) {
    super('The time limit of the execution has passed.')
    this.commandSent = commandSent
  }
}

/** Converts a failed device operation to a step failure. */
export function toStepFailure(
  failure: OperationFailure,
  options: { readonly commandFailed?: string; readonly retryable?: boolean } = {},
): StepFailure {
  const error =
    failure.code === 'COMMAND_FAILED' && options.commandFailed !== undefined ? options.commandFailed : failure.code
  return new StepFailure(error, failure.message, {
    retryable: options.retryable ?? false,
    data: failure.detail === undefined ? {} : { detail: failure.detail.slice(0, 500) },
    cause: failure,
  })
}

/** Awaits a device operation and converts its failure. */
export async function translateFailure<T>(
  work: Promise<T>,
  translate: (failure: OperationFailure) => StepFailure,
): Promise<T> {
  try {
    return await work
  } catch (error) {
    throw error instanceof OperationFailure ? translate(error) : error
  }
}
