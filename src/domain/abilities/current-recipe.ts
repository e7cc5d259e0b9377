import type { Recipe } from '@apprentice/contracts/recipes/recipe.ts'
import { findAbility } from '../../store/abilities/abilities.ts'
import {
  type AbilityVersionRow,
  findAbilityVersion,
} from '../../store/abilities/ability-versions.ts'
import type { Reader } from '../../store/db/db.ts'

/** The version of an ability that is in force. */
export function currentVersion(reader: Reader, abilityId: string): AbilityVersionRow | undefined {
  const ability = findAbility(reader, abilityId)
  return ability && findAbilityVersion(reader, abilityId, ability.current_version)
}

/** How the ability is done on a device now; undefined when it is not done on one. */
export function currentRecipe(
  reader: Reader,
  abilityId: string,
): { readonly recipe: Recipe; readonly version: number } | undefined {
  const found = currentVersion(reader, abilityId)
  return found?.recipe && { recipe: found.recipe, version: found.version }
}
