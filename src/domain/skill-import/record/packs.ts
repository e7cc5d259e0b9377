import type { SkillPackMetadata } from '@apprentice/contracts/skills/import-record.ts'
import { Failure } from '../../../failure/failure.ts'

/** The built-in packs. Packs cannot be added yet. */
export const SKILL_PACKS: readonly SkillPackMetadata[] = [
  {
    pack_id: 'general',
    title: 'General',
    description: 'Skills that belong to no other pack.',
    active_build_surface: true,
    schema_version: 1,
  },
  {
    pack_id: 'office-pack',
    title: 'Office',
    description: 'Mail, documents, calendars and spreadsheets.',
    active_build_surface: true,
    schema_version: 1,
  },
]

export const packIds: ReadonlySet<string> = new Set(SKILL_PACKS.map(({ pack_id }) => pack_id))

export function assertPackExists(packId: string | undefined): void {
  if (packId === undefined || packIds.has(packId)) return
  throw new Failure('SKILL_IMPORT_PACK_UNKNOWN', `There is no skill pack ${packId}.`, {
    details: { pack_id: packId, known: [...packIds] },
  })
}
