import { OperationFailure } from '../adb/operation-failure.ts'
import type { ScreenReading } from './screen-reading.ts'

export type StepData = Readonly<Record<string, string>>

export interface StepFailureFacts {
  /** Worth another try: nothing was done yet, and the cause may pass. */
  readonly retryable?: boolean
  readonly data?: StepData
  readonly cause?: unknown
  /** The screen on which something was missing; absent when nothing is missing. */
  readonly seen?: ScreenReading | undefined
}

/** The device was reached, and the step could not be done as asked. */
export class StepFailure extends Error {
  override readonly name = 'StepFailure'
  /** The word in `data.error`. */
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

  /** The same failure once its retries are used up: whoever retries around them must not begin anew. */
  exhausted(attempts: number): StepFailure {
    if (!this.retryable) return this
    const data = { ...this.data, attempts: String(attempts) }
    const { cause, seen } = this
    return new StepFailure(this.error, this.message, { data, cause, seen })
  }
}

/** The time of the whole execution is used up. */
export class OutOfTime extends Error {
  override readonly name = 'OutOfTime'
  /** The device had been handed a command whose outcome is unknown. */
  readonly commandSent: boolean

  constructor(commandSent = false) {
    super('The time of the execution is used up.')
    this.commandSent = commandSent
  }
}

/** What a device refused, in the word a step uses for it. */
export function refusedBy(
  failure: OperationFailure,
  naming: { readonly commandFailed?: string; readonly retryable?: boolean } = {},
): StepFailure {
  const error =
    failure.code === 'COMMAND_FAILED' && naming.commandFailed !== undefined
      ? naming.commandFailed
      : failure.code
  return new StepFailure(error, failure.message, {
    retryable: naming.retryable ?? false,
    data: failure.detail === undefined ? {} : { detail: failure.detail.slice(0, 500) },
    cause: failure,
  })
}

/** Runs something a device may refuse, and names the refusal. */
export async function naming<T>(
  work: Promise<T>,
  as: (failure: OperationFailure) => StepFailure,
): Promise<T> {
  try {
    return await work
  } catch (error) {
    throw error instanceof OperationFailure ? as(error) : error
  }
}
