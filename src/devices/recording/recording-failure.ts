/** A recording that cannot be read, written or begun. */
export class RecordingFailure extends Error {
  override readonly name = 'RecordingFailure'
  readonly code: RecordingFailureCode
  /** Among the lines that are not blank, from 1; absent when no line is to blame. */
  readonly line: number | undefined

  constructor(code: RecordingFailureCode, message: string, line?: number) {
    super(message)
    this.code = code
    this.line = line
  }
}

export type RecordingFailureCode =
  | 'RECORDING_PARSE_FAILED'
  | 'RECORDING_SCHEMA_VERSION_UNSUPPORTED'
  | 'RECORDING_START_FAILED'
