import type { RecipeInput } from '@apprentice/contracts/recipes/recipe.ts'
import type { Reader } from '../../store/db/db.ts'
import { findSceneAbility } from '../../store/scenes/scene-abilities.ts'
import { findCurrentRecipe } from './current-recipe.ts'

/** What a run of an ability requires. Undefined if the ability cannot be run. */
export const findAbilityInputs = (reader: Reader, abilityId: string): readonly RecipeInput[] | undefined =>
  findCurrentRecipe(reader, abilityId)?.recipe.inputs ?? findSceneAbility(reader, abilityId)?.inputs
