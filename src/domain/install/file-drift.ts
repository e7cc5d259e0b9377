import { findAbility } from '../../store/abilities/abilities.ts'
import { updateAbilityVersion } from '../../store/abilities/ability-versions.ts'
import type { FilePlace } from '../../store/install/installed-files.ts'
import { refreshAvailability } from '../abilities/availability.ts'
import { type CommandContext, asSystem } from '../command/context.ts'
import { recordEvent, recordReceipt } from '../command/ledger.ts'
import { currentVersion } from '../abilities/current-recipe.ts'

/** What is wrong with the files of a skill in one place. */
export interface FoundFiles {
  /** There, and not as they were written. */
  readonly edited: readonly string[]
  /** Not there, and could not be written either. */
  readonly lacking: readonly string[]
}

/** Writes down what was found of an ability's files; nothing when that is what was known. */
export function noteFiles(
  given: CommandContext,
  abilityId: string,
  found: Readonly<Record<FilePlace, FoundFiles>>,
): void {
  const version = currentVersion(given.tx, abilityId)
  const ability = findAbility(given.tx, abilityId)
  if (version === undefined || ability === undefined) return
  const [materialized, projected] = [isWhole(found.canonical), isWhole(found.projected)]
  if (version.materialized === materialized && version.projected === projected) return
  const ctx = asSystem(given, ability.owner_user_id)
  updateAbilityVersion(ctx.tx, { ...version, materialized, projected })
  const paths = [...found.canonical.edited, ...found.projected.edited]
  if (paths.length > 0) reportEdits(ctx, abilityId, { paths, kept: true })
  refreshAvailability(ctx, 'ability.files.edited', { ability_ids: [abilityId] })
}

const isWhole = ({ edited, lacking }: FoundFiles): boolean =>
  edited.length === 0 && lacking.length === 0

/** Tells that somebody wrote into the files of a skill, and whether that is still there. */
export function reportEdits(
  ctx: CommandContext,
  ability_id: string,
  { paths, kept }: { paths: readonly string[]; kept: boolean },
): void {
  const told = { paths: paths.slice(0, 20), kept }
  recordEvent(ctx, `ability/${ability_id}`, 'ability.files.edited', { ability_id, ...told })
  recordReceipt(ctx, 'ability.files.edited', {
    status: kept ? 'blocked' : 'ok',
    ability_id,
    summary: `Files of the skill were edited by hand; they were ${kept ? 'left as they are' : 'replaced by an installation'}.`,
    details: told,
  })
}
