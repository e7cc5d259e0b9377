import type { AbilityCall } from '@apprentice/contracts/recipes/call.ts'
import type { Recipe } from '@apprentice/contracts/recipes/recipe.ts'
import type { Violation } from '@apprentice/contracts/recipes/violation.ts'
import { Failure } from '../../failure/failure.ts'
import { checkCalledAbilities, findNestingProblem } from '../../knowledge/recipes/check/calls.ts'
import type { InstalledRecipe } from '../../knowledge/recipes/compile/compile-run.ts'
import { listCalls, nameCall } from '../../knowledge/recipes/parse/ability-calls.ts'
import { type AbilityRow, findAbility, listAbilitiesWithSlug } from '../../store/abilities/abilities.ts'
import type { Reader } from '../../store/db/db.ts'
import { findCurrentRecipe } from './current-recipe.ts'
import { isVisible } from './visibility.ts'

/** The ability that a call names, if the user sees it. A slug must name exactly one. */
function findNamed(reader: Reader, { ability_id, slug }: AbilityCall, user: string): AbilityRow | undefined {
  const named =
    ability_id === undefined
      ? listAbilitiesWithSlug(reader, slug ?? '')
      : [findAbility(reader, ability_id) ?? []].flat()
  const visible = named.filter((ability) => isVisible(ability, user))
  return visible.length === 1 ? visible[0] : undefined
}

/** The ability that a call names with its recipe, also if it cannot be used now. */
function findInstalled(reader: Reader, call: AbilityCall, user: string): InstalledRecipe | undefined {
  const ability = findNamed(reader, call, user)
  const current = ability && findCurrentRecipe(reader, ability.ability_id)
  return ability && current && { ability_id: ability.ability_id, ...current }
}

/** Throws if the ability that a call names is not visible to the user, cannot be used now, or has no recipe. */
export function getCalledAbility(reader: Reader, call: AbilityCall, user: string): InstalledRecipe {
  const ability = findNamed(reader, call, user)
  const installed = ability?.usable_now === true ? findInstalled(reader, call, user) : undefined
  if (installed !== undefined) return installed
  const called_ability_id = nameCall(call)
  const reason_unusable = ability === undefined ? 'not_found' : (ability.reason_unusable ?? 'no_recipe')
  throw new Failure('ABILITY_UNUSABLE', `The called ability ${called_ability_id} cannot be used: ${reason_unusable}.`, {
    details: { called_ability_id, reason_unusable },
  })
}

/** Checks the calls of a recipe against the abilities that this user can use. */
export function lintCalls(reader: Reader, recipe: Recipe, user: string): Violation[] {
  return checkCalledAbilities(recipe, (call) =>
    findNamed(reader, call, user)?.usable_now === true ? findInstalled(reader, call, user) : undefined,
  )
}

/** Why the calls of an ability make it unusable. Undefined if they do not. */
export function findCallProblem(
  reader: Reader,
  { ability_id, owner_user_id }: Pick<AbilityRow, 'ability_id' | 'owner_user_id'>,
): string | undefined {
  const recipe = findCurrentRecipe(reader, ability_id)?.recipe
  if (recipe === undefined) return undefined
  const missing = listCalls(recipe).find(({ call }) => findNamed(reader, call, owner_user_id)?.usable_now !== true)
  if (missing !== undefined) return `called_ability_unavailable:${nameCall(missing.call)}`
  const nesting = findNestingProblem(recipe, (call) => findInstalled(reader, call, owner_user_id))
  return nesting === undefined ? undefined : 'calls_nested_too_deep'
}
