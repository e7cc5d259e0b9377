import type { ConfigurationIntent } from '@apprentice/contracts/admin/intents.ts'
import type { PageQuery } from '@apprentice/contracts/base/page.ts'
import { integer, json, text } from '../db/columns.ts'
import { type Reader, sql, type Tx } from '../db/db.ts'
import { listSince, type Positioned, readNumber, type Span } from '../db/queries.ts'
import { defineTable, type InsertOf, type RowOf } from '../db/table.ts'

type DocumentBody = Readonly<Record<string, unknown>>

/** The documents that configuration intents write. `name` is the name of the configuration file. */
export const configDocuments = defineTable(
  'config_documents',
  { name: text(), body: json<DocumentBody>(), updated_at: text() },
  { key: ['name'] },
)

/** Every decided intent. The payload of a rejected intent lacks the values that caused the rejection. */
export const configIntents = defineTable(
  'config_intents',
  {
    position: integer().notInserted(),
    intent_id: text(),
    owner_user_id: text(),
    target: text<ConfigurationIntent['target']>(),
    capability_id: text().optional(),
    payload: json<ConfigurationIntent['payload']>(),
    requested_by: text<ConfigurationIntent['requested_by']>(),
    correlation_id: text(),
    status: text<'applied' | 'rejected'>(),
    written_ref: text().optional(),
    receipt_id: text(),
    created_at: text(),
  },
  { key: ['position'] },
)

export type ConfigDocument = RowOf<typeof configDocuments>
export type StoredIntent = InsertOf<typeof configIntents>

export function findConfigDocument(reader: Reader, name: string): ConfigDocument | undefined {
  return configDocuments.find(reader, name)
}

export function listConfigDocuments(reader: Reader): ConfigDocument[] {
  return sql(reader, 'SELECT * FROM config_documents ORDER BY name').all().map(configDocuments.decode)
}

export function upsertConfigDocument(tx: Tx, document: ConfigDocument): void {
  configDocuments.upsert(tx, document)
}

export function appendIntent(tx: Tx, intent: StoredIntent): void {
  configIntents.insert(tx, intent)
}

const storedIntent = configIntents.without('position')

export function findIntent(reader: Reader, intentId: string): StoredIntent | undefined {
  return storedIntent.decodeOptional(sql(reader, 'SELECT * FROM config_intents WHERE intent_id = ?').get(intentId))
}

/** Newest first. */
export function listOwnIntents(
  reader: Reader,
  owner: string,
  { page, page_size }: PageQuery,
): { readonly intents: StoredIntent[]; readonly total: number } {
  const rows = sql(
    reader,
    'SELECT * FROM config_intents WHERE owner_user_id = ? ORDER BY position DESC LIMIT ? OFFSET ?',
  )
  return {
    intents: rows.all(owner, page_size, (page - 1) * page_size).map(storedIntent.decode),
    total: readNumber(reader, 'SELECT count(*) FROM config_intents WHERE owner_user_id = ?', owner),
  }
}

export function listIntentsSince(reader: Reader, span: Span): Positioned<StoredIntent>[] {
  return listSince(reader, configIntents.name, storedIntent, span)
}
