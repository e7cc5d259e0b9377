import type { SkillPackMetadata } from '@apprentice/contracts/skills/import-record.ts'
import { columns, flag, text } from '../db/columns.ts'
import { type Reader, sql, type Tx } from '../db/db.ts'
import { defineTable } from '../db/table.ts'

/** The packs that skills are sorted into. */
export const skillPacks = defineTable(
  'skill_packs',
  {
    pack_id: text(),
    title: text(),
    ...columns(text().optional(), 'description', 'compatibility_target'),
    active_build_surface: flag(),
  },
  { key: ['pack_id'], constants: { schema_version: 1 } },
)

export function listPacks(reader: Reader): SkillPackMetadata[] {
  return sql(reader, 'SELECT * FROM skill_packs ORDER BY pack_id').all().map(skillPacks.decode)
}

export const listPackIds = (reader: Reader): string[] => listPacks(reader).map(({ pack_id }) => pack_id)

export function findPack(reader: Reader, packId: string): SkillPackMetadata | undefined {
  return skillPacks.find(reader, packId)
}

export function upsertPack(tx: Tx, pack: SkillPackMetadata): void {
  skillPacks.upsert(tx, pack)
}
