import { afterAll, beforeAll, expect } from 'vitest'
import { interpretTraces } from '../../src/knowledge/interpret/draft/interpret.ts'
import type { InterpretationContext, LearnedWorkflow } from '../../src/knowledge/interpret/draft/workflow.ts'
import { validateRecipe } from '../../src/knowledge/recipes/check/validate.ts'
import type { Recipe } from '@apprentice/contracts/recipes/recipe.ts'
import { type LabAction, type Lab, openLab, type DemonstrateOptions } from '../bench/learning-lab.ts'

export const climate = 'org.apprentice.climate'
export const notes = 'org.apprentice.notes'
export const settings = 'com.android.settings'
export const portal = 'org.apprentice.portal'
export const shop = 'org.apprentice.shop'

/** Opens a lab for the tests of one file. */
export function useLab(): () => Lab {
  let lab: Lab
  beforeAll(async () => {
    lab = await openLab()
  })
  afterAll(() => lab.close())
  return () => lab
}

export type LearnOptions = DemonstrateOptions & Partial<InterpretationContext>

/** Demonstrates actions once and interprets the trace. */
export async function learn(
  lab: Lab,
  actions: readonly LabAction[],
  { consent, prepare, trace_id, options, ...context }: LearnOptions = {},
): Promise<LearnedWorkflow> {
  const { trace } = await lab.demonstrate(actions, {
    ...(consent !== undefined && { consent }),
    ...(trace_id !== undefined && { trace_id }),
    prepare,
    options,
  })
  return interpretTraces([trace], { marks: [], ...context })
}

/** Returns the recipe, which must exist and be valid. */
export function expectRecipe({ recipe, doubts }: LearnedWorkflow): Recipe {
  if (recipe === undefined) return expect.fail(JSON.stringify(doubts))
  expect(validateRecipe(recipe)).toEqual([])
  return recipe
}

export const listReasons = ({ pruned }: LearnedWorkflow): string[] => pruned.map(({ reason }) => reason)
export const listDescriptions = ({ steps }: LearnedWorkflow): string[] => steps.map(({ description }) => description)
export const listInputNames = ({ inputs }: LearnedWorkflow): string[] => inputs.map(({ name }) => name)
