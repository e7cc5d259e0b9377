import type { ProposalDetail } from '@apprentice/contracts/learn/proposal-review.ts'
import type { RecipeInput } from '@apprentice/contracts/recipes/recipe.ts'

/** The inputs of a draft. A draft without a recipe has none. */
export const listInputs = ({ recipe }: ProposalDetail): readonly RecipeInput[] =>
  (recipe?.['inputs'] ?? []) as RecipeInput[]
