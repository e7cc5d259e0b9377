import { z } from 'zod'
import { ExecutionView } from '../devices/execution.ts'
import { requestBody, SchemaVersion } from '../base/fields.ts'
import { route } from '../base/route.ts'
import { PolicyProfile } from '../policy/profile.ts'
import { Capability, RecipeType } from './recipe.ts'
import { Violation } from './violation.ts'

const TAG = 'recipes'
const MAX_TEXT_LENGTH = 128_000

const sourceFields = {
  recipe: z.record(z.string(), z.unknown()).optional().describe('The recipe as an object'),
  text: z.string().max(MAX_TEXT_LENGTH).optional().describe('The text of a recipe file'),
  format: z
    .enum(['json', 'markdown'])
    .optional()
    .describe('The format of the text; by default Markdown if it starts with front matter, else JSON'),
}

const ONE_SOURCE_MESSAGE = {
  error: 'requires exactly one of recipe and text',
  path: ['recipe'],
}

/** The step of the recipe that an action of the execution belongs to. */
export const CompiledStepView = z
  .object({
    action_id: z.string(),
    step_id: z.string(),
    checkpoint_id: z.string().optional().describe('The checkpoint that is reached after this action'),
    verification: z.literal(true).optional().describe('The action checks the outcome'),
    confirm: z.literal(true).optional().describe('The action confirms its step'),
  })
  .meta({ id: 'CompiledStep' })

export const lintRecipe = route({
  method: 'POST',
  url: '/api/recipes/lint',
  tag: TAG,
  summary: 'List all violations of a recipe; nothing is stored',
  privilege: 'read',
  body: requestBody({
    ...sourceFields,
    strict: z.boolean().default(false).describe('Report unknown fields as errors instead of warnings'),
    blocked_terms: z
      .array(z.string().min(1).max(200))
      .max(1000)
      .default([])
      .describe('In addition to the blocked terms of the daemon'),
  }).refine(hasOneSource, ONE_SOURCE_MESSAGE),
  reply: z.object({
    valid: z.boolean().describe('True if no violation is an error'),
    violations: z.array(Violation),
    recipe_id: z.string().optional(),
    recipe_type: RecipeType.optional(),
    capabilities: z.array(Capability).optional().describe('The capabilities that its steps use'),
    schema_version: SchemaVersion,
  }),
})

export const compileRecipe = route({
  method: 'POST',
  url: '/api/recipes/compile',
  tag: TAG,
  summary: 'Compile a recipe or a template to an execution; nothing is executed',
  privilege: 'read',
  body: requestBody({
    ...sourceFields,
    inputs: z.record(z.string(), z.unknown()).default({}),
    timeout_ms: z.int().min(1000).max(120_000).optional(),
    policy: PolicyProfile.optional().describe('Refuse a recipe that this profile does not allow'),
    skill_id: z.string().min(1).max(128).optional().describe('For a template; the ids are derived from it'),
    artifact_name: z.string().min(1).max(128).optional().describe('For a template; the ids are derived from it'),
  }).refine(hasOneSource, ONE_SOURCE_MESSAGE),
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
