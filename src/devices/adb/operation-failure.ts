/** The device was reached, but the operation failed or was refused. */
export class OperationFailure extends Error {
  override readonly name = 'OperationFailure'
  readonly code: OperationFailureCode
  /** The output of the device, or the refused part of the request. */
  readonly detail: string | undefined

  constructor(code: OperationFailureCode, message: string, detail?: string) {
    super(message)
    this.code = code
    this.detail = detail
  }
}

export type OperationFailureCode =
  | 'INVALID_ARGUMENT'
  | 'COMMAND_FAILED'
  | 'OUTPUT_TOO_LARGE'
  | 'TEXT_UNSUPPORTED'
  | 'APP_NOT_FOUND'
  | 'APP_LAUNCH_FAILED'
  | 'URI_NOT_HANDLED'
  | 'SCREENSHOT_FAILED'
  | 'FILE_NOT_FOUND'
  | 'TRANSFER_FAILED'
  | 'FACTS_UNREADABLE'
  | 'INSTALL_FAILED'
