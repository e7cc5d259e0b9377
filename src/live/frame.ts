import type { StoredEvent } from '../store/command/events.ts'

/** What a subject's id is called in the data of its events. */
const idNames: Readonly<Record<string, string>> = {
  learn: 'session_id',
  execution: 'execution_id',
  import: 'import_id',
  'skill-run': 'run_id',
}

/** Parts of a payload that are also shown beside it, where clients of old look for them. */
const mirrored = ['checkpoint_id', 'evidence', 'proposal_id'] as const

export function frameOf(event: StoredEvent): string {
  return `id: ${event.stream_seq}\nevent: ${event.kind}\ndata: ${JSON.stringify(dataOf(event))}\n\n`
}

function dataOf(event: StoredEvent): Record<string, unknown> {
  const slash = event.subject.indexOf('/')
  const idName = idNames[event.subject.slice(0, slash)] ?? 'subject_id'
  const data: Record<string, unknown> = {
    event_kind: event.kind,
    [idName]: event.subject.slice(slash + 1),
    payload: event.payload,
    timestamp: event.created_at,
    schema_version: 1,
  }
  for (const name of mirrored) if (name in event.payload) data[name] = event.payload[name]
  return data
}
