import type { CleanupReason, CleanupState, RehearsalCleanup } from '@apprentice/contracts/learn/cleanups.ts'
import type { PageQuery } from '@apprentice/contracts/base/page.ts'
import { columns, text } from '../db/columns.ts'
import { type Reader, sql, type Tx } from '../db/db.ts'
import { listOwnedPage } from '../db/queries.ts'
import { defineTable, type RowOf } from '../db/table.ts'

/** What must be undone on a device after a rehearsal. */
export const rehearsalCleanups = defineTable(
  'rehearsal_cleanups',
  {
    ...columns(text(), 'cleanup_id', 'validation_run_id', 'proposal_id', 'owner_user_id', 'created_at'),
    learn_session_id: text().optional(),
    serial: text().optional(),
    state: text<CleanupState>(),
    reason: text<CleanupReason>().optional(),
    settled_by: text<'device' | 'person'>().optional(),
    note: text().optional(),
    settled_at: text().optional(),
  },
  { key: ['cleanup_id'], constants: { schema_version: 1 } },
)

export type StoredCleanup = RowOf<typeof rehearsalCleanups>

const publicCleanup = rehearsalCleanups.without('owner_user_id')

export function insertCleanup(tx: Tx, cleanup: StoredCleanup): void {
  rehearsalCleanups.insert(tx, cleanup)
}

export function updateCleanup(tx: Tx, cleanup: StoredCleanup): void {
  rehearsalCleanups.update(tx, cleanup)
}

export function findCleanup(reader: Reader, cleanupId: string): StoredCleanup | undefined {
  return rehearsalCleanups.find(reader, cleanupId)
}

export function findRunCleanup(reader: Reader, runId: string): StoredCleanup | undefined {
  return rehearsalCleanups.decodeOptional(
    sql(reader, 'SELECT * FROM rehearsal_cleanups WHERE validation_run_id = ?').get(runId),
  )
}

/** Newest first. */
export function listCleanups(
  reader: Reader,
  owner: string,
  { state, ...query }: PageQuery & { state?: CleanupState | undefined },
): { cleanups: RehearsalCleanup[]; total: number } {
  const order = 'created_at DESC, rowid DESC'
  const { rows, total } = listOwnedPage(
    reader,
    { table: rehearsalCleanups.name, order, owner, filter: { state } },
    query,
  )
  return { cleanups: rows.map(publicCleanup.decode), total }
}

/** The fields that clients see. */
export function toPublicCleanup({ owner_user_id: _, ...fields }: StoredCleanup): RehearsalCleanup {
  return fields
}
