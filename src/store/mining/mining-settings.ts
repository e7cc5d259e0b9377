import type { SkillMiningSettings } from '@apprentice/contracts/learn/mining.ts'
import { integer, json, text } from '../db/columns.ts'
import { cached } from '../db/cached.ts'
import { type Reader, type Tx } from '../db/db.ts'
import { defineTable } from '../db/table.ts'

/** At most one row. Rows of earlier versions may lack newer settings. */
export const miningSettings = defineTable(
  'mining_settings',
  { only_row: integer(), body: json<Partial<SkillMiningSettings>>(), updated_at: text() },
  { key: ['only_row'] },
)

/** Returns undefined if the settings were never changed. */
export function findMiningSettings(reader: Reader): Partial<SkillMiningSettings> | undefined {
  return cached(reader, 'mining settings', () => miningSettings.find(reader, 1)?.body)
}

export function upsertMiningSettings(tx: Tx, settings: SkillMiningSettings, now: string): void {
  miningSettings.upsert(tx, { only_row: 1, body: settings, updated_at: now })
}
