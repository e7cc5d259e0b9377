import type { OpenLane } from '@apprentice/contracts/abilities/ability.ts'
import { Failure } from '../../failure/failure.ts'
import { type AbilityRow, findAbility } from '../../store/abilities/abilities.ts'
import type { Reader } from '../../store/db/db.ts'
import { abilityNotFound } from './registry.ts'

type Placed = Pick<AbilityRow, 'install_lane' | 'prior_lane'>
type Shown = Placed & Pick<AbilityRow, 'visibility'>

/** Quarantine hides an ability from nobody who knew it, and shows it to nobody who did not. */
export const laneBehind = ({ install_lane, prior_lane }: Placed): OpenLane =>
  install_lane === 'quarantined' ? (prior_lane ?? 'experimental_private') : install_lane

const isOpen = (ability: Shown): boolean =>
  laneBehind(ability) !== 'experimental_private' || ability.visibility === 'workspace'

/** What is private is its owner's alone; nobody else, whatever their privilege, learns that it exists. */
export const isVisible = (
  ability: Shown & Pick<AbilityRow, 'owner_user_id'>,
  caller: string,
): boolean => isOpen(ability) || ability.owner_user_id === caller

export function getVisibleAbility(reader: Reader, abilityId: string, caller: string): AbilityRow {
  const ability = findAbility(reader, abilityId)
  if (ability === undefined || !isVisible(ability, caller)) throw abilityNotFound(abilityId)
  return ability
}

/** A private ability is changed by its owner; one that others use, by whoever runs the house. */
export function assertMayChange(ability: AbilityRow, isAdmin: boolean): void {
  if (isAdmin || !isOpen(ability)) return
  const install_lane = laneBehind(ability)
  throw new Failure('INSTALL_LANE_DENIED', 'An ability others use is changed by an admin only.', {
    details: { install_lane, privilege: 'admin' },
  })
}
