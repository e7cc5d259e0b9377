import { z } from 'zod'
import {
  DIALECT_1_TYPES,
  type Recipe,
  RecipeSelector,
  type RecipeStep,
  RecipeStepId,
  type RecipeStepType,
} from '@apprentice/contracts/recipes/recipe.ts'
import type { Violation, ViolationCode } from '@apprentice/contracts/recipes/violation.ts'
import { schemaViolations } from '../parse/schema-violations.ts'
import {
  isSelectorParam,
  NOTES,
  paramOf,
  paramsOf,
  spelledParam,
  takesContainer,
  TARGET_PARAM,
} from '../parse/step-params.ts'
import { errorAt, type RecipePath } from '../parse/violations.ts'

const TARGET_REQUIRED: ReadonlySet<RecipeStepType> = new Set([
  'wait_for_node',
  'scroll_and_click',
  'read_text',
  'read_key_value_pair',
  'set_checked',
  'expect',
])

/** What only looks: all that a probe may be made of. */
const PROBING: ReadonlySet<RecipeStepType> = new Set([
  'wait_for_node',
  'wait_for_navigation',
  'read_text',
  'read_key_value_pair',
  'snapshot_ui',
  'take_screenshot',
  'expect',
  'sleep',
])

const NOTE_SHAPES: Readonly<Record<(typeof NOTES)[number], z.ZodType>> = {
  effect: z.enum(['none', 'local_state', 'side_effect']),
  verifies: z.union([RecipeStepId, z.array(RecipeStepId).min(1).max(50)]),
  expected_count: z.int().min(0).max(1000),
}

/** Whether each step is of a type there is, has the target it needs, and says nothing it cannot say. */
export function checkSteps(recipe: Recipe): Violation[] {
  if (recipe.steps.length === 0) {
    const message = 'A recipe has at least one step'
    return [errorAt({ code: 'RECIPE_SCHEMA_INVALID', rule: 4, path: ['steps'], message })]
  }
  return recipe.steps.flatMap((step, at) => {
    const path = ['steps', at]
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
    const message = `${type} needs recipe_dialect: 2`
    found.push(errorAt({ code, rule: 5, path: [...path, 'type'], message }))
  }
  if (recipe.recipe_type === 'probe' && !PROBING.has(type)) {
    const message = `A probe only looks; ${type} does more`
    found.push(errorAt({ code, rule: 'probe', path: [...path, 'type'], message }))
  }
  return found
}

function checkTarget(step: RecipeStep, path: RecipePath): Violation[] {
  const { type, selector } = step
  const pointed = paramOf(step, 'coordinate') !== undefined
  const intoFocus = paramOf(step, 'intoFocus') === true
  if (selector === undefined) {
    const lacking =
      TARGET_REQUIRED.has(type) ||
      (type === 'click' && !pointed) ||
      (type === 'enter_text' && !intoFocus)
    return lacking ? [refused([...path, 'selector'], `${type} needs a selector`)] : []
  }
  if (TARGET_PARAM[type] === undefined) {
    return [refused([...path, 'selector'], `${type} takes no selector`)]
  }
  return pointed ? [refused([...path, 'selector'], 'A selector or a coordinate, not both')] : []
}

function checkExtras(step: RecipeStep, path: RecipePath): Violation[] {
  const { type, selector, container, fallbacks, retries, confirm, when } = step
  const found: Violation[] = []
  if (container !== undefined && !takesContainer(type)) {
    found.push(refused([...path, 'container'], `${type} takes no container`))
  }
  if (fallbacks !== undefined && selector === undefined) {
    found.push(refused([...path, 'fallbacks'], 'Fallbacks stand in for a selector'))
  }
  if (retries !== undefined && ![...paramsOf(type)].some((name) => /retry$/i.test(name))) {
    found.push(refused([...path, 'retries'], `${type} is not done again`))
  }
  if (confirm !== undefined && when !== undefined) {
    found.push(refused([...path, 'confirm'], 'A step that may be left out cannot be confirmed'))
  }
  return found
}

function checkParam(step: RecipeStep, name: string, value: unknown, path: RecipePath): Violation[] {
  const { type } = step
  const note = NOTES.find((one) => one === name)
  if (note !== undefined) {
    const parsed = NOTE_SHAPES[note].safeParse(value)
    return parsed.success ? [] : schemaViolations(parsed.error.issues, { value, path })
  }
  const spelled = spelledParam(type, name)
  if (spelled === undefined) return [refused(path, `${type} has no parameter ${name}`)]
  if (spelled !== name && Object.hasOwn(step.params ?? {}, spelled)) {
    return [refused(path, `This is ${spelled} once more`)]
  }
  if (!isSelectorParam(type, spelled)) return []
  const parsed = RecipeSelector.safeParse(value)
  return parsed.success
    ? []
    : schemaViolations(parsed.error.issues, { value, path, isSelector: true })
}

function refused(path: RecipePath, message: string): Violation {
  return errorAt({ code: 'RECIPE_SCHEMA_INVALID', rule: 4, path, message })
}
