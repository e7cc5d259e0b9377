import type { StoredEvent } from '../store/command/events.ts'

/** The name of the subject's id in the data of its events, by kind of subject. */
const ID_NAMES: Readonly<Record<string, string>> = {
  learn: 'session_id',
  execution: 'execution_id',
  import: 'import_id',
  'skill-run': 'run_id',
}

/** Payload fields that are repeated beside the payload, where older clients expect them. */
const REPEATED_FIELDS = ['checkpoint_id', 'evidence', 'proposal_id'] as const

/** Formats a stored event as a server-sent event. */
export function formatFrame(event: StoredEvent): string {
  return `id: ${event.stream_seq}\nevent: ${event.kind}\ndata: ${JSON.stringify(toData(event))}\n\n`
}

function toData(event: StoredEvent): Record<string, unknown> {
  const slash = event.subject.indexOf('/')
  const idName = ID_NAMES[event.subject.slice(0, slash)] ?? 'subject_id'
  const data: Record<string, unknown> = {
    event_kind: event.kind,
    [idName]: event.subject.slice(slash + 1),
    payload: event.payload,
    timestamp: event.created_at,
    schema_version: 1,
  }
  for (const name of REPEATED_FIELDS) if (name in event.payload) data[name] = event.payload[name]
  return data
}
