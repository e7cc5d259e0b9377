import { Failure } from '../../failure/failure.ts'
import { type AbilityRow, findAbility } from '../../store/abilities/abilities.ts'
import { findAbilityIdByCapability } from '../../store/capabilities/capabilities.ts'
import type { Reader } from '../../store/db/db.ts'
import { isVisible } from '../abilities/visibility.ts'

/** Throws CAPABILITY_NOT_FOUND also for capabilities the caller may not see. */
export function getAbilityOfCapability(reader: Reader, capabilityId: string, caller: string): AbilityRow {
  const abilityId = findAbilityIdByCapability(reader, capabilityId)
  const ability = abilityId === undefined ? undefined : findAbility(reader, abilityId)
  if (ability === undefined || !isVisible(ability, caller)) {
    throw new Failure('CAPABILITY_NOT_FOUND', `No capability ${capabilityId}.`)
  }
  return ability
}
