import { type Reader, sql, type Tx } from '../db/db.ts'
import { bindable, insertInto, present, type Row } from '../db/row.ts'

/** Which build of an app a session saw, and on what; what was not told is absent. */
export interface ShownApp {
  readonly learn_session_id: string
  readonly app: string
  readonly version_name?: string | undefined
  readonly version_code?: number | undefined
  readonly android_api?: number | undefined
  readonly device_model?: string | undefined
  readonly locale?: string | undefined
}

const columns = [
  'learn_session_id',
  'app',
  'version_name',
  'version_code',
  'android_api',
  'device_model',
  'locale',
] as const

const blank = Object.fromEntries(columns.map((column) => [column, undefined]))

export function upsertShownApp(tx: Tx, shown: ShownApp): void {
  sql(tx, `${insertInto('shown_apps', columns)} ON CONFLICT DO NOTHING`).run(
    bindable({ ...blank, ...shown }),
  )
}

export function findShownApp(reader: Reader, sessionId: string, app: string): ShownApp | undefined {
  const row = sql(reader, 'SELECT * FROM shown_apps WHERE learn_session_id = ? AND app = ?').get(
    sessionId,
    app,
  )
  return row === undefined ? undefined : (present(row as Row) as unknown as ShownApp)
}

export function deleteShownApps(tx: Tx, sessionId: string): void {
  sql(tx, 'DELETE FROM shown_apps WHERE learn_session_id = ?').run(sessionId)
}
