import { afterAll, beforeAll, expect } from 'vitest'
import { interpretRuns } from '../../src/knowledge/interpret/draft/interpret.ts'
import type {
  InterpretationContext,
  LearnedWorkflow,
} from '../../src/knowledge/interpret/draft/workflow.ts'
import { validateRecipe } from '../../src/knowledge/recipes/check/validate.ts'
import type { Recipe } from '@apprentice/contracts/recipes/recipe.ts'
import { type Doing, type Lab, openLab, type ShowOptions } from '../bench/learning-lab.ts'

export const climate = 'org.apprentice.climate'
export const notes = 'org.apprentice.notes'
export const settings = 'com.android.settings'
export const portal = 'org.apprentice.portal'
export const shop = 'org.apprentice.shop'

/** A lab for the tests of one file. */
export function useLab(): () => Lab {
  let lab: Lab
  beforeAll(async () => {
    lab = await openLab()
  })
  afterAll(() => lab.close())
  return () => lab
}

export type Shown = ShowOptions & Partial<InterpretationContext>

/** Shows something once and says what it was taken to mean. */
export async function learned(
  lab: Lab,
  doings: readonly Doing[],
  { consent, prepare, trace, options, ...context }: Shown = {},
): Promise<LearnedWorkflow> {
  const { run } = await lab.show(doings, {
    ...(consent !== undefined && { consent }),
    ...(trace !== undefined && { trace }),
    prepare,
    options,
  })
  return interpretRuns([run], { marks: [], ...context })
}

/** The recipe, which must be there and sound. */
export function recipeOf({ recipe, doubts }: LearnedWorkflow): Recipe {
  if (recipe === undefined) return expect.fail(JSON.stringify(doubts))
  expect(validateRecipe(recipe)).toEqual([])
  return recipe
}

export const reasons = ({ pruned }: LearnedWorkflow): string[] => pruned.map(({ reason }) => reason)
export const descriptions = ({ steps }: LearnedWorkflow): string[] =>
  steps.map(({ description }) => description)
export const inputNames = ({ inputs }: LearnedWorkflow): string[] => inputs.map(({ name }) => name)
