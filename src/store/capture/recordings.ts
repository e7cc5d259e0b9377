import type { DeviceRecording, RecordingEvent } from '@apprentice/contracts/devices/recording.ts'
import type { PageQuery } from '@apprentice/contracts/base/page.ts'
import { type Reader, sql, type Tx } from '../db/db.ts'
import { bindable, insertInto, present, type Row } from '../db/row.ts'

export interface RecordingRow extends Omit<DeviceRecording, 'event_count' | 'schema_version'> {
  readonly owner_user_id: string
}

/** An event as kept: its tree lies beside it as evidence. */
export interface RecordedEventRow {
  readonly seq: number
  readonly body: Omit<RecordingEvent, 'snapshot'>
  readonly snapshot_evidence_id?: string | undefined
}

const columns = [
  'recording_id',
  'owner_user_id',
  'session_id',
  'serial',
  'source',
  'state',
  'learn_session_id',
  'started_at',
  'stopped_at',
  'failure_code',
] as const
const blank = Object.fromEntries(columns.map((column) => [column, undefined]))

export function insertRecording(tx: Tx, row: RecordingRow): void {
  sql(tx, insertInto('recordings', columns)).run(bindable({ ...blank, ...row }))
}

export function updateRecording(tx: Tx, row: RecordingRow): void {
  sql(
    tx,
    `UPDATE recordings SET state = @state, stopped_at = @stopped_at, failure_code = @failure_code
      WHERE recording_id = @recording_id`,
  ).run(bindable({ ...blank, ...row }))
}

export function findRecording(reader: Reader, id: string): RecordingRow | undefined {
  const row = sql(reader, 'SELECT * FROM recordings WHERE recording_id = ?').get(id)
  return row === undefined ? undefined : toRecording(row)
}

export function findActiveRecording(reader: Reader, serial: string): RecordingRow | undefined {
  const row = sql(reader, `SELECT * FROM recordings WHERE serial = ? AND state = 'recording'`).get(
    serial,
  )
  return row === undefined ? undefined : toRecording(row)
}

export function listActiveRecordings(reader: Reader): RecordingRow[] {
  return sql(reader, `SELECT * FROM recordings WHERE state = 'recording' ORDER BY recording_id`)
    .all()
    .map(toRecording)
}

export function listRecordings(
  reader: Reader,
  { serial, owner }: { readonly serial: string; readonly owner: string },
  { page, page_size }: PageQuery,
): { recordings: RecordingRow[]; total: number } {
  const rows = sql(
    reader,
    `SELECT * FROM recordings WHERE serial = ? AND owner_user_id = ?
      ORDER BY started_at DESC, recording_id DESC LIMIT ? OFFSET ?`,
  ).all(serial, owner, page_size, (page - 1) * page_size)
  const count = sql(
    reader,
    'SELECT count(*) AS total FROM recordings WHERE serial = ? AND owner_user_id = ?',
  ).get(serial, owner)
  return { recordings: rows.map(toRecording), total: (count as { total: number }).total }
}

export function appendRecordedEvent(tx: Tx, recordingId: string, event: RecordedEventRow): void {
  sql(
    tx,
    `INSERT INTO recording_events (recording_id, seq, body, snapshot_evidence_id)
     VALUES (@recording_id, @seq, @body, @snapshot_evidence_id)`,
  ).run(
    bindable({
      recording_id: recordingId,
      seq: event.seq,
      body: JSON.stringify(event.body),
      snapshot_evidence_id: event.snapshot_evidence_id,
    }),
  )
}

export function countRecordedEvents(reader: Reader, recordingId: string): number {
  const row = sql(reader, 'SELECT count(*) AS n FROM recording_events WHERE recording_id = ?').get(
    recordingId,
  )
  return (row as { n: number }).n
}

export function listRecordedEvents(
  reader: Reader,
  recordingId: string,
  { page, page_size }: PageQuery,
): RecordedEventRow[] {
  return sql(
    reader,
    'SELECT * FROM recording_events WHERE recording_id = ? ORDER BY seq LIMIT ? OFFSET ?',
  )
    .all(recordingId, page_size, (page - 1) * page_size)
    .map((row) => {
      const { recording_id: _, ...fields } = present(row as Row)
      return {
        ...fields,
        body: JSON.parse(String(fields['body'])),
      } as unknown as RecordedEventRow
    })
}

const toRecording = (row: unknown): RecordingRow => present(row as Row) as unknown as RecordingRow
