import type { FollowUpState } from '@apprentice/contracts/learn/follow-ups.ts'
import type { PageQuery } from '@apprentice/contracts/base/page.ts'
import { text } from '../db/columns.ts'
import { type Reader, sql, type Tx } from '../db/db.ts'
import { listPage } from '../db/queries.ts'
import { defineTable, type RowOf } from '../db/table.ts'
import type { OutboxEntry } from './outbox.ts'

/** What became of an entry of the outbox. An entry without a row is open. */
export const followUpResults = defineTable(
  'follow_up_results',
  {
    outbox_id: text(),
    result: text<Exclude<FollowUpState, 'open'>>(),
    source_ref: text().optional(),
    note: text().optional(),
    decided_by: text(),
    decided_at: text(),
  },
  { key: ['outbox_id'] },
)

/** An entry of the outbox with its result. */
export interface FollowUpRow extends Pick<OutboxEntry, 'outbox_id' | 'kind' | 'checkpoint_receipt_id' | 'summary'> {
  readonly state: FollowUpState
  readonly checkpoint_id: string
  readonly ability_id: string | null
  readonly dispatch_id: string | null
  readonly created_at: string
  readonly source_ref: string | null
  readonly note: string | null
  readonly decided_at: string | null
}

const SELECT = `outbox.outbox_id, kind, checkpoint_receipt_id, checkpoint_id, outbox.ability_id, outbox.dispatch_id,
  summary, outbox.created_at, coalesce(result, 'open') AS state, source_ref, note, decided_at`
/** A user sees what the user reported, and what was reported about the user's abilities. */
const FROM = `outbox JOIN checkpoint_receipts USING (checkpoint_receipt_id) LEFT JOIN follow_up_results USING (outbox_id)
  WHERE (checkpoint_receipts.owner_user_id = @user
     OR outbox.ability_id IN (SELECT ability_id FROM abilities WHERE owner_user_id = @user))`

/** Newest first. */
export function listFollowUps(
  reader: Reader,
  user: string,
  { state, ability_id, ...query }: PageQuery & { state?: FollowUpState | undefined; ability_id?: string | undefined },
): { rows: FollowUpRow[]; total: number } {
  const from = `${FROM} AND (@state IS NULL OR coalesce(result, 'open') = @state)
    AND (@ability_id IS NULL OR outbox.ability_id = @ability_id)`
  const values = { user, state: state ?? null, ability_id: ability_id ?? null }
  const found = listPage(reader, { select: SELECT, from, order: 'outbox.position DESC' }, values, query)
  return { rows: found.rows as FollowUpRow[], total: found.total }
}

export function findFollowUp(reader: Reader, user: string, outboxId: string): FollowUpRow | undefined {
  return sql(reader, `SELECT ${SELECT} FROM ${FROM} AND outbox.outbox_id = @outbox_id`).get({
    user,
    outbox_id: outboxId,
  }) as FollowUpRow | undefined
}

/** The entries about an ability that are open or whose repair has started. */
export function listUnsettledFollowUps(
  reader: Reader,
  abilityId: string,
): { outbox_id: string; checkpoint_id: string; state: FollowUpState }[] {
  return sql(
    reader,
    `SELECT outbox.outbox_id, checkpoint_id, coalesce(result, 'open') AS state
       FROM outbox JOIN checkpoint_receipts USING (checkpoint_receipt_id) LEFT JOIN follow_up_results USING (outbox_id)
      WHERE outbox.ability_id = ? AND coalesce(result, 'repair_started') = 'repair_started' ORDER BY outbox.position`,
  ).all(abilityId) as { outbox_id: string; checkpoint_id: string; state: FollowUpState }[]
}

export function upsertFollowUpResult(tx: Tx, row: RowOf<typeof followUpResults>): void {
  followUpResults.upsert(tx, row)
}
