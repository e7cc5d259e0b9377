import { findAbility } from '../../store/abilities/abilities.ts'
import { findRunOfExecution } from '../../store/runs/ability-runs.ts'
import type { Reader } from '../../store/db/db.ts'
import { findExecutionSteps } from '../../store/devices/execution-steps.ts'
import { findExecution } from '../../store/devices/executions.ts'
import {
  type ClusterRow,
  type ClusterView,
  insertCluster,
  insertClusteredTrace,
  listClusters,
  listUncounted,
  type TraceFacts,
} from '../../store/mining/trace-clusters.ts'
import type { CommandContext } from '../command/context.ts'
import { recordEvent } from '../command/ledger.ts'
import { likeness } from './goal-key.ts'
import { traceFacts } from './trace-facts.ts'

/** From here on two goals are taken for one. */
const alike = 0.6

/** Puts at most `limit` past runs each into the cluster it belongs to, and says how many there were. */
export function countRuns(
  ctx: CommandContext,
  { owner, limit }: { owner?: string | undefined; limit: number },
): number {
  const uncounted = listUncounted(ctx.tx, { owner, limit })
  for (const id of uncounted) countRun(ctx, id)
  return uncounted.length
}

function countRun(ctx: CommandContext, execution_id: string): void {
  const execution = findExecution(ctx.tx, execution_id)
  if (execution === undefined) throw new Error(`No row for execution ${execution_id}.`)
  const { owner_user_id, settled_at = ctx.now } = execution
  const facts = readFacts(ctx.tx, execution_id)
  const known = listClusters(ctx.tx, { owner: owner_user_id, app_family: facts.app_family })
  const { cluster_id } = nearest(facts.goal_words, known) ?? newCluster(ctx, owner_user_id, facts)
  const trace_id = execution_id
  insertClusteredTrace(ctx.tx, {
    trace_id,
    execution_id,
    cluster_id,
    facts,
    created_at: settled_at,
  })
}

function readFacts(reader: Reader, executionId: string): TraceFacts {
  const execution = findExecution(reader, executionId)
  if (execution === undefined) throw new Error(`No row for execution ${executionId}.`)
  const run = findRunOfExecution(reader, executionId)
  return traceFacts({
    execution,
    steps: findExecutionSteps(reader, executionId)?.steps ?? [],
    run,
    ability_title: run === undefined ? undefined : findAbility(reader, run.ability_id)?.title,
  })
}

/** The cluster whose goal is most like this one; of equals the oldest. */
export function nearest<Cluster extends Pick<ClusterRow, 'normalized_goal'>>(
  words: readonly string[],
  clusters: readonly Cluster[],
): Cluster | undefined {
  let best: { readonly cluster: Cluster; readonly score: number } | undefined
  for (const cluster of clusters) {
    const score = likeness(words, wordsOf(cluster))
    if (score >= alike && (best === undefined || score > best.score)) best = { cluster, score }
  }
  return best?.cluster
}

const wordsOf = ({ normalized_goal }: Pick<ClusterRow, 'normalized_goal'>): string[] =>
  normalized_goal.split(' ').filter((word) => word !== '')

function newCluster(ctx: CommandContext, owner_user_id: string, facts: TraceFacts): ClusterRow {
  const cluster: ClusterRow = {
    cluster_id: ctx.newId(),
    owner_user_id,
    app_family: facts.app_family,
    normalized_goal: facts.goal_key,
    source_mode: 'elnor_observed',
    view: notLookedAt,
    questions: [],
    require_tests: true,
    created_at: ctx.now,
    updated_at: ctx.now,
  }
  insertCluster(ctx.tx, cluster)
  recordEvent(ctx, `mining/${cluster.cluster_id}`, 'learn.mining.cluster_changed', {
    cluster_id: cluster.cluster_id,
    found: true,
  })
  return cluster
}

const notLookedAt: ClusterView = {
  successful_trace_ids: [],
  failed_trace_ids: [],
  dominant_control_surfaces: [],
  variation_score: 0,
  verification_coverage_score: 0,
  project_specificity: 'unclear',
  gates: [],
  positive_indicators: [],
  negative_indicators: [],
  ambiguities: [],
  priority: 0,
}
