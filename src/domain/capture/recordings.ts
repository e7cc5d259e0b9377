import type { DeviceRecording, RecordingSource } from '@apprentice/contracts/devices/recording.ts'
import { Failure } from '../../failure/failure.ts'
import type { Reader } from '../../store/db/db.ts'
import {
  appendRecordedEvent,
  countRecordedEvents,
  findActiveRecording,
  findRecording,
  insertRecording,
  listActiveRecordings,
  type RecordedEventRow,
  type RecordingRow,
  updateRecording,
} from '../../store/capture/recordings.ts'
import { asSystem, type CommandContext } from '../command/context.ts'
import { getOwnSession } from '../sessions/session-moves.ts'
import { recordEvent } from '../command/ledger.ts'
import { assertDeviceAvailable } from '../devices/leases.ts'
import { getDevice } from '../devices/device-record.ts'

export interface RecordingRequest {
  readonly serial: string
  readonly session_id?: string | undefined
  readonly source: RecordingSource
  readonly learn_session_id?: string | undefined
}

export function startRecording(ctx: CommandContext, request: RecordingRequest): RecordingRow {
  const { serial, source, learn_session_id } = request
  getDevice(ctx, serial)
  assertDeviceAvailable(ctx.tx, serial, { user_id: ctx.actor.user_id, now: ctx.now })
  if (learn_session_id !== undefined) getOwnSession(ctx, learn_session_id)
  const active = findActiveRecording(ctx.tx, serial)
  if (active !== undefined) throw recordingInProgress(ctx, active)
  const recording_id = ctx.newId()
  const row: RecordingRow = {
    recording_id,
    owner_user_id: ctx.actor.user_id,
    session_id: request.session_id ?? `record-${Date.parse(ctx.now)}-${recording_id.slice(-8)}`,
    serial,
    source,
    state: 'recording',
    learn_session_id,
    started_at: ctx.now,
  }
  insertRecording(ctx.tx, row)
  recordEvent(ctx, `recording/${recording_id}`, 'recording.started', { serial, source })
  return row
}

export function stopRecording(ctx: CommandContext, row: RecordingRow): RecordingRow {
  if (row.state !== 'recording') {
    throw new Failure('RECORDING_NOT_IN_PROGRESS', `The recording is already ${row.state}.`)
  }
  return endRecording(ctx, { ...row, state: 'stopped', stopped_at: ctx.now })
}

/** Ends a recording after a failure. Its events stay stored. */
export function failRecording(ctx: CommandContext, row: RecordingRow, failure_code: string): RecordingRow {
  return endRecording(ctx, { ...row, state: 'failed', stopped_at: ctx.now, failure_code })
}

export function appendRecordingEvents(
  ctx: CommandContext,
  recordingId: string,
  events: readonly Omit<RecordedEventRow, 'seq'>[],
): void {
  let seq = countRecordedEvents(ctx.tx, recordingId)
  for (const event of events) {
    appendRecordedEvent(ctx.tx, recordingId, { ...event, seq, body: { ...event.body, seq } })
    seq += 1
  }
  if (events.length > 0) recordEvent(ctx, `recording/${recordingId}`, 'recording.grew')
}

/** Fails touch recordings of an earlier daemon process. Recordings of the daemon's own actions can continue. */
export function endOrphanedRecordings(ctx: CommandContext): number {
  const orphans = listActiveRecordings(ctx.tx).filter((row) => row.source === 'touch')
  for (const row of orphans) failRecording(asSystem(ctx, row.owner_user_id), row, 'DAEMON_RESTARTED')
  return orphans.length
}

/** Throws the same failure for an unknown id and for a recording of another user. */
export function getOwnRecording(
  reader: Reader,
  { serial, recordingId }: { readonly serial: string; readonly recordingId: string },
  userId: string,
): RecordingRow {
  const row = findRecording(reader, recordingId)
  if (row === undefined || row.serial !== serial || row.owner_user_id !== userId) {
    throw new Failure('RECORDING_SESSION_NOT_FOUND', `No recording ${recordingId} of ${serial}.`)
  }
  return row
}

export function toDeviceRecording(reader: Reader, row: RecordingRow): DeviceRecording {
  const { owner_user_id: _, ...fields } = row
  const event_count = countRecordedEvents(reader, row.recording_id)
  return { ...fields, event_count, schema_version: 1 }
}

function endRecording(ctx: CommandContext, row: RecordingRow): RecordingRow {
  updateRecording(ctx.tx, row)
  recordEvent(ctx, `recording/${row.recording_id}`, 'recording.ended', { state: row.state })
  return row
}

function recordingInProgress(ctx: CommandContext, active: RecordingRow): Failure {
  const own = active.owner_user_id === ctx.actor.user_id
  return new Failure('RECORDING_ALREADY_IN_PROGRESS', `${active.serial} is already being recorded.`, {
    details: own ? { recording_id: active.recording_id, session_id: active.session_id } : {},
  })
}
