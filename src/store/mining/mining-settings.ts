import type { SkillMiningSettings } from '@apprentice/contracts/learn/mining.ts'
import { type Reader, cached, sql, type Tx } from '../db/db.ts'
import type { Row } from '../db/row.ts'

/** What was set; undefined until somebody sets something. */
export function findMiningSettings(reader: Reader): Partial<SkillMiningSettings> | undefined {
  return cached(reader, 'mining settings', () => {
    const row = sql(reader, 'SELECT body FROM mining_settings WHERE only_row = 1').get()
    return row === undefined
      ? undefined
      : (JSON.parse(String((row as Row)['body'])) as Partial<SkillMiningSettings>)
  })
}

export function putMiningSettings(tx: Tx, settings: SkillMiningSettings, now: string): void {
  sql(
    tx,
    `INSERT INTO mining_settings (only_row, body, updated_at) VALUES (1, ?, ?)
     ON CONFLICT (only_row) DO UPDATE SET body = excluded.body, updated_at = excluded.updated_at`,
  ).run(JSON.stringify(settings), now)
}
