import { EVERYONE, type StoredEvent } from '../store/command/events.ts'

/** The name of the subject's id in the data of its events, by kind of subject. */
const ID_NAMES: Readonly<Record<string, string>> = {
  learn: 'session_id',
  execution: 'execution_id',
  import: 'import_id',
  run: 'run_id',
  'skill-run': 'run_id',
  'scene-generation': 'generation_id',
  'scene-run': 'run_id',
}

/** Payload fields that are repeated beside the payload, where older clients expect them. */
const REPEATED_FIELDS = ['checkpoint_id', 'evidence', 'proposal_id'] as const

/** Formats a stored event as a server-sent event. */
export function formatFrame(event: StoredEvent): string {
  return `id: ${event.stream_seq}\nevent: ${event.kind}\ndata: ${JSON.stringify(toData(event))}\n\n`
}

/** Formats an event for a stream over all subjects. */
export function formatFeedFrame(event: StoredEvent): string {
  const { seq, kind, payload, correlation_id, created_at, visible_to } = event
  const data = {
    seq,
    event_kind: kind,
    subject: findToldSubject(event),
    ...(visible_to === undefined || visible_to === EVERYONE ? {} : { user_id: visible_to }),
    payload,
    correlation_id,
    timestamp: created_at,
    schema_version: 1,
  }
  return `id: ${seq}\nevent: ${kind}\ndata: ${JSON.stringify(data)}\n\n`
}

/** An event for everyone in the session of a shared ability is told of the ability: the session belongs to one user. */
export function findToldSubject({ subject, visible_to, learn_session_id, payload }: StoredEvent): string {
  const { ability_id } = payload
  return visible_to === EVERYONE && learn_session_id !== undefined && typeof ability_id === 'string'
    ? `ability/${ability_id}`
    : subject
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
