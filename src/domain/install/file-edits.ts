import { findAbility } from '../../store/abilities/abilities.ts'
import { updateAbilityVersion } from '../../store/abilities/ability-versions.ts'
import type { FilePlace } from '../../store/install/installed-files.ts'
import { refreshAvailability } from '../abilities/availability.ts'
import { type CommandContext, asSystem } from '../command/context.ts'
import { recordEvent, recordReceipt } from '../command/ledger.ts'
import { findCurrentVersion } from '../abilities/current-recipe.ts'

/** The result of checking the files of a skill in one place. */
export interface FileCheck {
  /** Present with other content than was installed. */
  readonly edited: readonly string[]
  /** Missing, and could not be written again. */
  readonly missing: readonly string[]
}

/** Records the result of a file check if it differs from the stored one. */
export function recordFileCheck(
  caller: CommandContext,
  abilityId: string,
  found: Readonly<Record<FilePlace, FileCheck>>,
): void {
  const version = findCurrentVersion(caller.tx, abilityId)
  const ability = findAbility(caller.tx, abilityId)
  if (version === undefined || ability === undefined) return
  const [materialized, projected] = [isIntact(found.canonical), isIntact(found.projected)]
  if (version.materialized === materialized && version.projected === projected) return
  const ctx = asSystem(caller, ability.owner_user_id)
  updateAbilityVersion(ctx.tx, { ...version, materialized, projected })
  const paths = [...found.canonical.edited, ...found.projected.edited]
  if (paths.length > 0) recordFileEdits(ctx, abilityId, { paths, kept: true })
  refreshAvailability(ctx, 'ability.files.edited', { ability_ids: [abilityId] })
}

const isIntact = ({ edited, missing }: FileCheck): boolean => edited.length === 0 && missing.length === 0

/** Records that files of a skill were edited by hand. `kept`: the edits are still on disk. */
export function recordFileEdits(
  ctx: CommandContext,
  ability_id: string,
  { paths, kept }: { paths: readonly string[]; kept: boolean },
): void {
  const details = { paths: paths.slice(0, 20), kept }
  recordEvent(ctx, `ability/${ability_id}`, 'ability.files.edited', { ability_id, ...details })
  recordReceipt(ctx, 'ability.files.edited', {
    status: kept ? 'blocked' : 'ok',
    ability_id,
    summary: `Files of the skill were edited by hand; they were ${kept ? 'not changed' : 'replaced by an installation'}.`,
    details,
  })
}
