import { toPublicHealth } from '../../domain/capabilities/health.ts'
import { findCurrentVersion } from '../../domain/abilities/current-recipe.ts'
import { getBridgeStatus, listBridgeEntries } from '../../store/capabilities/bridge.ts'
import {
  findAbilityIdByCapability,
  listCapabilityIds,
  listCapabilityStats,
  listHealth,
} from '../../store/capabilities/capabilities.ts'
import type { Reader } from '../../store/db/db.ts'
import { findSaga, listSagaIds } from '../../store/install/install-sagas.ts'
import type { Changes } from '../engine/changes.ts'
import { formatDocument } from '../engine/json-text.ts'
import { documentProjection, type Projection, SINGLE_KEY } from '../engine/projection.ts'

const hasCapabilityChange = ({ kinds }: Changes): boolean =>
  [...kinds].some((kind) => kind.startsWith('bridge.') || kind.startsWith('capability.'))

const touchedByCapabilities = (changes: Changes): readonly string[] =>
  hasCapabilityChange(changes) ? [SINGLE_KEY] : []

const findVersion = (reader: Reader, capabilityId: string) => {
  const abilityId = findAbilityIdByCapability(reader, capabilityId)
  return abilityId === undefined ? undefined : findCurrentVersion(reader, abilityId)
}

const manifests = documentProjection({
  path: 'capabilities/manifests/<capability_id>.json',
  keys: listCapabilityIds,
  touched: ({ capabilities }) => capabilities,
  render: (reader, id) => {
    const version = findVersion(reader, id)
    return version && formatDocument(version.manifest)
  },
})

const metadata = documentProjection({
  path: 'capabilities/metadata/<capability_id>.json',
  keys: listCapabilityIds,
  touched: ({ capabilities }) => capabilities,
  render: (reader, id) => {
    const version = findVersion(reader, id)
    return version && formatDocument(version.metadata)
  },
})

const bridge = documentProjection({
  path: 'capabilities/bridge_entries_current.json',
  touched: touchedByCapabilities,
  render: (reader) =>
    formatDocument({
      entries: listBridgeEntries(reader),
      ...getBridgeStatus(reader),
      schema_version: 1,
    }),
})

const health = documentProjection({
  path: 'capabilities/health_current.json',
  touched: touchedByCapabilities,
  render: (reader) => {
    const present = new Set(listCapabilityIds(reader))
    const capabilities = listHealth(reader).map((row) => toPublicHealth(row, present.has(row.capability_id)))
    return formatDocument({ capabilities, schema_version: 1 })
  },
})

const stats = documentProjection({
  path: 'capabilities/stats_current.json',
  touched: touchedByCapabilities,
  render: (reader) => formatDocument({ stats: listCapabilityStats(reader), schema_version: 1 }),
})

const sagas = documentProjection({
  path: 'learning/sagas/<saga_id>.json',
  keys: listSagaIds,
  touched: ({ installs }) => installs,
  render: (reader, id) => {
    const saga = findSaga(reader, id)
    if (saga === undefined) return undefined
    const { owner_user_id, ...fields } = saga
    return formatDocument({ ...fields, schema_version: 1, _ec: { owner_user_id } })
  },
})

export const capabilityProjections: readonly Projection[] = [manifests, metadata, bridge, health, stats, sagas]
