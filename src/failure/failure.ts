import { FAILURES, type FailureCode } from '@apprentice/contracts/base/failures.ts'

/** The only error thrown on purpose. Any other error that reaches a route is a defect. */
export class Failure extends Error {
  readonly code: FailureCode
  readonly details: Readonly<Record<string, unknown>> | undefined
  /** Fields that some replies carry beside `error`. */
  readonly beside: Readonly<Record<string, unknown>> | undefined

  constructor(
    code: FailureCode,
    message: string,
    extra: { details?: Record<string, unknown>; beside?: Record<string, unknown> } = {},
  ) {
    super(message.length > 240 ? `${message.slice(0, 239)}…` : message)
    this.code = code
    this.details = extra.details
    this.beside = extra.beside
  }

  get status(): number {
    return FAILURES[this.code].status
  }

  get retryable(): boolean {
    return FAILURES[this.code].retryable
  }
}
