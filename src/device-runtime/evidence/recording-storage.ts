import type {
  RecordingEvent,
  RecordingExport,
  RecordingStepLog,
  StepLogMode,
} from '@apprentice/contracts/devices/recording.ts'
import {
  parseNdjson,
  RECORDING_SCHEMA_VERSION,
  type Recording,
  writeNdjson,
} from '../../devices/recording/ndjson.ts'
import { type ExportOptions, exportRecording } from '../../devices/recording/recording-export.ts'
import { RecordingFailure } from '../../devices/recording/recording-failure.ts'
import { toSteps } from '../../devices/recording/step-log.ts'
import { Failure } from '../../failure/failure.ts'
import { OPERATOR_PACKAGE } from '../../devices/recording/proxy-recorder.ts'
import type { EvidenceFiles } from '../../files/evidence-files.ts'
import type { Store } from '../../store/db/db.ts'
import { findEvidence } from '../../store/capture/evidence.ts'
import {
  listRecordedEvents,
  type RecordedEventRow,
  type RecordingRow,
} from '../../store/capture/recordings.ts'

const everything = 1_000_000

/** Recordings as they were made: rows and trees put together again. */
export class RecordingStorage {
  readonly #store: Store
  readonly #files: EvidenceFiles

  constructor(store: Store, files: EvidenceFiles) {
    this.#store = store
    this.#files = files
  }

  async read(row: RecordingRow): Promise<Recording> {
    return {
      header: {
        type: 'recording_header',
        schemaVersion: RECORDING_SCHEMA_VERSION,
        sessionId: row.session_id,
        startedAt: Date.parse(row.started_at),
        operatorPackage: OPERATOR_PACKAGE,
      },
      events: await this.page(row, { page: 1, page_size: everything, snapshots: 'include' }),
    }
  }

  async file(row: RecordingRow): Promise<string> {
    return writeNdjson(await this.read(row))
  }

  async steps(row: RecordingRow, mode: StepLogMode): Promise<RecordingStepLog> {
    return toSteps(await this.read(row), mode)
  }

  async export(row: RecordingRow, options: ExportOptions): Promise<RecordingExport> {
    const recording = await this.read(row)
    return told(() => exportRecording(recording, options))
  }

  /** The steps of a file made elsewhere. */
  stepsOfFile(ndjson: string, mode: StepLogMode): RecordingStepLog {
    return told(() => toSteps(parseNdjson(ndjson), mode))
  }

  exportOfFile(ndjson: string, options: ExportOptions): RecordingExport {
    return told(() => exportRecording(parseNdjson(ndjson), options))
  }

  async page(
    { recording_id }: RecordingRow,
    { snapshots, ...page }: { page: number; page_size: number; snapshots: 'omit' | 'include' },
  ): Promise<RecordingEvent[]> {
    const rows = this.#store.read((reader) => listRecordedEvents(reader, recording_id, page))
    const events: RecordingEvent[] = []
    for (const row of rows) {
      const snapshot = snapshots === 'include' ? await this.#treeOf(row) : null
      // The body is an event of one of the known kinds; only its tree was kept apart.
      events.push({ ...row.body, snapshot } as RecordingEvent)
    }
    return events
  }

  /** A tree that was purged with its capture is simply no longer there. */
  async #treeOf({ snapshot_evidence_id: id }: RecordedEventRow): Promise<string | null> {
    if (id === undefined) return null
    const found = this.#store.read((reader) => findEvidence(reader, id))
    const bytes = found === undefined ? undefined : await this.#files.read(found.sha256)
    return bytes?.toString('utf8') ?? null
  }
}

/** A recording that makes no sense is the sender's to mend; the message names the line. */
function told<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (!(error instanceof RecordingFailure)) throw error
    throw new Failure(error.code, error.message, { details: { field: 'ndjson', line: error.line } })
  }
}
