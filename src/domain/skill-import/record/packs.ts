import type { SkillPackMetadata } from '@apprentice/contracts/skills/import-record.ts'
import { Failure } from '../../../failure/failure.ts'
import type { Reader } from '../../../store/db/db.ts'
import { findPack, listPackIds, upsertPack } from '../../../store/skill-import/skill-packs.ts'
import type { CommandContext } from '../../command/context.ts'
import { recordEvent, recordReceipt } from '../../command/ledger.ts'

export function assertPackExists(reader: Reader, packId: string | undefined): void {
  if (packId === undefined || findPack(reader, packId) !== undefined) return
  throw new Failure('SKILL_IMPORT_PACK_UNKNOWN', `There is no skill pack ${packId}.`, {
    details: { pack_id: packId, known: listPackIds(reader) },
  })
}

/** Adds a pack, or replaces the pack with the same id. */
export function savePack(ctx: CommandContext, pack: SkillPackMetadata): SkillPackMetadata {
  const { pack_id, title } = pack
  const isNew = findPack(ctx.tx, pack_id) === undefined
  upsertPack(ctx.tx, pack)
  recordReceipt(ctx, 'skill_pack.changed', {
    summary: `Skill pack ${title} ${isNew ? 'added' : 'changed'}.`,
    details: { pack },
  })
  recordEvent(ctx, `skill-pack/${pack_id}`, 'skill.pack.changed', { pack_id, added: isNew })
  return pack
}
