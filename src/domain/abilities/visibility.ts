import type { OpenLane } from '@apprentice/contracts/abilities/ability.ts'
import { Failure } from '../../failure/failure.ts'
import { type AbilityRow, findAbility, listAbilitiesWithSlug } from '../../store/abilities/abilities.ts'
import type { Reader } from '../../store/db/db.ts'
import { effectiveLane, isShared, type VisibilityFields } from './lanes.ts'
import { abilityNotFound } from './registry.ts'

/** A private ability is visible to its owner only, not even to admins. */
export const isVisible = (ability: VisibilityFields & Pick<AbilityRow, 'owner_user_id'>, caller: string): boolean =>
  isShared(ability) || ability.owner_user_id === caller

export function getVisibleAbility(reader: Reader, abilityId: string, caller: string): AbilityRow {
  const ability = findAbility(reader, abilityId)
  if (ability === undefined || !isVisible(ability, caller)) throw abilityNotFound(abilityId)
  return ability
}

/** A private ability may be changed by its owner, a shared one by admins only. */
export function assertMayChange(ability: AbilityRow, isAdmin: boolean): void {
  if (isAdmin || !isShared(ability)) return
  const install_lane = effectiveLane(ability)
  throw new Failure('INSTALL_LANE_DENIED', 'Only an admin may change a shared ability.', {
    details: { install_lane, privilege: 'admin' },
  })
}

/**
 * Whether a user may know of a skill on disk. The files of a private ability belong to its owner, whatever folder they
 * are read from. `names` are the id of the skill and the name of its folder; slugs of abilities are unique.
 */
export const isSkillVisible = (reader: Reader, names: readonly string[], user: string): boolean =>
  names.every((name) => listAbilitiesWithSlug(reader, name).every((ability) => isVisible(ability, user)))

/** The lane of the ability that installed a skill on disk, if one did. */
export const findSkillLane = (reader: Reader, names: readonly string[]): OpenLane | undefined =>
  names.flatMap((name) => listAbilitiesWithSlug(reader, name)).map(effectiveLane)[0]
