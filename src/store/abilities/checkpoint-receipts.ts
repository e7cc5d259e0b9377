import type { CheckpointReceipt } from '@apprentice/contracts/learn/receipts.ts'
import type { PageQuery } from '@apprentice/contracts/base/page.ts'
import { type Reader, sql, type Tx } from '../db/db.ts'
import { bindable, insertInto, present, type Row } from '../db/row.ts'

const columns = [
  'checkpoint_receipt_id',
  'owner_user_id',
  'checkpoint_id',
  'status',
  'evidence',
  'reason',
  'learn_session_id',
  'dispatch_id',
  'ability_id',
  'proposal_id',
  'unknown_checkpoint',
  'created_at',
] as const
const blank = Object.fromEntries(columns.map((column) => [column, undefined]))

export function appendCheckpointReceipt(tx: Tx, owner: string, receipt: CheckpointReceipt): void {
  const { schema_version: _, ...fields } = receipt
  sql(tx, insertInto('checkpoint_receipts', columns)).run(
    bindable({ ...blank, ...fields, owner_user_id: owner }),
  )
}

/** Of one session or one dispatch, and only the owner's own; oldest first. */
export function listCheckpointReceipts(
  reader: Reader,
  owner: string,
  { by, id, page, page_size }: PageQuery & { by: 'learn_session_id' | 'dispatch_id'; id: string },
): { receipts: CheckpointReceipt[]; total: number } {
  const where = `owner_user_id = ? AND ${by} = ?`
  const rows = sql(
    reader,
    `SELECT * FROM checkpoint_receipts WHERE ${where} ORDER BY position LIMIT ? OFFSET ?`,
  ).all(owner, id, page_size, (page - 1) * page_size)
  const count = sql(reader, `SELECT count(*) AS total FROM checkpoint_receipts WHERE ${where}`).get(
    owner,
    id,
  )
  return { receipts: rows.map(toReceipt), total: (count as { total: number }).total }
}

/** The newest `limit` receipts of a session, oldest of them first. */
export function listLatestCheckpointReceipts(
  reader: Reader,
  sessionId: string,
  limit: number,
): CheckpointReceipt[] {
  return sql(
    reader,
    'SELECT * FROM checkpoint_receipts WHERE learn_session_id = ? ORDER BY position DESC LIMIT ?',
  )
    .all(sessionId, limit)
    .map(toReceipt)
    .toReversed()
}

export function listCheckpointReceiptsSince(
  reader: Reader,
  { after, limit }: { after: number; limit: number },
): { position: number; entry: CheckpointReceipt }[] {
  return sql(
    reader,
    'SELECT * FROM checkpoint_receipts WHERE position > ? ORDER BY position LIMIT ?',
  )
    .all(after, limit)
    .map((row) => ({ position: Number((row as Row)['position']), entry: toReceipt(row) }))
}

/** Does what is understood of the session, or of the ability, name this checkpoint? */
export function hasCheckpoint(
  reader: Reader,
  checkpointId: string,
  {
    interpretation_id,
    ability_id,
  }: { interpretation_id?: string | undefined; ability_id?: string | undefined },
): boolean {
  const row = sql(
    reader,
    `SELECT 1 FROM interpretations AS i, json_each(i.body, '$.checkpoints') AS c
      WHERE i.interpretation_id IN (
        SELECT @interpretation_id
        UNION ALL
        SELECT interpretation_id FROM proposals WHERE ability_id = @ability_id)
        AND json_extract(c.value, '$.checkpoint_id') = @checkpoint_id
      LIMIT 1`,
  ).get(bindable({ interpretation_id, ability_id, checkpoint_id: checkpointId }))
  return row !== undefined
}

function toReceipt(row: unknown): CheckpointReceipt {
  const { position: _p, owner_user_id: _o, ...fields } = present(row as Row)
  return {
    ...fields,
    unknown_checkpoint: fields['unknown_checkpoint'] === 1,
    schema_version: 1,
  } as unknown as CheckpointReceipt
}
