import { type AdapterRules, listAdapters } from '../../domain/capture/adapters.ts'
import { observationScope } from '../../domain/capture/observation-scope.ts'
import { runtimeSnapshot } from '../../domain/learn/runtime-snapshot.ts'
import { listAdapterRows } from '../../store/capture/adapters.ts'
import type { Reader } from '../../store/db/db.ts'
import { findLearnSession, type StoredSession } from '../../store/sessions/learn-sessions.ts'
import {
  findLastSessionEventTime,
  findLatestChangedSessionId,
} from '../../store/projections/projection-cursors.ts'
import type { Changes } from '../engine/changes.ts'
import { documentText } from '../engine/json-text.ts'
import { documentProjection, type Projection, only } from '../engine/projection.ts'

const anySession = ({ sessions }: Changes) => (sessions.size > 0 ? [only] : [])

/** As of its last event and not as of the writing, so that the same rows always give the same bytes. */
const currentRuntime = documentProjection({
  path: 'learning/runtime/current.json',
  touched: anySession,
  render: (reader) => {
    const session = findLatestChanged(reader)
    if (session === undefined) return undefined
    const asOf = findLastSessionEventTime(reader, session.learn_session_id) ?? session.updated_at
    return documentText(runtimeSnapshot(reader, session, asOf))
  },
})

const currentObservationScope = documentProjection({
  path: 'learning/runtime/observation_scope_current.json',
  touched: anySession,
  render: (reader) => {
    const session = findLatestChanged(reader)
    return session === undefined ? undefined : documentText(observationScope(reader, session))
  },
})

/** Health as it stood when an adapter was last heard of. */
const currentAdapters = (rules: AdapterRules) =>
  documentProjection({
    path: 'learning/runtime/adapters_current.json',
    touched: ({ kinds }) => (kinds.has('learn.adapters.changed') ? [only] : []),
    render: (reader) => {
      const heard = listAdapterRows(reader).flatMap((row) => row.last_seen_at ?? [])
      const asOf = heard.toSorted().at(-1) ?? '1970-01-01T00:00:00.000Z'
      return documentText({ adapters: listAdapters(reader, asOf, rules), schema_version: 1 })
    },
  })

export const runtimeMirrors = (rules: AdapterRules): readonly Projection[] => [
  currentRuntime,
  currentObservationScope,
  currentAdapters(rules),
]

function findLatestChanged(reader: Reader): StoredSession | undefined {
  const id = findLatestChangedSessionId(reader)
  return id === undefined ? undefined : findLearnSession(reader, id)
}
