import type { DeviceRecording, RecordingEvent } from '@apprentice/contracts/devices/recording.ts'
import type { PageQuery } from '@apprentice/contracts/base/page.ts'
import { columns, integer, json, text } from '../db/columns.ts'
import { type Reader, sql, type Tx } from '../db/db.ts'
import { listPage, readNumber } from '../db/queries.ts'
import { defineTable, type RowOf } from '../db/table.ts'

export const recordings = defineTable(
  'recordings',
  {
    recording_id: text(),
    ...columns(text().immutable(), 'owner_user_id', 'session_id', 'serial'),
    source: text<DeviceRecording['source']>().immutable(),
    state: text<DeviceRecording['state']>(),
    learn_session_id: text().optional().immutable(),
    started_at: text().immutable(),
    stopped_at: text().optional(),
    failure_code: text().optional(),
  },
  { key: ['recording_id'] },
)

export const recordingEvents = defineTable(
  'recording_events',
  {
    recording_id: text(),
    seq: integer(),
    /** The event without its UI tree. The tree is stored as evidence. */
    body: json<Omit<RecordingEvent, 'snapshot'>>(),
    snapshot_evidence_id: text().optional(),
  },
  { key: ['recording_id', 'seq'] },
)

export type RecordingRow = RowOf<typeof recordings>

export function insertRecording(tx: Tx, row: RecordingRow): void {
  recordings.insert(tx, row)
}

export function updateRecording(tx: Tx, row: RecordingRow): void {
  recordings.update(tx, row)
}

export function findRecording(reader: Reader, id: string): RecordingRow | undefined {
  return recordings.find(reader, id)
}

export function findActiveRecording(reader: Reader, serial: string): RecordingRow | undefined {
  const row = sql(reader, `SELECT * FROM recordings WHERE serial = ? AND state = 'recording'`).get(serial)
  return recordings.decodeOptional(row)
}

export function listActiveRecordings(reader: Reader): RecordingRow[] {
  return sql(reader, `SELECT * FROM recordings WHERE state = 'recording' ORDER BY recording_id`)
    .all()
    .map(recordings.decode)
}

export function listRecordings(
  reader: Reader,
  { serial, owner }: { readonly serial: string; readonly owner: string },
  query: PageQuery,
): { recordings: RecordingRow[]; total: number } {
  const from = 'recordings WHERE serial = @serial AND owner_user_id = @owner'
  const order = 'started_at DESC, recording_id DESC'
  const { rows, total } = listPage(reader, { from, order }, { serial, owner }, query)
  return { recordings: rows.map(recordings.decode), total }
}

const recordedEvent = recordingEvents.without('recording_id')
export type RecordedEventRow = ReturnType<typeof recordedEvent.decode>

export function appendRecordedEvent(tx: Tx, recordingId: string, event: RecordedEventRow): void {
  recordingEvents.insert(tx, { ...event, recording_id: recordingId })
}

export function countRecordedEvents(reader: Reader, recordingId: string): number {
  return readNumber(reader, 'SELECT count(*) FROM recording_events WHERE recording_id = ?', recordingId)
}

export function listRecordedEvents(
  reader: Reader,
  recordingId: string,
  { page, page_size }: PageQuery,
): RecordedEventRow[] {
  return sql(reader, 'SELECT * FROM recording_events WHERE recording_id = ? ORDER BY seq LIMIT ? OFFSET ?')
    .all(recordingId, page_size, (page - 1) * page_size)
    .map(recordedEvent.decode)
}
