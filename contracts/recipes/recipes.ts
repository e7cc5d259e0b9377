import { z } from 'zod'
import { ExecutionView } from '../devices/execution.ts'
import { requestBody, SchemaVersion } from '../base/fields.ts'
import { route } from '../base/route.ts'
import { PolicyProfile } from './policy.ts'
import { Capability, RecipeType } from './recipe.ts'
import { Violation } from './violation.ts'

const tag = 'recipes'
const MAX_TEXT = 128_000

const source = {
  recipe: z.record(z.string(), z.unknown()).optional().describe('The recipe as an object'),
  text: z.string().max(MAX_TEXT).optional().describe('The recipe as it is in a file'),
  format: z
    .enum(['json', 'markdown'])
    .optional()
    .describe('Of the text; Markdown begins with its front matter'),
}

const oneSource = {
  error: 'Give the recipe or its text, one of them',
  path: ['recipe'],
}

/** Which step of the recipe an action of the execution belongs to. */
export const CompiledStepView = z
  .object({
    action_id: z.string(),
    step_id: z.string(),
    checkpoint_id: z.string().optional().describe('Reached once this action is done'),
    verification: z.literal(true).optional().describe('It checks the outcome'),
    confirm: z.literal(true).optional().describe('It checks its own step'),
  })
  .meta({ id: 'CompiledStep' })

export const lintRecipe = route({
  method: 'POST',
  url: '/api/recipes/lint',
  tag,
  summary: 'Everything that is wrong with a recipe; nothing is kept',
  privilege: 'read',
  body: requestBody({
    ...source,
    strict: z.boolean().default(false).describe('An unknown field is an error, not a warning'),
    blocked_terms: z
      .array(z.string().min(1).max(200))
      .max(1000)
      .default([])
      .describe("Beside those kept on the daemon's machine"),
  }).refine(hasOneSource, oneSource),
  reply: z.object({
    valid: z.boolean().describe('No violation is an error'),
    violations: z.array(Violation),
    recipe_id: z.string().optional(),
    recipe_type: RecipeType.optional(),
    capabilities: z.array(Capability).optional().describe('Those its steps use'),
    schema_version: SchemaVersion,
  }),
})

export const compileRecipe = route({
  method: 'POST',
  url: '/api/recipes/compile',
  tag,
  summary: 'The execution a recipe, or a template of one, stands for; nothing is run',
  privilege: 'read',
  body: requestBody({
    ...source,
    inputs: z.record(z.string(), z.unknown()).default({}),
    timeout_ms: z.int().min(1000).max(120_000).optional(),
    policy: PolicyProfile.optional().describe('Refuse what this profile does not allow'),
    skill_id: z.string().min(1).max(128).optional().describe('Of a template; part of its ids'),
    artifact_name: z.string().min(1).max(128).optional().describe('Of a template'),
  }).refine(hasOneSource, oneSource),
  reply: z.object({
    execution: ExecutionView,
    steps: z.array(CompiledStepView),
    capabilities: z.array(Capability),
    warnings: z.array(Violation),
    unused_inputs: z.array(z.string()),
    schema_version: SchemaVersion,
  }),
  fails: [
    'RECIPE_INVALID',
    'RECIPE_INPUT_MISSING',
    'RECIPE_INPUT_INVALID',
    'COMPILE_VARS_PARSE_FAILED',
    'COMPILE_VAR_MISSING',
    'COMPILE_VALIDATION_FAILED',
    'POLICY_DENIED',
  ],
})

function hasOneSource({ recipe, text }: { recipe?: unknown; text?: unknown }): boolean {
  return (recipe === undefined) !== (text === undefined)
}
