import type { ConfigurationIntent } from '@apprentice/contracts/admin/intents.ts'
import { type Reader, sql, type Tx } from '../db/db.ts'
import { bindable, insertInto, present, type Row } from '../db/row.ts'

type Fields = Readonly<Record<string, unknown>>

/** A document intents write to, by the name it has among the configuration files. */
export interface ConfigDocument {
  readonly name: string
  readonly body: Fields
  readonly updated_at: string
}

export function findConfigDocument(reader: Reader, name: string): ConfigDocument | undefined {
  const row = sql(reader, 'SELECT * FROM config_documents WHERE name = ?').get(name)
  return row === undefined ? undefined : toDocument(row as Row)
}

export function listConfigDocuments(reader: Reader): ConfigDocument[] {
  return sql(reader, 'SELECT * FROM config_documents ORDER BY name')
    .all()
    .map((row) => toDocument(row as Row))
}

export function upsertConfigDocument(tx: Tx, document: ConfigDocument): void {
  sql(
    tx,
    `INSERT INTO config_documents (name, body, updated_at) VALUES (@name, @body, @updated_at)
     ON CONFLICT (name) DO UPDATE SET body = excluded.body, updated_at = excluded.updated_at`,
  ).run({ ...document, body: JSON.stringify(document.body) })
}

/** An intent as it was decided. A refused one keeps its payload without the values that made it refused. */
export interface StoredIntent extends Pick<
  ConfigurationIntent,
  | 'intent_id'
  | 'target'
  | 'capability_id'
  | 'payload'
  | 'requested_by'
  | 'correlation_id'
  | 'created_at'
> {
  readonly owner_user_id: string
  readonly status: 'applied' | 'rejected'
  readonly written_ref?: string | undefined
  readonly receipt_id: string
}

const intentColumns = [
  'intent_id',
  'owner_user_id',
  'target',
  'capability_id',
  'payload',
  'requested_by',
  'correlation_id',
  'status',
  'written_ref',
  'receipt_id',
  'created_at',
] as const
const blankIntent = { capability_id: undefined, written_ref: undefined }

export function appendIntent(tx: Tx, intent: StoredIntent): void {
  sql(tx, insertInto('config_intents', intentColumns)).run(
    bindable({ ...blankIntent, ...intent, payload: JSON.stringify(intent.payload) }),
  )
}

export function findIntent(reader: Reader, intentId: string): StoredIntent | undefined {
  const row = sql(reader, 'SELECT * FROM config_intents WHERE intent_id = ?').get(intentId)
  return row === undefined ? undefined : toIntent(row as Row)
}

export function listIntentsSince(
  reader: Reader,
  { after, limit }: { after: number; limit: number },
): { position: number; entry: StoredIntent }[] {
  return sql(reader, 'SELECT * FROM config_intents WHERE position > ? ORDER BY position LIMIT ?')
    .all(after, limit)
    .map((row) => ({
      position: Number((row as Row)['position']),
      entry: toIntent(row as Row),
    }))
}

function toDocument(row: Row): ConfigDocument {
  return { ...row, body: JSON.parse(String(row['body'])) } as unknown as ConfigDocument
}

function toIntent(row: Row): StoredIntent {
  const { position: _, ...fields } = present(row)
  return {
    ...fields,
    payload: JSON.parse(String(fields['payload'])),
  } as unknown as StoredIntent
}
