import type { Recipe, RecipeStep } from '@apprentice/contracts/recipes/recipe.ts'
import type { Violation } from '@apprentice/contracts/recipes/violation.ts'
import { validateRecipe } from '../../src/knowledge/recipes/check/validate.ts'
import { setTemperature, togglePower } from './samples.ts'

const formatViolations = (violations: readonly Violation[]) =>
  violations.map(({ rule, code, path }) => `${rule} ${code} ${path}`)
export const listErrors = (recipe: Recipe) =>
  formatViolations(validateRecipe(recipe).filter(({ severity }) => severity === 'error'))
export const listWarnings = (recipe: Recipe) =>
  formatViolations(validateRecipe(recipe).filter(({ severity }) => severity === 'warning'))

/** The sample recipes with changes. */
export const changePlain = (changes: Partial<Recipe>): Recipe => ({ ...togglePower, ...changes })
export const changeRich = (changes: Partial<Recipe>): Recipe => ({ ...setTemperature, ...changes })
export const changeStep = (recipe: Recipe, id: string, changes: Partial<RecipeStep>): Recipe => ({
  ...recipe,
  steps: recipe.steps.map((createStep) => (createStep.id === id ? { ...createStep, ...changes } : createStep)),
})
export const step = (changes: Partial<RecipeStep> & Pick<RecipeStep, 'type'>): RecipeStep => ({
  id: 'more',
  ...changes,
})
export const BUTTON = { resource_id: 'a:id/b' }
