import type { RecordingExport, RecordingStepLog, StepLogMode } from '@apprentice/contracts/devices/recording.ts'
import { Failure } from '../failure/failure.ts'
import { parseNdjson } from '../devices/recording/ndjson.ts'
import { type ExportOptions, exportRecording } from '../devices/recording/recording-export.ts'
import { RecordingFailure } from '../devices/recording/recording-failure.ts'
import { buildStepLog } from '../devices/recording/step-log.ts'

/** The steps of a recording file that a client sent. */
export function parseSteps(ndjson: string, mode: StepLogMode): RecordingStepLog {
  return withPublicFailure(() => buildStepLog(parseNdjson(ndjson), mode))
}

/** The export of a recording file that a client sent. */
export function parseExport(ndjson: string, options: ExportOptions): RecordingExport {
  return withPublicFailure(() => exportRecording(parseNdjson(ndjson), options))
}

/** Converts a parse failure to a public failure that names the line. */
function withPublicFailure<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (!(error instanceof RecordingFailure)) throw error
    throw new Failure(error.code, error.message, { details: { field: 'ndjson', line: error.line } })
  }
}
