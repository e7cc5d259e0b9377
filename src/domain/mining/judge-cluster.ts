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
import { failingCodes, figuresOf, gatesOf } from './gates.ts'
import { ambiguitiesOf, namesOf, negativesOf, positivesOf, priorityOf } from './expected-value.ts'

/** From here on an agent would be sent to the other ability. */
const routed = 0.3

/** Looks at a cluster as it is now. Abilities are looked for, so it is done outside of a change. */
export function judgeCluster(
  reader: Reader,
  cluster: ClusterRow,
  { settings, findSimilar }: { settings: SkillMiningSettings; findSimilar: FindSimilar },
): ClusterView {
  const traces = listClusteredTraces(reader, cluster.cluster_id)
  const runs = traces.map(({ facts }) => facts)
  const figures = figuresOf(runs)
  const names = namesOf(runs)
  const positive = positivesOf(runs, figures)
  const negative = negativesOf(runs, names)
  const { suggested_name } = names
  const overlaps =
    suggested_name !== undefined &&
    findSimilar(reader, suggested_name, cluster.owner_user_id).some(({ score }) => score >= routed)
  const covered = coveringAbility(reader, traces)
  const { project_specificity, variation_score, verification_coverage_score } = figures
  const project = runs.find(({ project_id }) => project_id !== undefined)?.project_id
  const { max_variation_score } = settings
  return {
    successful_trace_ids: idsOf(traces, true),
    failed_trace_ids: idsOf(traces, false),
    dominant_control_surfaces: ['raw_ui'],
    variation_score,
    verification_coverage_score,
    project_specificity,
    gates: gatesOf(runs, figures, settings),
    positive_indicators: positive,
    negative_indicators: negative,
    ambiguities: ambiguitiesOf(figures, { names, overlaps, max_variation_score }),
    priority: priorityOf(figures, { positive: positive.length, negative: negative.length }),
    ...(suggested_name === undefined ? {} : { suggested_name: suggested_name.slice(0, 160) }),
    ...(project_specificity === 'project_scoped' ? { project_id: project } : {}),
    ...(covered === undefined ? {} : { covered_by_ability_id: covered }),
  }
}

const idsOf = (traces: readonly ClusteredTrace[], succeeded: boolean): string[] =>
  traces.filter(({ facts }) => facts.succeeded === succeeded).map(({ trace_id }) => trace_id)

/** Who runs an ability needs no second one for the same. */
function coveringAbility(reader: Reader, traces: readonly ClusteredTrace[]): string | undefined {
  return traces
    .flatMap(({ facts }) => (facts.ability_id === undefined ? [] : [facts.ability_id]))
    .find((id) => findAbility(reader, id) !== undefined)
}

/** Keeps what a look came to. False when it came to nothing new. */
export function keepView(ctx: CommandContext, clusterId: string, view: ClusterView): boolean {
  const cluster = findCluster(ctx.tx, clusterId)
  if (cluster === undefined || isDeepStrictEqual(cluster.view, view)) return false
  updateCluster(ctx.tx, { ...cluster, view, updated_at: ctx.now })
  recordEvent(ctx, `mining/${clusterId}`, 'learn.mining.cluster_changed', {
    cluster_id: clusterId,
    successes: view.successful_trace_ids.length,
    reasons: failingCodes(view.gates),
    priority: view.priority,
  })
  return true
}

/** Would something be made of this now? Each cluster is built once; a failure waits for more runs. */
export function isToBeBuilt(cluster: ClusterRow): boolean {
  const { view, proposal_id, failed_at_traces = -1 } = cluster
  return (
    proposal_id === undefined &&
    view.covered_by_ability_id === undefined &&
    view.gates.length > 0 &&
    failingCodes(view.gates).length === 0 &&
    view.successful_trace_ids.length > failed_at_traces
  )
}

/** As a client may know it. */
export function publicCluster(cluster: ClusterRow): TraceCluster {
  const { view, questions: _q, require_tests: _t, failed_at_traces: _f, ...facts } = cluster
  return { ...facts, ...view, schema_version: 1 }
}
