import { publicCluster } from '../../domain/mining/judge-cluster.ts'
import { findMiningSettings } from '../../store/mining/mining-settings.ts'
import { listClusters } from '../../store/mining/trace-clusters.ts'
import { documentText } from '../engine/json-text.ts'
import { documentProjection, type Projection, only } from '../engine/projection.ts'

const settings = documentProjection({
  path: 'learning/mining_settings_current.json',
  touched: ({ kinds }) => (kinds.has('learn.mining.settings_changed') ? [only] : []),
  render: (reader) => {
    const set = findMiningSettings(reader)
    return set === undefined ? undefined : documentText(set)
  },
})

const clusters = documentProjection({
  path: 'learning/trace_clusters_current.json',
  everyMs: 2000,
  touched: ({ kinds }) => (kinds.has('learn.mining.cluster_changed') ? [only] : []),
  render: (reader) => {
    const all = listClusters(reader)
    return all.length === 0
      ? undefined
      : documentText({ clusters: all.map(publicCluster), schema_version: 1 })
  },
})

export const miningMirrors: readonly Projection[] = [settings, clusters]
