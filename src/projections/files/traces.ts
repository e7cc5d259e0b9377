import { countRowsUpTo } from '../../store/projections/projection-cursors.ts'
import { listTracesSince } from '../../store/capture/traces.ts'
import { logProjection, type Projection } from '../engine/projection.ts'

const traces = logProjection({
  path: 'capabilities/traces.jsonl',
  rows: (reader, _key, span) =>
    // A trace is stored as the JSON text of an object.
    listTracesSince(reader, span) as { position: number; entry: object }[],
  count: (reader, _key, upTo) => countRowsUpTo(reader, 'traces', upTo),
  shrinks: ({ kinds }) => kinds.has('learn.session.deleted') || kinds.has('learn.session.archived'),
})

export const traceProjections: readonly Projection[] = [traces]
