import type { Recipe, RecipeStep } from '@apprentice/contracts/recipes/recipe.ts'
import { RecipeFallback, RecipeSelector } from '@apprentice/contracts/recipes/selector.ts'
import { canonicalJson } from '../../canonical-json/canonical-json.ts'

/** An anchor that found the target of a step whose selector did not. */
export interface AnchorRepair {
  readonly step_id: string
  /** n: the n-th fallback. 0: the selector itself, without the container of the step. */
  readonly anchor: number
}

export interface RepairedRecipe {
  readonly recipe: Recipe
  /** The steps whose anchors changed. */
  readonly step_ids: readonly string[]
}

/**
 * Puts the anchor that found a target in front, in all steps with the same target. The old anchors stay beside it.
 * Undefined if nothing can be repaired.
 */
export function repairRecipe(recipe: Recipe, repairs: readonly AnchorRepair[]): RepairedRecipe | undefined {
  const swaps = repairs.flatMap((repair) => findSwap(recipe, repair) ?? [])
  const repaired = recipe.steps.map((step) => swaps.reduce(swapAnchor, step))
  const step_ids = repaired.filter((step, at) => step !== recipe.steps[at]).map(({ id }) => id)
  if (step_ids.length === 0) return undefined
  const start = swaps.find(({ old }) => canonicalJson(old.selector) === canonicalJson(recipe.starts_on))
  return {
    recipe: {
      ...recipe,
      recipe_version: nextPatch(recipe.recipe_version),
      steps: repaired,
      ...(start !== undefined && { starts_on: start.selector }),
    },
    step_ids,
  }
}

interface Swap {
  readonly old: Pick<RecipeStep, 'selector' | 'container'>
  /** The new selector, and the old one as a fallback. */
  readonly selector: RecipeSelector
  readonly beside: RecipeFallback
  /** Whether the container of the step stays. */
  readonly keepsContainer: boolean
}

function findSwap({ steps }: Recipe, { step_id, anchor }: AnchorRepair): Swap | undefined {
  const failed = steps.findIndex(({ id }) => id === step_id)
  const own = steps[failed]
  if (own?.selector === undefined) return undefined
  const { selector: old, container } = own
  // A step that brings the target of a later one into view has its selector, but no fallbacks.
  const isSame = (step: RecipeStep) => canonicalJson(step.selector) === canonicalJson(old)
  const step = own.fallbacks === undefined ? steps.slice(failed).find((one) => isSame(one) && one.fallbacks) : own
  const promoted = anchor === 0 ? old : step?.fallbacks?.[anchor - 1]
  if (promoted === undefined || (anchor === 0 && container === undefined)) return undefined
  // A container of the anchor itself would also limit the old anchors.
  const selector = RecipeSelector.safeParse(promoted)
  const beside = RecipeFallback.safeParse(anchor === 0 ? { ...old, container } : old)
  if (!selector.success || !beside.success) return undefined
  return { old: { selector: old, container }, selector: selector.data, beside: beside.data, keepsContainer: anchor > 0 }
}

const MAX_FALLBACKS = 5

function swapAnchor(step: RecipeStep, { old, selector, beside, keepsContainer }: Swap): RecipeStep {
  if (canonicalJson(step.selector) !== canonicalJson(old.selector)) return step
  if (!keepsContainer && canonicalJson(step.container ?? null) !== canonicalJson(old.container ?? null)) return step
  const { container, fallbacks = [], ...rest } = step
  const others = fallbacks.filter((one) => canonicalJson(one) !== canonicalJson(selector))
  return {
    ...rest,
    selector,
    ...(keepsContainer && container !== undefined && { container }),
    fallbacks: [beside, ...others].slice(0, MAX_FALLBACKS),
  }
}

function nextPatch(version: string): string {
  const [, head, patch] = /^(\d+\.\d+)\.(\d+)/.exec(version) ?? []
  return head === undefined ? '1.0.1' : `${head}.${Number(patch) + 1}`
}
