import { publicHealth } from '../../domain/capabilities/health.ts'
import { currentVersion } from '../../domain/abilities/current-recipe.ts'
import { getBridgeMarks, listBridgeEntries } from '../../store/capabilities/bridge.ts'
import {
  findAbilityBehind,
  listCapabilityIds,
  listCapabilityStats,
  listHealth,
} from '../../store/capabilities/capabilities.ts'
import type { Reader } from '../../store/db/db.ts'
import { findSaga, listSagaIds } from '../../store/install/install-sagas.ts'
import type { Changes } from '../engine/changes.ts'
import { documentText } from '../engine/json-text.ts'
import { documentProjection, type Projection, only } from '../engine/projection.ts'

/** Whatever is told of the bridge or of capabilities. */
const concerns = ({ kinds }: Changes): boolean =>
  [...kinds].some((kind) => kind.startsWith('bridge.') || kind.startsWith('capability.'))

const ifConcerned = (changes: Changes): readonly string[] => (concerns(changes) ? [only] : [])

const versionOf = (reader: Reader, capabilityId: string) => {
  const abilityId = findAbilityBehind(reader, capabilityId)
  return abilityId === undefined ? undefined : currentVersion(reader, abilityId)
}

const manifests = documentProjection({
  path: 'capabilities/manifests/<capability_id>.json',
  keys: listCapabilityIds,
  touched: ({ capabilities }) => capabilities,
  render: (reader, id) => {
    const version = versionOf(reader, id)
    return version && documentText(version.manifest)
  },
})

const metadata = documentProjection({
  path: 'capabilities/metadata/<capability_id>.json',
  keys: listCapabilityIds,
  touched: ({ capabilities }) => capabilities,
  render: (reader, id) => {
    const version = versionOf(reader, id)
    return version && documentText(version.metadata)
  },
})

const bridge = documentProjection({
  path: 'capabilities/bridge_entries_current.json',
  touched: ifConcerned,
  render: (reader) =>
    documentText({
      entries: listBridgeEntries(reader),
      ...getBridgeMarks(reader),
      schema_version: 1,
    }),
})

const health = documentProjection({
  path: 'capabilities/health_current.json',
  touched: ifConcerned,
  render: (reader) => {
    const present = new Set(listCapabilityIds(reader))
    const capabilities = listHealth(reader).map((row) =>
      publicHealth(row, present.has(row.capability_id)),
    )
    return documentText({ capabilities, schema_version: 1 })
  },
})

const stats = documentProjection({
  path: 'capabilities/stats_current.json',
  touched: ifConcerned,
  render: (reader) => documentText({ stats: listCapabilityStats(reader), schema_version: 1 }),
})

const sagas = documentProjection({
  path: 'learning/sagas/<saga_id>.json',
  keys: listSagaIds,
  touched: ({ installs }) => installs,
  render: (reader, id) => {
    const saga = findSaga(reader, id)
    if (saga === undefined) return undefined
    const { owner_user_id, ...shown } = saga
    return documentText({ ...shown, schema_version: 1, _ec: { owner_user_id } })
  },
})

export const capabilityMirrors: readonly Projection[] = [
  manifests,
  metadata,
  bridge,
  health,
  stats,
  sagas,
]
