import { findAbility } from '../../store/abilities/abilities.ts'
import { findRunByExecution } from '../../store/runs/ability-runs.ts'
import type { Reader } from '../../store/db/db.ts'
import { findExecutionSteps } from '../../store/devices/execution-steps.ts'
import { findExecution } from '../../store/devices/executions.ts'
import {
  type ClusterRow,
  type ClusterView,
  insertCluster,
  insertClusteredTrace,
  listClusters,
  listUncountedExecutions,
  type TraceFacts,
} from '../../store/mining/trace-clusters.ts'
import type { CommandContext } from '../command/context.ts'
import { recordEvent } from '../command/ledger.ts'
import { measureSimilarity } from './goal-key.ts'
import { OWN_SOURCES } from './own-sources.ts'
import { collectTraceFacts } from './trace-facts.ts'

/** Goals at least this similar belong to one cluster. */
const MIN_GOAL_SIMILARITY = 0.6

/** Assigns at most `limit` unassigned executions to clusters. Returns how many were assigned. */
export function clusterTraces(
  ctx: CommandContext,
  { owner, limit }: { owner?: string | undefined; limit: number },
): number {
  const uncounted = listUncountedExecutions(ctx.tx, { owner, limit, own_sources: OWN_SOURCES })
  for (const id of uncounted) clusterTrace(ctx, id)
  return uncounted.length
}

function clusterTrace(ctx: CommandContext, execution_id: string): void {
  const execution = findExecution(ctx.tx, execution_id)
  if (execution === undefined) throw new Error(`No row for execution ${execution_id}.`)
  const { owner_user_id, settled_at = ctx.now } = execution
  const facts = readTraceFacts(ctx.tx, execution_id)
  countTrace(ctx, { trace_id: execution_id, owner_user_id, facts, created_at: settled_at })
}

/** Adds a trace to the cluster of its goal, or to a new one. */
export function countTrace(ctx: CommandContext, { trace_id, owner_user_id, facts, created_at }: UncountedTrace): void {
  const known = listClusters(ctx.tx, { owner: owner_user_id, app_family: facts.app_family })
  const { cluster_id } = findNearestCluster(facts.goal_words, known) ?? createCluster(ctx, owner_user_id, facts)
  insertClusteredTrace(ctx.tx, { trace_id, execution_id: trace_id, cluster_id, facts, created_at })
}

interface UncountedTrace {
  readonly trace_id: string
  readonly owner_user_id: string
  readonly facts: TraceFacts
  readonly created_at: string
}

function readTraceFacts(reader: Reader, executionId: string): TraceFacts {
  const execution = findExecution(reader, executionId)
  if (execution === undefined) throw new Error(`No row for execution ${executionId}.`)
  const run = findRunByExecution(reader, executionId)
  return collectTraceFacts({
    execution,
    steps: findExecutionSteps(reader, executionId)?.steps ?? [],
    run,
    ability_title: run === undefined ? undefined : findAbility(reader, run.ability_id)?.title,
  })
}

/** Finds the cluster with the most similar goal; of equals the oldest. */
export function findNearestCluster<Cluster extends Pick<ClusterRow, 'normalized_goal'>>(
  words: readonly string[],
  clusters: readonly Cluster[],
): Cluster | undefined {
  let best: { readonly cluster: Cluster; readonly score: number } | undefined
  for (const cluster of clusters) {
    const score = measureSimilarity(words, splitGoal(cluster))
    if (score >= MIN_GOAL_SIMILARITY && (best === undefined || score > best.score)) best = { cluster, score }
  }
  return best?.cluster
}

const splitGoal = ({ normalized_goal }: Pick<ClusterRow, 'normalized_goal'>): string[] =>
  normalized_goal.split(' ').filter((word) => word !== '')

function createCluster(ctx: CommandContext, owner_user_id: string, facts: TraceFacts): ClusterRow {
  const cluster: ClusterRow = {
    cluster_id: ctx.newId(),
    owner_user_id,
    app_family: facts.app_family,
    normalized_goal: facts.goal_key,
    source_mode: 'elnor_observed',
    view: EMPTY_VIEW,
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

const EMPTY_VIEW: ClusterView = {
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
