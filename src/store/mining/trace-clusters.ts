import type { TraceCluster } from '@apprentice/contracts/learn/mining.ts'
import type { QuestionField } from '@apprentice/contracts/learn/proposal.ts'
import type { PageQuery } from '@apprentice/contracts/base/page.ts'
import { type Reader, sql, type Tx } from '../db/db.ts'
import { bindable, insertInto, present, type Row } from '../db/row.ts'

/** What is counted of one run. */
export interface TraceFacts {
  /** As its caller said it. */
  readonly goal: string
  readonly goal_words: readonly string[]
  readonly goal_key: string
  readonly app_family: string
  readonly project_id?: string
  readonly ability_id?: string
  readonly succeeded: boolean
  /** Somebody took it back. */
  readonly overridden: boolean
  readonly step_labels: readonly string[]
  /** Everything it changed was seen to have changed. */
  readonly verified: boolean
  /** It was about to do what must not be done. */
  readonly critical: boolean
  readonly verification_failed: boolean
  /** A dialog nobody expected ended it. */
  readonly in_the_way: boolean
}

export interface ClusteredTrace {
  readonly trace_id: string
  readonly execution_id: string
  readonly cluster_id: string
  readonly facts: TraceFacts
  readonly created_at: string
}

/** What a look at a cluster came to. */
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

export interface ClusterRow {
  readonly cluster_id: string
  readonly owner_user_id: string
  readonly app_family: string
  readonly normalized_goal: string
  readonly source_mode: TraceCluster['source_mode']
  readonly view: ClusterView
  readonly learn_session_id?: string | undefined
  readonly proposal_id?: string | undefined
  readonly questions: readonly QuestionField[]
  readonly require_tests: boolean
  readonly failed_at_traces?: number | undefined
  readonly build_error?: string | undefined
  readonly created_at: string
  readonly updated_at: string
}

const columns = [
  'cluster_id',
  'owner_user_id',
  'app_family',
  'normalized_goal',
  'source_mode',
  'view',
  'learn_session_id',
  'proposal_id',
  'questions',
  'require_tests',
  'failed_at_traces',
  'build_error',
  'created_at',
  'updated_at',
] as const
const blank = Object.fromEntries(columns.map((column) => [column, undefined]))

export function insertCluster(tx: Tx, cluster: ClusterRow): void {
  sql(tx, insertInto('trace_clusters', columns)).run(toRow(cluster))
}

const updateText = `UPDATE trace_clusters SET ${columns.map((c) => `${c} = @${c}`).join(', ')}
  WHERE cluster_id = @cluster_id`

export function updateCluster(tx: Tx, cluster: ClusterRow): void {
  sql(tx, updateText).run(toRow(cluster))
}

export function findCluster(reader: Reader, id: string): ClusterRow | undefined {
  const row = sql(reader, 'SELECT * FROM trace_clusters WHERE cluster_id = ?').get(id)
  return row === undefined ? undefined : toCluster(row)
}

/** The cluster a session was made of. */
export function findClusterOfSession(reader: Reader, sessionId: string): ClusterRow | undefined {
  const row = sql(reader, 'SELECT * FROM trace_clusters WHERE learn_session_id = ?').get(sessionId)
  return row === undefined ? undefined : toCluster(row)
}

export const hasClusters = (reader: Reader): boolean =>
  sql(reader, 'SELECT 1 FROM trace_clusters LIMIT 1').get() !== undefined

/** The oldest first; of one user, or of everybody. */
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
    .all(bindable({ owner, app_family }))
    .map(toCluster)
}

/** The most promising first; those built already come last. */
export function listClusterPage(
  reader: Reader,
  owner: string | undefined,
  { page, page_size }: PageQuery,
): { clusters: ClusterRow[]; total: number } {
  const where = '(@owner IS NULL OR owner_user_id = @owner)'
  const values = bindable({ owner })
  const rows = sql(
    reader,
    `SELECT * FROM trace_clusters WHERE ${where}
      ORDER BY proposal_id IS NOT NULL, json_extract(view, '$.priority') DESC, created_at, cluster_id
      LIMIT @limit OFFSET @offset`,
  ).all({ ...values, limit: page_size, offset: (page - 1) * page_size })
  const count = sql(reader, `SELECT count(*) AS total FROM trace_clusters WHERE ${where}`).get(
    values,
  )
  return { clusters: rows.map(toCluster), total: (count as { total: number }).total }
}

export function insertClusteredTrace(tx: Tx, trace: ClusteredTrace): void {
  sql(
    tx,
    `INSERT INTO clustered_traces (trace_id, execution_id, cluster_id, facts, created_at)
     VALUES (@trace_id, @execution_id, @cluster_id, @facts, @created_at)`,
  ).run({ ...trace, facts: JSON.stringify(trace.facts) })
}

/** The oldest first. */
export function listClusteredTraces(reader: Reader, clusterId: string): ClusteredTrace[] {
  return sql(
    reader,
    'SELECT * FROM clustered_traces WHERE cluster_id = ? ORDER BY created_at, trace_id',
  )
    .all(clusterId)
    .map((row) => {
      const fields = row as Row
      return { ...fields, facts: JSON.parse(String(fields['facts'])) } as unknown as ClusteredTrace
    })
}

/**
 * Past executions nobody has counted yet, the oldest first: those something was kept of, and those somebody took
 * back. Rehearsals are no work anybody did.
 */
export function listUncounted(
  reader: Reader,
  { owner, limit }: { owner?: string | undefined; limit: number },
): string[] {
  return sql(
    reader,
    `SELECT execution_id FROM executions AS past
      WHERE settled_at IS NOT NULL AND state IN ('succeeded', 'failed', 'cancelled')
        AND (@owner IS NULL OR owner_user_id = @owner)
        AND (EXISTS (SELECT 1 FROM execution_steps AS kept WHERE kept.execution_id = past.execution_id)
             OR (state = 'cancelled' AND goal IS NOT NULL))
        AND NOT EXISTS (SELECT 1 FROM clustered_traces AS known WHERE known.execution_id = past.execution_id)
        AND NOT EXISTS (SELECT 1 FROM execution_policies AS bound WHERE bound.execution_id = past.execution_id)
      ORDER BY settled_at, execution_id LIMIT @limit`,
  )
    .all(bindable({ owner, limit }))
    .map((row) => String((row as Row)['execution_id']))
}

function toRow(cluster: ClusterRow): Row {
  return bindable({
    ...blank,
    ...cluster,
    view: JSON.stringify(cluster.view),
    questions: JSON.stringify(cluster.questions),
  })
}

function toCluster(row: unknown): ClusterRow {
  const fields = present(row as Row)
  return {
    ...fields,
    view: JSON.parse(String(fields['view'])),
    questions: JSON.parse(String(fields['questions'])),
    require_tests: fields['require_tests'] === 1,
  } as unknown as ClusterRow
}
