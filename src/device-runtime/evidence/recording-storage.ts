import type {
  RecordingEvent,
  RecordingExport,
  RecordingStepLog,
  StepLogMode,
} from '@apprentice/contracts/devices/recording.ts'
import { RECORDING_SCHEMA_VERSION, type Recording, formatNdjson } from '../../devices/recording/ndjson.ts'
import { type ExportOptions, exportRecording } from '../../devices/recording/recording-export.ts'
import { buildStepLog } from '../../devices/recording/step-log.ts'
import { OPERATOR_PACKAGE } from '../../devices/recording/proxy-recorder.ts'
import type { ContentFiles } from '../../files/content-files.ts'
import type { Store } from '../../store/db/db.ts'
import { findEvidence } from '../../store/capture/evidence.ts'
import { listRecordedEvents, type RecordedEventRow, type RecordingRow } from '../../store/capture/recordings.ts'

const ALL_EVENTS = 1_000_000

/** Reads stored recordings: joins event rows with their trees. */
export class RecordingStorage {
  readonly #store: Store
  readonly #files: ContentFiles

  constructor(store: Store, files: ContentFiles) {
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
      events: await this.readPage(row, { page: 1, page_size: ALL_EVENTS, snapshots: 'include' }),
    }
  }

  async readNdjson(row: RecordingRow): Promise<string> {
    return formatNdjson(await this.read(row))
  }

  async readSteps(row: RecordingRow, mode: StepLogMode): Promise<RecordingStepLog> {
    return buildStepLog(await this.read(row), mode)
  }

  async export(row: RecordingRow, options: ExportOptions): Promise<RecordingExport> {
    const recording = await this.read(row)
    return exportRecording(recording, options)
  }

  async readPage(
    { recording_id }: RecordingRow,
    { snapshots, ...page }: { page: number; page_size: number; snapshots: 'omit' | 'include' },
  ): Promise<RecordingEvent[]> {
    const rows = this.#store.read((reader) => listRecordedEvents(reader, recording_id, page))
    const events: RecordingEvent[] = []
    for (const row of rows) {
      const snapshot = snapshots === 'include' ? await this.#readTree(row) : null
      // The body is a whole event without its tree.
      events.push({ ...row.body, snapshot } as RecordingEvent)
    }
    return events
  }

  /** Null if the tree was deleted with its capture. */
  async #readTree({ snapshot_evidence_id: id }: RecordedEventRow): Promise<string | null> {
    if (id === undefined) return null
    const found = this.#store.read((reader) => findEvidence(reader, id))
    const bytes = found === undefined ? undefined : await this.#files.read(found.sha256)
    return bytes?.toString('utf8') ?? null
  }
}
