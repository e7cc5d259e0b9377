import type { Recipe, RecipeStep } from '@apprentice/contracts/recipes/recipe.ts'
import type { Violation } from '@apprentice/contracts/recipes/violation.ts'
import { validateRecipe } from '../../src/knowledge/recipes/check/validate.ts'
import { setTemperature, togglePower } from './samples.ts'

const told = (violations: readonly Violation[]) =>
  violations.map(({ rule, code, path }) => `${rule} ${code} ${path}`)
export const errorsOf = (recipe: Recipe) =>
  told(validateRecipe(recipe).filter(({ severity }) => severity === 'error'))
export const warningsOf = (recipe: Recipe) =>
  told(validateRecipe(recipe).filter(({ severity }) => severity === 'warning'))

/** The samples with something else about them. */
export const plain = (changes: Partial<Recipe>): Recipe => ({ ...togglePower, ...changes })
export const rich = (changes: Partial<Recipe>): Recipe => ({ ...setTemperature, ...changes })
export const withStep = (recipe: Recipe, id: string, changes: Partial<RecipeStep>): Recipe => ({
  ...recipe,
  steps: recipe.steps.map((step) => (step.id === id ? { ...step, ...changes } : step)),
})
export const step = (changes: Partial<RecipeStep> & Pick<RecipeStep, 'type'>): RecipeStep => ({
  id: 'more',
  ...changes,
})
export const button = { resource_id: 'a:id/b' }
