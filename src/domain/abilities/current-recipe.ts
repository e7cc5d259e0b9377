import type { Recipe } from '@apprentice/contracts/recipes/recipe.ts'
import { findAbility } from '../../store/abilities/abilities.ts'
import { type AbilityVersionRow, findAbilityVersion } from '../../store/abilities/ability-versions.ts'
import type { Reader } from '../../store/db/db.ts'

export function findCurrentVersion(reader: Reader, abilityId: string): AbilityVersionRow | undefined {
  const ability = findAbility(reader, abilityId)
  return ability && findAbilityVersion(reader, abilityId, ability.current_version)
}

/** The recipe of the current version. Undefined if the ability does not run on a device. */
export function findCurrentRecipe(
  reader: Reader,
  abilityId: string,
): { readonly recipe: Recipe; readonly version: number } | undefined {
  const found = findCurrentVersion(reader, abilityId)
  return found?.recipe && { recipe: found.recipe, version: found.version }
}
