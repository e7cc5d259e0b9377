import type { CheckpointReceipt } from '@apprentice/contracts/learn/receipts.ts'
import type { PageQuery } from '@apprentice/contracts/base/page.ts'
import { columns, flag, integer, text } from '../db/columns.ts'
import { type Reader, sql, type Tx } from '../db/db.ts'
import { listPage, listSince, type Positioned, type Span } from '../db/queries.ts'
import { defineTable } from '../db/table.ts'

export const checkpointReceipts = defineTable(
  'checkpoint_receipts',
  {
    position: integer().notInserted(),
    ...columns(text(), 'checkpoint_receipt_id', 'owner_user_id', 'checkpoint_id'),
    status: text<CheckpointReceipt['status']>(),
    evidence: text(),
    ...columns(text().optional(), 'reason', 'learn_session_id', 'dispatch_id', 'ability_id'),
    proposal_id: text().optional(),
    unknown_checkpoint: flag(),
    created_at: text(),
  },
  { key: ['position'], constants: { schema_version: 1 } },
)

const checkpointReceipt = checkpointReceipts.without('position', 'owner_user_id')

export function appendCheckpointReceipt(tx: Tx, owner: string, receipt: CheckpointReceipt): void {
  checkpointReceipts.insert(tx, { ...receipt, owner_user_id: owner })
}

/** The owner's receipts of one session or one dispatch, oldest first. */
export function listCheckpointReceipts(
  reader: Reader,
  owner: string,
  { by, id, ...query }: PageQuery & { by: 'learn_session_id' | 'dispatch_id'; id: string },
): { receipts: CheckpointReceipt[]; total: number } {
  const from = `checkpoint_receipts WHERE owner_user_id = @owner AND ${by} = @id`
  const { rows, total } = listPage(reader, { from, order: 'position' }, { owner, id }, query)
  return { receipts: rows.map(checkpointReceipt.decode), total }
}

/** The newest `limit` receipts of a session, oldest first. */
export function listLatestCheckpointReceipts(reader: Reader, sessionId: string, limit: number): CheckpointReceipt[] {
  return sql(reader, 'SELECT * FROM checkpoint_receipts WHERE learn_session_id = ? ORDER BY position DESC LIMIT ?')
    .all(sessionId, limit)
    .map(checkpointReceipt.decode)
    .toReversed()
}

export function listCheckpointReceiptsSince(reader: Reader, span: Span): Positioned<CheckpointReceipt>[] {
  return listSince(reader, checkpointReceipts.name, checkpointReceipt, span)
}

/** Whether the interpretation, one that the ability was made from, or a recipe of the ability has this checkpoint. */
export function hasCheckpoint(
  reader: Reader,
  checkpointId: string,
  { interpretation_id, ability_id }: { interpretation_id?: string | undefined; ability_id?: string | undefined },
): boolean {
  const row = sql(
    reader,
    `SELECT 1 FROM interpretations AS i, json_each(i.body, '$.checkpoints') AS c
      WHERE i.interpretation_id IN (
        SELECT @interpretation_id
        UNION ALL
        SELECT interpretation_id FROM proposals WHERE ability_id = @ability_id)
        AND json_extract(c.value, '$.checkpoint_id') = @checkpoint_id
     UNION ALL
     SELECT 1 FROM ability_versions AS v, json_each(v.recipe, '$.checkpoints') AS c
      WHERE v.ability_id = @ability_id AND json_extract(c.value, '$.checkpoint_id') = @checkpoint_id
      LIMIT 1`,
  ).get({
    interpretation_id: interpretation_id ?? null,
    ability_id: ability_id ?? null,
    checkpoint_id: checkpointId,
  })
  return row !== undefined
}
