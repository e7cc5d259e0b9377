import { z } from 'zod'
import {
  DIALECT_1_TYPES,
  type Recipe,
  type RecipeStep,
  RecipeStepId,
  type RecipeStepType,
} from '@apprentice/contracts/recipes/recipe.ts'
import { RecipePartSelector } from '@apprentice/contracts/recipes/selector.ts'
import type { Violation, ViolationCode } from '@apprentice/contracts/recipes/violation.ts'
import { isCall } from '../parse/ability-calls.ts'
import { checkCallStep } from './calls.ts'
import { toViolations } from '../parse/schema-violations.ts'
import {
  isSelectorParam,
  NOTE_PARAMS,
  readParam,
  listParams,
  toParamName,
  takesContainer,
  TARGET_PARAM,
} from '../parse/step-params.ts'
import { errorAt, type RecipePath } from '../parse/violations.ts'

const TARGET_REQUIRED_TYPES: ReadonlySet<RecipeStepType> = new Set([
  'wait_for_node',
  'scroll_and_click',
  'read_text',
  'read_key_value_pair',
  'set_checked',
  'expect',
])

/** The step types allowed in a probe: they only read. */
const PROBE_TYPES: ReadonlySet<RecipeStepType> = new Set([
  'wait_for_node',
  'wait_for_navigation',
  'read_text',
  'read_key_value_pair',
  'snapshot_ui',
  'take_screenshot',
  'expect',
  'sleep',
])

const NOTE_SCHEMAS: Readonly<Record<(typeof NOTE_PARAMS)[number], z.ZodType>> = {
  effect: z.enum(['none', 'local_state', 'side_effect']),
  verifies: z.union([RecipeStepId, z.array(RecipeStepId).min(1).max(50)]),
  expected_count: z.int().min(0).max(1000),
  repeatable: z.boolean(),
}

/** Checks the type, target and parameters of every step. */
export function checkSteps(recipe: Recipe): Violation[] {
  if (recipe.steps.length === 0) {
    const message = 'steps must contain at least one step'
    return [errorAt({ code: 'RECIPE_SCHEMA_INVALID', rule: 4, path: ['steps'], message })]
  }
  return recipe.steps.flatMap((step, at) => {
    const path = ['steps', at]
    if (isCall(step)) return [...checkType(recipe, step, path), ...checkCallStep(recipe, step, path)]
    return [
      ...checkType(recipe, step, path),
      ...checkTarget(step, path),
      ...checkExtras(step, path),
      ...Object.entries(step.params ?? {}).flatMap(([name, value]) =>
        checkParam(step, name, value, [...path, 'params', name]),
      ),
    ]
  })
}

function checkType(recipe: Recipe, { type }: RecipeStep, path: RecipePath): Violation[] {
  const code: ViolationCode = 'RECIPE_ACTION_UNSUPPORTED'
  const known: readonly string[] = DIALECT_1_TYPES
  const found: Violation[] = []
  if (recipe.recipe_dialect === 1 && !known.includes(type)) {
    const message = `The step type ${type} requires recipe_dialect: 2`
    found.push(errorAt({ code, rule: 5, path: [...path, 'type'], message }))
  }
  if (recipe.recipe_type === 'probe' && !PROBE_TYPES.has(type)) {
    const message = `A probe may only read; the step type ${type} is not allowed`
    found.push(errorAt({ code, rule: 'probe', path: [...path, 'type'], message }))
  }
  return found
}

function checkTarget(step: RecipeStep, path: RecipePath): Violation[] {
  const { type, selector } = step
  const hasCoordinate = readParam(step, 'coordinate') !== undefined
  const intoFocus = readParam(step, 'intoFocus') === true
  if (selector === undefined) {
    const isMissing =
      TARGET_REQUIRED_TYPES.has(type) || (type === 'click' && !hasCoordinate) || (type === 'enter_text' && !intoFocus)
    return isMissing ? [invalidStep([...path, 'selector'], `${type} requires a selector`)] : []
  }
  if (TARGET_PARAM[type] === undefined) {
    return [invalidStep([...path, 'selector'], `${type} takes no selector`)]
  }
  return hasCoordinate ? [invalidStep([...path, 'selector'], 'Use either selector or params.coordinate, not both')] : []
}

function checkExtras(step: RecipeStep, path: RecipePath): Violation[] {
  const { type, selector, container, fallbacks, retries, confirm, when } = step
  const found: Violation[] = []
  if (container !== undefined && !takesContainer(type)) {
    found.push(invalidStep([...path, 'container'], `${type} takes no container`))
  }
  if (fallbacks !== undefined && selector === undefined) {
    found.push(invalidStep([...path, 'fallbacks'], 'fallbacks require a selector'))
  }
  if (retries !== undefined && ![...listParams(type)].some((name) => /retry$/i.test(name))) {
    found.push(invalidStep([...path, 'retries'], `${type} does not support retries`))
  }
  if (confirm !== undefined && when !== undefined) {
    found.push(invalidStep([...path, 'confirm'], 'A step with when cannot have confirm, because it may be skipped'))
  }
  return found
}

function checkParam(step: RecipeStep, name: string, value: unknown, path: RecipePath): Violation[] {
  const { type } = step
  const note = NOTE_PARAMS.find((one) => one === name)
  if (note !== undefined) {
    const parsed = NOTE_SCHEMAS[note].safeParse(value)
    return parsed.success ? [] : toViolations(parsed.error.issues, { value, path })
  }
  const spelled = toParamName(type, name)
  if (spelled === undefined) return [invalidStep(path, `${type} has no parameter ${name}`)]
  if (spelled !== name && Object.hasOwn(step.params ?? {}, spelled)) {
    return [invalidStep(path, `${name} is another spelling of ${spelled}; remove one of them`)]
  }
  if (!isSelectorParam(type, spelled)) return []
  const parsed = RecipePartSelector.safeParse(value)
  return parsed.success ? [] : toViolations(parsed.error.issues, { value, path, isSelector: true })
}

function invalidStep(path: RecipePath, message: string): Violation {
  return errorAt({ code: 'RECIPE_SCHEMA_INVALID', rule: 4, path, message })
}
