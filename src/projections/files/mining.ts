import { toTraceCluster } from '../../domain/mining/cluster-view.ts'
import { findMiningSettings } from '../../store/mining/mining-settings.ts'
import { listClusters } from '../../store/mining/trace-clusters.ts'
import { formatDocument } from '../engine/json-text.ts'
import { documentProjection, type Projection, SINGLE_KEY } from '../engine/projection.ts'

const settings = documentProjection({
  path: 'learning/mining_settings_current.json',
  touched: ({ kinds }) => (kinds.has('learn.mining.settings_changed') ? [SINGLE_KEY] : []),
  render: (reader) => {
    const set = findMiningSettings(reader)
    return set === undefined ? undefined : formatDocument(set)
  },
})

const clusters = documentProjection({
  path: 'learning/trace_clusters_current.json',
  minIntervalMs: 2000,
  touched: ({ kinds }) => (kinds.has('learn.mining.cluster_changed') ? [SINGLE_KEY] : []),
  render: (reader) => {
    const all = listClusters(reader)
    return all.length === 0 ? undefined : formatDocument({ clusters: all.map(toTraceCluster), schema_version: 1 })
  },
})

export const miningProjections: readonly Projection[] = [settings, clusters]
