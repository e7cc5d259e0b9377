import { Failure } from '../../failure/failure.ts'
import { type AbilityRow, findAbility } from '../../store/abilities/abilities.ts'
import { findAbilityBehind } from '../../store/capabilities/capabilities.ts'
import type { Reader } from '../../store/db/db.ts'
import { isVisible } from '../abilities/visibility.ts'

/** The ability behind a capability the caller may know of; others do not exist for them. */
export function getAbilityBehind(reader: Reader, capabilityId: string, caller: string): AbilityRow {
  const abilityId = findAbilityBehind(reader, capabilityId)
  const ability = abilityId === undefined ? undefined : findAbility(reader, abilityId)
  if (ability === undefined || !isVisible(ability, caller)) {
    throw new Failure('CAPABILITY_NOT_FOUND', `No capability ${capabilityId}.`)
  }
  return ability
}
