import type { z } from 'zod'
import {
  RECORDING_EVENTS,
  RecordingHeader,
  type RecordingEvent,
  type RecordingEventType,
} from '@apprentice/contracts/devices/recording.ts'
import { RecordingFailure } from './recording-failure.ts'

/** A recording. Its events are in file order; `sortEvents` sorts them by `seq`. */
export interface Recording {
  readonly header: RecordingHeader
  readonly events: readonly RecordingEvent[]
}

export const RECORDING_SCHEMA_VERSION = 1

/** Parses a recording file. Throws a `RecordingFailure` that names the first bad line. */
export function parseNdjson(text: string): Recording {
  const [first, ...rest] = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
  if (first === undefined) throw toParseFailure('Empty recording file')
  return {
    header: readHeader(readJson(first, 1)),
    events: rest.map((line, index) => readEvent(readJson(line, index + 2), index + 2)),
  }
}

export function formatNdjson({ header, events }: Recording): string {
  const { type, schemaVersion, sessionId, startedAt, operatorPackage } = header
  const head = { type, schemaVersion, sessionId, startedAt, operatorPackage }
  return [head, ...events].map((line) => `${JSON.stringify(line)}\n`).join('')
}

/** Sorts by `seq`. Events with the same `seq` stay in file order. */
export function sortEvents({ events }: Recording): readonly RecordingEvent[] {
  return events.toSorted((a, b) => a.seq - b.seq)
}

/** The tree of an event. An empty tree counts as none. */
export function readSnapshot({ snapshot }: RecordingEvent): string | null {
  return snapshot === undefined || snapshot === '' ? null : snapshot
}

function readJson(line: string, number: number): unknown {
  try {
    return JSON.parse(line) as unknown
  } catch {
    throw toParseFailure(`Malformed NDJSON at line ${number}`, number)
  }
}

function readHeader(value: unknown): RecordingHeader {
  const header = RecordingHeader.safeParse(value)
  if (!header.success) throw toParseFailure('Missing or invalid recording header', 1)
  const { schemaVersion } = header.data
  if (schemaVersion === RECORDING_SCHEMA_VERSION) return header.data
  const message = `Unsupported recording schema version: ${schemaVersion}`
  throw new RecordingFailure('RECORDING_SCHEMA_VERSION_UNSUPPORTED', message, 1)
}

function readEvent(value: unknown, line: number): RecordingEvent {
  if (!isEvent(value)) {
    throw toParseFailure(`Invalid event at line ${line}: missing required fields (ts, seq, type)`, line)
  }
  const { type } = value
  if (!isKnown(type)) throw toParseFailure(`Unknown event type at line ${line}: ${type}`, line)
  const event = RECORDING_EVENTS[type].safeParse(value)
  if (event.success) return event.data
  throw toParseFailure(`Invalid ${type} event at line ${line}: ${formatWrongField(event.error)}`, line)
}

interface EventMarks {
  readonly ts: number
  readonly seq: number
  readonly type: string
}

function isEvent(value: unknown): value is EventMarks {
  if (typeof value !== 'object' || value === null) return false
  const { ts, seq, type } = value as Partial<Record<keyof EventMarks, unknown>>
  return Number.isFinite(ts) && Number.isFinite(seq) && typeof type === 'string'
}

function isKnown(type: string): type is RecordingEventType {
  return Object.hasOwn(RECORDING_EVENTS, type)
}

function formatWrongField({ issues }: z.ZodError): string {
  return `missing or invalid ${issues[0]?.path.join('.') ?? 'field'}`
}

function toParseFailure(message: string, line?: number): RecordingFailure {
  return new RecordingFailure('RECORDING_PARSE_FAILED', message, line)
}
