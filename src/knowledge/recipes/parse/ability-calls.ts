import { isRecord } from '@apprentice/contracts/devices/matcher.ts'
import { AbilityCall } from '@apprentice/contracts/recipes/call.ts'
import type { Recipe, RecipeStep } from '@apprentice/contracts/recipes/recipe.ts'

export const CALL_TYPE = 'call_ability'

/** A step that calls another ability. */
export interface PlacedCall {
  /** The position of the step in the recipe. */
  readonly at: number
  readonly step_id: string
  readonly call: AbilityCall
}

export const isCall = ({ type }: Pick<RecipeStep, 'type'>): boolean => type === CALL_TYPE

/** The calls of a recipe in order. Steps with invalid parameters are omitted; the check of the steps reports them. */
export function listCalls({ steps }: Pick<Recipe, 'steps'>): PlacedCall[] {
  return steps.flatMap((step, at) => {
    const call = isCall(step) ? AbilityCall.safeParse(withoutAbsentInputs(step.params ?? {})) : undefined
    return call?.success === true ? [{ at, step_id: step.id, call: call.data }] : []
  })
}

/** Filling leaves `undefined` for an input without a value. */
function withoutAbsentInputs(params: Readonly<Record<string, unknown>>): unknown {
  const { inputs } = params
  if (!isRecord(inputs)) return params
  return { ...params, inputs: Object.fromEntries(Object.entries(inputs).filter(([, value]) => value !== undefined)) }
}

/** How a call names the ability. */
export const nameCall = ({ ability_id, slug }: AbilityCall): string => ability_id ?? slug ?? ''
