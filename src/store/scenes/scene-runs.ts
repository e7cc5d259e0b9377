import type { PageQuery } from '@apprentice/contracts/base/page.ts'
import type { ReportFormat } from '@apprentice/contracts/scenes/artifact.ts'
import type { ScenePlan } from '@apprentice/contracts/scenes/plan.ts'
import type { SceneRunOutcome, SceneRunPhase, SceneRunState } from '@apprentice/contracts/scenes/run.ts'
import { integer, json, text } from '../db/columns.ts'
import { type Reader, sql, type Tx } from '../db/db.ts'
import { listOwnedPage, listStrings } from '../db/queries.ts'
import { defineTable, type RowOf } from '../db/table.ts'

export const sceneRuns = defineTable(
  'scene_runs',
  {
    run_id: text(),
    owner_user_id: text().immutable(),
    scene_id: text().immutable(),
    state: text<SceneRunState>(),
    phase: text<SceneRunPhase>().optional(),
    instruction: text().optional().immutable(),
    plan: json<ScenePlan>().immutable(),
    profile: text().optional().immutable(),
    timeout_ms: integer().immutable(),
    outcome: json<SceneRunOutcome>().optional(),
    created_at: text().immutable(),
    started_at: text().optional(),
    settled_at: text().optional(),
  },
  { key: ['run_id'] },
)

export const sceneRunFiles = defineTable(
  'scene_run_files',
  {
    run_id: text(),
    format: text<ReportFormat>(),
    file_name: text(),
    sha256: text(),
    bytes: integer(),
    expires_at: text(),
  },
  { key: ['run_id', 'format'] },
)

export type SceneRunRow = RowOf<typeof sceneRuns>
export type SceneRunFileRow = RowOf<typeof sceneRunFiles>

export function insertSceneRun(tx: Tx, row: SceneRunRow): void {
  sceneRuns.insert(tx, row)
}

export function updateSceneRun(tx: Tx, row: SceneRunRow): void {
  sceneRuns.update(tx, row)
}

export function findSceneRun(reader: Reader, runId: string): SceneRunRow | undefined {
  return sceneRuns.find(reader, runId)
}

interface RunFilter {
  readonly owner: string
  readonly scene_id?: string | undefined
  readonly state?: SceneRunState | undefined
}

export function listSceneRuns(
  reader: Reader,
  { owner, scene_id, state }: RunFilter,
  query: PageQuery,
): { runs: SceneRunRow[]; total: number } {
  const order = 'created_at DESC, run_id DESC'
  const { rows, total } = listOwnedPage(
    reader,
    { table: sceneRuns.name, order, owner, filter: { scene_id, state } },
    query,
  )
  return { runs: rows.map(sceneRuns.decode), total }
}

export function insertSceneRunFile(tx: Tx, row: SceneRunFileRow): void {
  sceneRunFiles.insert(tx, row)
}

export function listSceneRunFiles(reader: Reader, runId: string): SceneRunFileRow[] {
  return sql(reader, 'SELECT * FROM scene_run_files WHERE run_id = ? ORDER BY format DESC')
    .all(runId)
    .map(sceneRunFiles.decode)
}

/** The runs whose files have expired, oldest first. */
export function listExpiredFileRuns(reader: Reader, now: string, limit: number): string[] {
  return listStrings(
    reader,
    'SELECT DISTINCT run_id FROM scene_run_files WHERE expires_at <= ? ORDER BY expires_at LIMIT ?',
    now,
    limit,
  )
}

export function deleteSceneRunFiles(tx: Tx, runId: string): void {
  sql(tx, 'DELETE FROM scene_run_files WHERE run_id = ?').run(runId)
}

export function isReportReferenced(reader: Reader, sha256: string): boolean {
  return sql(reader, 'SELECT 1 FROM scene_run_files WHERE sha256 = ? LIMIT 1').get(sha256) !== undefined
}
