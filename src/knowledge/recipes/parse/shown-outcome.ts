import type { Recipe, RecipeVerification } from '@apprentice/contracts/recipes/recipe.ts'

type Checks = readonly Pick<RecipeVerification, 'transient'>[] | undefined

/** Whether the verification of a recipe is about something that stays on the screen. A message alone proves nothing. */
export const showsOutcome = ({ verification = [] }: { readonly verification?: Checks }): boolean =>
  verification.some(({ transient }) => transient !== true)

/** Whether no run of a recipe can be verified: nothing shows its outcome, or a message alone. */
export const isUnproven = (recipe: Pick<Recipe, 'verification' | 'unproven'>): boolean =>
  recipe.unproven === true || ((recipe.verification ?? []).length > 0 && !showsOutcome(recipe))
