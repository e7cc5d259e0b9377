import { type AdapterRules, listAdapters } from '../../domain/capture/adapters.ts'
import { buildObservationScope } from '../../domain/capture/observation-scope.ts'
import { buildRuntimeSnapshot } from '../../domain/learn/runtime-snapshot.ts'
import { listAdapterRows } from '../../store/capture/adapters.ts'
import type { Reader } from '../../store/db/db.ts'
import { findLearnSession, type StoredSession } from '../../store/sessions/learn-sessions.ts'
import { findLastSessionEventTime, findLatestChangedSessionId } from '../../store/projections/projection-cursors.ts'
import type { Changes } from '../engine/changes.ts'
import { formatDocument } from '../engine/json-text.ts'
import { documentProjection, type Projection, SINGLE_KEY } from '../engine/projection.ts'

const touchedBySessions = ({ sessions }: Changes) => (sessions.size > 0 ? [SINGLE_KEY] : [])

/** Uses the time of the last event instead of the current time, so that the same rows always give the same bytes. */
const currentRuntime = documentProjection({
  path: 'learning/runtime/current.json',
  touched: touchedBySessions,
  render: (reader) => {
    const session = findLatestChanged(reader)
    if (session === undefined) return undefined
    const asOf = findLastSessionEventTime(reader, session.learn_session_id) ?? session.updated_at
    return formatDocument(buildRuntimeSnapshot(reader, session, asOf))
  },
})

const currentObservationScope = documentProjection({
  path: 'learning/runtime/observation_scope_current.json',
  touched: touchedBySessions,
  render: (reader) => {
    const session = findLatestChanged(reader)
    return session === undefined ? undefined : formatDocument(buildObservationScope(reader, session))
  },
})

/** The health of adapters at the time of the last report of any adapter. */
const createAdapters = (rules: AdapterRules) =>
  documentProjection({
    path: 'learning/runtime/adapters_current.json',
    touched: ({ kinds }) => (kinds.has('learn.adapters.changed') ? [SINGLE_KEY] : []),
    render: (reader) => {
      const reportTimes = listAdapterRows(reader).flatMap((row) => row.last_seen_at ?? [])
      const asOf = reportTimes.toSorted().at(-1) ?? '1970-01-01T00:00:00.000Z'
      return formatDocument({ adapters: listAdapters(reader, asOf, rules), schema_version: 1 })
    },
  })

export const runtimeProjections = (rules: AdapterRules): readonly Projection[] => [
  currentRuntime,
  currentObservationScope,
  createAdapters(rules),
]

function findLatestChanged(reader: Reader): StoredSession | undefined {
  const id = findLatestChangedSessionId(reader)
  return id === undefined ? undefined : findLearnSession(reader, id)
}
