import { integer, text } from '../db/columns.ts'
import { type Reader, sql, type Tx } from '../db/db.ts'
import { defineTable, type RowOf } from '../db/table.ts'

/** The build of each app that a session observed, and the device. Unknown facts are absent. */
export const demonstratedApps = defineTable(
  'shown_apps',
  {
    learn_session_id: text(),
    app: text(),
    version_name: text().optional(),
    version_code: integer().optional(),
    android_api: integer().optional(),
    device_model: text().optional(),
    locale: text().optional(),
  },
  { key: ['learn_session_id', 'app'] },
)

export type DemonstratedApp = RowOf<typeof demonstratedApps>

/** Keeps the first build that the session observed. */
export function insertDemonstratedApp(tx: Tx, app: DemonstratedApp): void {
  demonstratedApps.insertIfAbsent(tx, app)
}

export function findDemonstratedApp(reader: Reader, sessionId: string, app: string): DemonstratedApp | undefined {
  return demonstratedApps.find(reader, sessionId, app)
}

export function deleteDemonstratedApps(tx: Tx, sessionId: string): void {
  sql(tx, 'DELETE FROM shown_apps WHERE learn_session_id = ?').run(sessionId)
}
