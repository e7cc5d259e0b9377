import type { TraceCluster } from '@apprentice/contracts/learn/mining.ts'
import type { QuestionField } from '@apprentice/contracts/learn/proposal.ts'
import type { PageQuery } from '@apprentice/contracts/base/page.ts'
import { columns, flag, integer, json, text } from '../db/columns.ts'
import { type Reader, sql, type Tx } from '../db/db.ts'
import { listPage } from '../db/queries.ts'
import { defineTable, type RowOf } from '../db/table.ts'

/** The facts of one execution, or of connector calls made one after the other, that clustering uses. */
export interface TraceFacts {
  /** The goal in the words of the caller. */
  readonly goal: string
  readonly goal_words: readonly string[]
  readonly goal_key: string
  readonly app_family: string
  readonly project_id?: string
  readonly ability_id?: string
  /** Absent: it worked on the screen of a device. */
  readonly surface?: 'mcp_connector'
  readonly succeeded: boolean
  /** The execution was cancelled. */
  readonly overridden: boolean
  readonly step_labels: readonly string[]
  /** Every change was confirmed on the screen. */
  readonly verified: boolean
  /** It attempted a forbidden action. */
  readonly critical: boolean
  readonly verification_failed: boolean
  /** An unexpected dialog ended it. */
  readonly in_the_way: boolean
}

/** The result of the last evaluation of a cluster. */
export type ClusterView = Pick<
  TraceCluster,
  | 'successful_trace_ids'
  | 'failed_trace_ids'
  | 'dominant_control_surfaces'
  | 'variation_score'
  | 'verification_coverage_score'
  | 'project_specificity'
  | 'gates'
  | 'positive_indicators'
  | 'negative_indicators'
  | 'ambiguities'
  | 'priority'
  | 'suggested_name'
  | 'project_id'
  | 'covered_by_ability_id'
>

/** Executions of one user that pursue one goal in one app. */
export const traceClusters = defineTable(
  'trace_clusters',
  {
    ...columns(text(), 'cluster_id', 'owner_user_id', 'app_family', 'normalized_goal'),
    source_mode: text<TraceCluster['source_mode']>(),
    view: json<ClusterView>(),
    learn_session_id: text().optional(),
    proposal_id: text().optional(),
    /** The questions to ask before anything is drafted. */
    questions: json<readonly QuestionField[]>(),
    require_tests: flag(),
    /** The number of traces when building failed. It is retried only when there are more. */
    failed_at_traces: integer().optional(),
    build_error: text().optional(),
    created_at: text(),
    updated_at: text(),
  },
  { key: ['cluster_id'] },
)

/** The counted executions. A row stays when the steps of its execution are deleted. */
export const clusteredTraces = defineTable(
  'clustered_traces',
  {
    // Of connector calls, both ids are that of the first call.
    ...columns(text(), 'trace_id', 'execution_id', 'cluster_id'),
    facts: json<TraceFacts>(),
    created_at: text(),
  },
  { key: ['trace_id'] },
)

export type ClusterRow = RowOf<typeof traceClusters>
export type ClusteredTrace = RowOf<typeof clusteredTraces>

export function insertCluster(tx: Tx, cluster: ClusterRow): void {
  traceClusters.insert(tx, cluster)
}

export function updateCluster(tx: Tx, cluster: ClusterRow): void {
  traceClusters.update(tx, cluster)
}

export function findCluster(reader: Reader, id: string): ClusterRow | undefined {
  return traceClusters.find(reader, id)
}

/** The cluster that a session was created from. */
export function findClusterBySession(reader: Reader, sessionId: string): ClusterRow | undefined {
  return traceClusters.decodeOptional(
    sql(reader, 'SELECT * FROM trace_clusters WHERE learn_session_id = ?').get(sessionId),
  )
}

export const hasClusters = (reader: Reader): boolean =>
  sql(reader, 'SELECT 1 FROM trace_clusters LIMIT 1').get() !== undefined

/** The clusters of one user or, without `owner`, of all users. Oldest first. */
export function listClusters(
  reader: Reader,
  { owner, app_family }: { owner?: string | undefined; app_family?: string } = {},
): ClusterRow[] {
  return sql(
    reader,
    `SELECT * FROM trace_clusters
      WHERE (@owner IS NULL OR owner_user_id = @owner) AND (@app_family IS NULL OR app_family = @app_family)
      ORDER BY created_at, cluster_id`,
  )
    .all({ owner: owner ?? null, app_family: app_family ?? null })
    .map(traceClusters.decode)
}

/** The highest priority first. Clusters that have a proposal come last. */
export function listClusterPage(
  reader: Reader,
  owner: string | undefined,
  query: PageQuery,
): { clusters: ClusterRow[]; total: number } {
  const from = 'trace_clusters WHERE (@owner IS NULL OR owner_user_id = @owner)'
  const order = `proposal_id IS NOT NULL, json_extract(view, '$.priority') DESC, created_at, cluster_id`
  const { rows, total } = listPage(reader, { from, order }, { owner: owner ?? null }, query)
  return { clusters: rows.map(traceClusters.decode), total }
}

export function insertClusteredTrace(tx: Tx, trace: ClusteredTrace): void {
  clusteredTraces.insert(tx, trace)
}

/** Oldest first. */
export function listClusteredTraces(reader: Reader, clusterId: string): ClusteredTrace[] {
  return sql(reader, 'SELECT * FROM clustered_traces WHERE cluster_id = ? ORDER BY created_at, trace_id')
    .all(clusterId)
    .map(clusteredTraces.decode)
}

/**
 * Settled executions that are not counted yet, oldest first: those with stored steps, and cancelled ones with a goal.
 * Executions of the daemon itself are excluded: those with a policy are tests, calls of a skill run belong to a skill, and
 * those of `own_sources` are named after their source.
 */
export function listUncountedExecutions(
  reader: Reader,
  { owner, limit, own_sources }: { owner?: string | undefined; limit: number; own_sources: readonly string[] },
): string[] {
  return sql(
    reader,
    `SELECT execution_id FROM executions AS past
      WHERE settled_at IS NOT NULL AND state IN ('succeeded', 'failed', 'cancelled')
        AND (@owner IS NULL OR owner_user_id = @owner)
        AND (EXISTS (SELECT 1 FROM execution_steps AS stored WHERE stored.execution_id = past.execution_id)
             OR (state = 'cancelled' AND goal IS NOT NULL))
        AND NOT EXISTS (SELECT 1 FROM clustered_traces AS known WHERE known.execution_id = past.execution_id)
        AND NOT EXISTS (SELECT 1 FROM execution_policies AS bound WHERE bound.execution_id = past.execution_id)
        AND NOT EXISTS (SELECT 1 FROM skill_run_calls AS called WHERE called.execution_id = past.execution_id)
        AND NOT (source IN (SELECT value FROM json_each(@own_sources)) AND command_id LIKE source || '-%')
      ORDER BY settled_at, execution_id LIMIT @limit`,
    'values',
  ).all({ owner: owner ?? null, limit, own_sources: JSON.stringify(own_sources) }) as string[]
}
