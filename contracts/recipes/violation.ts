import { z } from 'zod'

export const ViolationCode = z.enum([
  'RECIPE_PARSE_FAILED',
  'RECIPE_SCHEMA_INVALID',
  'RECIPE_SELECTOR_KEY_UNKNOWN',
  'RECIPE_ACTION_UNSUPPORTED',
  'RECIPE_VERIFICATION_MISSING',
  'RECIPE_LITERAL_FORBIDDEN',
  'RECIPE_INPUT_MISSING',
  'RECIPE_INPUT_UNDECLARED',
  'RECIPE_INPUT_INVALID',
  'RECIPE_SESSION_POLICY_INVALID',
  'RECIPE_DUPLICATE_ID',
  'RECIPE_CAPABILITY_UNDECLARED',
  'RECIPE_CALL_INVALID',
])
export type ViolationCode = z.infer<typeof ViolationCode>

/**
 * Rules 1 to 9 by number:
 * 1 front matter  2 type and frameworks  3 session policy  4 step blocks  5 action types
 * 6 selector keys  7 verification of side effects  8 no personal literals  9 declared inputs
 * Further rules have names.
 */
export const RecipeRule = z.union([
  z.int().min(1).max(9),
  z.enum([
    'parse',
    'ids',
    'size',
    'session',
    'probe',
    'dialect',
    'capabilities',
    'index',
    'outputs',
    'checkpoints',
    'input_values',
    'execution',
    'calls',
  ]),
])
export type RecipeRule = z.infer<typeof RecipeRule>

export const Violation = z
  .object({
    code: ViolationCode,
    path: z.string().describe('The path, such as steps.2.selector.text_equals; empty for the whole recipe'),
    line: z.int().min(1).optional().describe('The line in the text, if the recipe was sent as text'),
    message: z.string(),
    rule: RecipeRule,
    severity: z.enum(['error', 'warning']),
  })
  .meta({ id: 'RecipeViolation' })
export type Violation = z.infer<typeof Violation>
