import { isDeepStrictEqual } from 'node:util'
import type { SkillMiningSettings, TraceCluster } from '@apprentice/contracts/learn/mining.ts'
import { findAbility } from '../../store/abilities/abilities.ts'
import type { Reader } from '../../store/db/db.ts'
import {
  type ClusteredTrace,
  type ClusterRow,
  type ClusterView,
  findCluster,
  listClusteredTraces,
  updateCluster,
} from '../../store/mining/trace-clusters.ts'
import type { CommandContext } from '../command/context.ts'
import type { FindSimilar } from '../proposals/collisions.ts'
import { recordEvent } from '../command/ledger.ts'
import { listFailedGates, measureTraces, checkGates } from './gates.ts'
import {
  findAmbiguities,
  suggestName,
  findNegativeIndicators,
  findPositiveIndicators,
  computePriority,
} from './cluster-indicators.ts'

/** From this score on, a lookup would lead an agent to the other ability. */
const MIN_OVERLAP_SCORE = 0.3

/** Computes the current view of a cluster. It searches abilities, so it facts outside of write transactions. */
export function assessCluster(
  reader: Reader,
  cluster: ClusterRow,
  { settings, findSimilar }: { settings: SkillMiningSettings; findSimilar: FindSimilar },
): ClusterView {
  const traces = listClusteredTraces(reader, cluster.cluster_id)
  const facts = traces.map((trace) => trace.facts)
  const figures = measureTraces(facts)
  const names = suggestName(facts)
  const positive = findPositiveIndicators(facts, figures)
  const negative = findNegativeIndicators(facts, names)
  const { suggested_name } = names
  const overlaps =
    suggested_name !== undefined &&
    findSimilar(reader, suggested_name, cluster.owner_user_id).some(({ score }) => score >= MIN_OVERLAP_SCORE)
  const covered = findCoveringAbility(reader, traces)
  const { project_specificity, variation_score, verification_coverage_score } = figures
  const project = facts.find(({ project_id }) => project_id !== undefined)?.project_id
  const { max_variation_score } = settings
  return {
    successful_trace_ids: listTraceIds(traces, true),
    failed_trace_ids: listTraceIds(traces, false),
    dominant_control_surfaces: [facts.at(-1)?.surface ?? 'raw_ui'],
    variation_score,
    verification_coverage_score,
    project_specificity,
    gates: checkGates(facts, figures, settings),
    positive_indicators: positive,
    negative_indicators: negative,
    ambiguities: findAmbiguities(figures, { names, overlaps, max_variation_score }),
    priority: computePriority(figures, { positive: positive.length, negative: negative.length }),
    ...(suggested_name === undefined ? {} : { suggested_name: suggested_name.slice(0, 160) }),
    ...(project_specificity === 'project_scoped' ? { project_id: project } : {}),
    ...(covered === undefined ? {} : { covered_by_ability_id: covered }),
  }
}

const listTraceIds = (traces: readonly ClusteredTrace[], succeeded: boolean): string[] =>
  traces.filter(({ facts }) => facts.succeeded === succeeded).map(({ trace_id }) => trace_id)

/** An ability that some of the traces ran already covers the workflow. */
function findCoveringAbility(reader: Reader, traces: readonly ClusteredTrace[]): string | undefined {
  return traces
    .flatMap(({ facts }) => (facts.ability_id === undefined ? [] : [facts.ability_id]))
    .find((id) => findAbility(reader, id) !== undefined)
}

/** Returns false when the view has not changed. */
export function saveClusterView(ctx: CommandContext, clusterId: string, view: ClusterView): boolean {
  const cluster = findCluster(ctx.tx, clusterId)
  if (cluster === undefined || isDeepStrictEqual(cluster.view, view)) return false
  updateCluster(ctx.tx, { ...cluster, view, updated_at: ctx.now })
  recordEvent(ctx, `mining/${clusterId}`, 'learn.mining.cluster_changed', {
    cluster_id: clusterId,
    successes: view.successful_trace_ids.length,
    reasons: listFailedGates(view.gates),
    priority: view.priority,
  })
  return true
}

/** Each cluster is built once. After a failure it is built again when it has more successful traces. */
export function isReadyToBuild(cluster: ClusterRow): boolean {
  const { view, proposal_id, failed_at_traces = -1 } = cluster
  return (
    proposal_id === undefined &&
    view.covered_by_ability_id === undefined &&
    view.gates.length > 0 &&
    listFailedGates(view.gates).length === 0 &&
    view.successful_trace_ids.length > failed_at_traces
  )
}

/** Whether the work of a cluster was done by calls of connectors. */
export const isConnectorCluster = ({ view }: ClusterRow): boolean =>
  view.dominant_control_surfaces.includes('mcp_connector')

export function toTraceCluster(cluster: ClusterRow): TraceCluster {
  const { view, questions: _q, require_tests: _t, failed_at_traces: _f, ...facts } = cluster
  return { ...facts, ...view, schema_version: 1 }
}
