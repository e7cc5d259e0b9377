import { AbilityCall, MAX_CALL_DEPTH } from '@apprentice/contracts/recipes/call.ts'
import type { Recipe, RecipeStep } from '@apprentice/contracts/recipes/recipe.ts'
import type { Violation } from '@apprentice/contracts/recipes/violation.ts'
import { listCalls, nameCall, type PlacedCall } from '../parse/ability-calls.ts'
import { describeMismatch } from '../parse/input-values.ts'
import { listInputs } from '../parse/placeholders.ts'
import { toViolations } from '../parse/schema-violations.ts'
import { errorAt, type RecipePath } from '../parse/violations.ts'

/** Fields of a step that need an element on the screen, which a call does not have. */
const SCREEN_FIELDS = ['selector', 'container', 'retries', 'fallbacks', 'when', 'unless'] as const

/** Checks a step of type `call_ability` as far as it can be checked without the called ability. */
export function checkCallStep(recipe: Recipe, step: RecipeStep, path: RecipePath): Violation[] {
  const fields = SCREEN_FIELDS.filter((field) => step[field] !== undefined).map((field) =>
    invalidStep([...path, field], `call_ability takes no ${field}`),
  )
  const parsed = AbilityCall.safeParse(step.params ?? {})
  if (!parsed.success) {
    return [...fields, ...toViolations(parsed.error.issues, { value: step.params ?? {}, path: [...path, 'params'] })]
  }
  const outputs = Object.keys(parsed.data.outputs).flatMap((name) => {
    const declared = recipe.outputs.find((output) => output.name === name)
    const at = [...path, 'params', 'outputs', name]
    if (declared === undefined) return [invalidStep(at, `The output ${name} is not declared; add it to outputs`)]
    return declared.from === undefined ? [] : [invalidStep(at, `The output ${name} already has its value from a step`)]
  })
  return [...fields, ...outputs, ...checkCheckpoint(recipe, step)]
}

/** The checkpoints of a call are those of the called ability; its own needs an action that reaches it. */
function checkCheckpoint({ checkpoints = [] }: Recipe, { id, wait, confirm }: RecipeStep): Violation[] {
  const at = checkpoints.findIndex(({ after_step }) => after_step === id)
  if (at < 0 || wait !== undefined || confirm !== undefined) return []
  const message = 'A checkpoint after a call requires a confirm of the call'
  return [errorAt({ code: 'RECIPE_SCHEMA_INVALID', rule: 'checkpoints', path: ['checkpoints', at], message })]
}

/** An ability that a recipe calls. */
export interface CalledRecipe {
  readonly ability_id: string
  readonly recipe: Recipe
}

/** Finds the ability that a call names. Undefined if it does not exist or cannot be used. */
export type FindCalled = (call: AbilityCall) => CalledRecipe | undefined

/** Checks the calls of a recipe against the installed abilities. */
export function checkCalledAbilities(recipe: Recipe, findCalled: FindCalled): Violation[] {
  const nesting = findNestingProblem(recipe, findCalled)
  return [
    ...listCalls(recipe).flatMap((placed) => checkCall(recipe, placed, findCalled(placed.call))),
    ...(nesting === undefined ? [] : [nesting]),
  ]
}

function checkCall(recipe: Recipe, { at, call }: PlacedCall, called: CalledRecipe | undefined): Violation[] {
  const path = ['steps', at, 'params']
  const name = nameCall(call)
  if (called === undefined) {
    return [invalidCall([...path, 'ability_id'], `The ability ${name} does not exist or cannot be used`)]
  }
  const { capabilities, verification = [] } = called.recipe
  const undeclared = capabilities.filter((one) => !recipe.capabilities.includes(one))
  return [
    ...(verification.length > 0
      ? []
      : [invalidCall([...path, 'ability_id'], `The ability ${name} verifies nothing, so it cannot be a step`)]),
    ...checkPassedInputs(call, called.recipe, path),
    ...Object.entries(call.outputs)
      .filter(([, theirs]) => !called.recipe.outputs.some((output) => output.name === theirs))
      .map(([own, theirs]) => invalidCall([...path, 'outputs', own], `The ability ${name} has no output ${theirs}`)),
    ...undeclared.map((one) =>
      errorAt({
        code: 'RECIPE_CAPABILITY_UNDECLARED',
        rule: 'capabilities',
        path: ['capabilities'],
        message: `The called ability ${name} requires the capability ${one}; add it to capabilities`,
      }),
    ),
  ]
}

function checkPassedInputs(call: AbilityCall, { inputs }: Recipe, path: RecipePath): Violation[] {
  const name = nameCall(call)
  const missing = inputs.filter(
    (input) => input.required && (input.default ?? '') === '' && !Object.hasOwn(call.inputs, input.name),
  )
  return [
    ...missing.map((input) => invalidCall([...path, 'inputs'], `The ability ${name} requires the input ${input.name}`)),
    ...Object.entries(call.inputs).flatMap(([key, value]) => {
      const at = [...path, 'inputs', key]
      const declared = inputs.find((input) => input.name === key)
      if (declared === undefined) return [invalidCall(at, `The ability ${name} has no input ${key}`)]
      const isLiteral = typeof value !== 'string' || listInputs(value).length === 0
      const expected = isLiteral ? describeMismatch(declared, value) : undefined
      return expected === undefined ? [] : [invalidCall(at, `The input ${key} must be ${expected}`)]
    }),
  ]
}

/** A cycle, or a chain of more than `MAX_CALL_DEPTH` calls. Recipes are told apart by `recipe_id`. */
export function findNestingProblem(recipe: Recipe, findCalled: FindCalled): Violation | undefined {
  const depths = new Map<string, number>()
  const open = new Set<string>()
  /** The length of the longest chain of calls from a recipe. `Infinity` for a cycle. */
  const measure = (current: Recipe): number => {
    const known = depths.get(current.recipe_id)
    if (known !== undefined) return known
    if (open.has(current.recipe_id)) return Number.POSITIVE_INFINITY
    open.add(current.recipe_id)
    const called = listCalls(current).flatMap(({ call }) => findCalled(call) ?? [])
    const depth = called.reduce((longest, one) => Math.max(longest, 1 + measure(one.recipe)), 0)
    open.delete(current.recipe_id)
    depths.set(current.recipe_id, depth)
    return depth
  }
  const depth = measure(recipe)
  if (depth <= MAX_CALL_DEPTH) return undefined
  const message =
    depth === Number.POSITIVE_INFINITY
      ? 'The ability calls itself, directly or through another ability'
      : `The calls are nested ${depth} deep; the maximum is ${MAX_CALL_DEPTH}`
  return invalidCall(['steps'], message)
}

function invalidCall(path: RecipePath, message: string): Violation {
  return errorAt({ code: 'RECIPE_CALL_INVALID', rule: 'calls', path, message })
}

function invalidStep(path: RecipePath, message: string): Violation {
  return errorAt({ code: 'RECIPE_SCHEMA_INVALID', rule: 4, path, message })
}
