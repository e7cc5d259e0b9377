/** A recording cannot be parsed or started. */
export class RecordingFailure extends Error {
  override readonly name = 'RecordingFailure'
  readonly code: RecordingFailureCode
  /** Number among the lines that are not blank, from 1. Absent if no line is at fault. */
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
