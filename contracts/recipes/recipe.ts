import { z } from 'zod'
import { AccountMarks } from '../devices/execution.ts'
import { Capability } from '../policy/capability.ts'
import { MAX_INPUT_LENGTH, patternText } from '../devices/param-rules.ts'
import { Annotation, RecipeContainer, RecipeFallback, RecipeSelector, selectorText } from './selector.ts'

export { Annotation, RecipeContainer, RecipeFallback, RecipeSelector } from './selector.ts'

export const RecipeType = z.enum(['probe', 'flow', 'action'])
export type RecipeType = z.infer<typeof RecipeType>

export const Framework = z.enum(['views', 'compose', 'react-native', 'expo', 'flutter', 'webview', 'hybrid', 'unknown'])
export type Framework = z.infer<typeof Framework>

export { Capability }

export const Redaction = z.enum(['none', 'hash', 'mask', 'drop'])
export type Redaction = z.infer<typeof Redaction>

/** The action types of both dialects. */
export const DIALECT_1_TYPES = [
  'open_app',
  'close_app',
  'wait_for_node',
  'click',
  'scroll_and_click',
  'read_text',
  'snapshot_ui',
  'sleep',
] as const

/** The action types that require `recipe_dialect: 2`. */
export const DIALECT_2_TYPES = [
  'enter_text',
  'press_key',
  'open_uri',
  'scroll',
  'scroll_until',
  'swipe',
  'wait_for_navigation',
  'read_key_value_pair',
  'take_screenshot',
  'set_checked',
  'adjust_until',
  'pick_date',
  'expect',
  'call_ability',
] as const

export const RecipeStepType = z.enum([...DIALECT_1_TYPES, ...DIALECT_2_TYPES])
export type RecipeStepType = z.infer<typeof RecipeStepType>

/** The id of a step, a verification or a checkpoint, unique in its recipe. */
export const RecipeStepId = z.string().regex(/^[A-Za-z0-9_.-]{1,128}$/)

/** An input as the whole value: `${inputs.<name>}`. */
const InputReference = z.string().regex(/^\$\{inputs\.[A-Za-z0-9_]+\}$/)
const timeoutMs = z.int().min(1).max(120_000)

export const RecipeInputType = z.string().regex(/^(string|integer|number|boolean|integer\[-?\d{1,15},-?\d{1,15}\])$/, {
  error: 'type must be string, integer, integer[min,max], number or boolean',
})

export const RecipeInput = z
  .strictObject({
    name: z
      .string()
      .regex(/^[A-Za-z0-9_]{1,64}$/)
      .refine(
        (name) => !['__proto__', 'constructor', 'prototype'].includes(name),
        'name must not be __proto__, constructor or prototype',
      ),
    type: RecipeInputType,
    required: z.boolean().default(true),
    default: z.union([z.string().max(MAX_INPUT_LENGTH), z.number(), z.boolean()]).optional(),
    summary: z.string().max(240).optional(),
    multiline: z.boolean().optional().describe('False: a value with line breaks is refused'),
    choices: z
      .array(z.string().min(1).max(120))
      .min(1)
      .max(50)
      .optional()
      .describe('Options that the app offers to every user'),
  })
  .meta({ id: 'RecipeInput' })
export type RecipeInput = z.output<typeof RecipeInput>

export const RecipeOutput = z
  .strictObject({
    name: z.string().regex(/^[A-Za-z0-9_]{1,64}$/),
    type: z.enum(['string', 'integer', 'number', 'boolean', 'list']),
    redaction: Redaction.optional().describe('By default mask for a string or a list and none for other types'),
    from: RecipeStepId.optional().describe('The id of the step that reads the value'),
    pattern: patternText(200, 'pattern').optional().describe('A regular expression; its capture group is the value'),
  })
  .meta({ id: 'RecipeOutput' })
export type RecipeOutput = z.infer<typeof RecipeOutput>

const textChecks = {
  text_equals: selectorText.optional(),
  text_contains: selectorText.optional(),
  text_matches: patternText(200, 'text_matches').optional().describe('A pattern for the whole text'),
}

/** What the screen must show after a step for the step to succeed. */
export const RecipeConfirm = z
  .strictObject({
    selector: RecipeSelector,
    container: RecipeContainer.optional(),
    ...textChecks,
    timeout_ms: timeoutMs.optional(),
  })
  .refine((confirm) => countGiven(confirm, Object.keys(textChecks)) <= 1, {
    error: 'confirm may have only one of text_equals, text_contains and text_matches',
  })
  .meta({ id: 'RecipeConfirm' })
export type RecipeConfirm = z.infer<typeof RecipeConfirm>

export const RecipeStep = z
  .strictObject({
    id: RecipeStepId,
    type: RecipeStepType,
    selector: RecipeSelector.optional(),
    container: RecipeContainer.optional(),
    wait: z.strictObject({ after_ms: z.int().min(0).max(120_000) }).optional(),
    retries: z.strictObject({ count: z.int().min(0).max(100) }).optional(),
    confirm: RecipeConfirm.optional(),
    params: z
      .record(z.string().regex(/^[a-z][A-Za-z0-9_]{0,63}$/), z.unknown())
      .optional()
      .describe('Parameters of the action in camelCase or snake_case, and `effect`, `verifies` and `expected_count`'),
    fallbacks: z.array(RecipeFallback).min(1).max(5).optional().describe('Dialect 2'),
    when: RecipeFallback.optional().describe('Dialect 2: execute the step only if this is on the screen'),
    unless: RecipeFallback.optional().describe('Dialect 2: skip the step if this is on the screen'),
  })
  .meta({ id: 'RecipeStep' })
export type RecipeStep = z.infer<typeof RecipeStep>

const OUTCOME_KEYS = [...Object.keys(textChecks), 'number_equals', 'checked']

/** What the screen must show after all steps. */
export const RecipeVerification = z
  .strictObject({
    id: RecipeStepId,
    selector: RecipeSelector,
    container: RecipeContainer.optional(),
    fallbacks: z.array(RecipeFallback).min(1).max(5).optional().describe('Other ways to find the same node'),
    ...textChecks,
    number_equals: z.union([z.number(), InputReference]).optional(),
    tolerance: z.number().min(0).optional().describe('The tolerance of number_equals; by default 0'),
    checked: z.union([z.boolean(), InputReference]).optional(),
    present: z.boolean().optional().describe('By default true'),
    timeout_ms: timeoutMs.optional(),
    whole_list: z.boolean().optional().describe('With present: false, the whole list is searched'),
    transient: z
      .boolean()
      .optional()
      .describe('A message that disappears by itself: it must hold once; after a pause nothing may contradict it'),
    added: z.boolean().optional().describe('The workflow adds it: what was there before the last touch does not count'),
    changed: z.boolean().optional().describe('The workflow changes its text, whatever it was before'),
    changed_by: z
      .union([z.number(), InputReference])
      .optional()
      .describe('The workflow changes the shown number or time of day by this; minutes for a time'),
    other_language: z
      .strictObject({ selector: RecipeFallback, change: z.enum(['shown', 'added', 'changed']).optional() })
      .optional()
      .describe('What to check if the app speaks another language: a place without words, and how the work changes it'),
    tolerated: z
      .array(z.string().min(1).max(120))
      .max(20)
      .optional()
      .describe('Texts of the app that sound like a failure but belong to the page'),
    annotation: Annotation.optional(),
  })
  .refine((verification) => countGiven(verification, OUTCOME_KEYS) <= 1, {
    error: 'a verification may have only one of text_equals, text_contains, text_matches, number_equals and checked',
  })
  .refine((verification) => verification.present !== false || countGiven(verification, OUTCOME_KEYS) === 0, {
    error: 'present: false cannot be combined with a text, number or state',
  })
  .refine(({ tolerance, number_equals }) => tolerance === undefined || number_equals !== undefined, {
    error: 'tolerance requires number_equals',
  })
  .meta({ id: 'RecipeVerification' })
export type RecipeVerification = z.infer<typeof RecipeVerification>

export const RecipeCheckpoint = z.strictObject({
  checkpoint_id: RecipeStepId,
  after_step: RecipeStepId,
})
export type RecipeCheckpoint = z.infer<typeof RecipeCheckpoint>

const versionCode = z.int().min(0)
const notes = z.array(z.string().min(1).max(500)).max(50).optional()

/** A workflow on a phone as data. The same recipe and inputs always compile to the same actions. */
export const Recipe = z
  .strictObject({
    recipe_id: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/),
    recipe_version: z
      .string()
      .max(64)
      .regex(/^\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?(\+[0-9A-Za-z.-]+)?$/, 'must be a semantic version'),
    recipe_type: RecipeType,
    recipe_dialect: z.union([z.literal(1), z.literal(2)]).default(1),
    application_id: z
      .string()
      .max(255)
      .regex(/^[A-Za-z]\w*(\.\w+)+$/, 'must be an Android package'),
    summary: z.string().min(1).max(240).regex(/\S/, 'must not be blank'),
    frameworks: z.array(Framework).min(1).max(8),
    session_policy: z.enum(['fresh', 'resume_ok']),
    app_build: z.strictObject({
      version_name: z.string().min(1).max(120),
      version_code: versionCode,
    }),
    tested_on: z.strictObject({
      android_api: z.int().min(1).max(1000),
      device_model: z.string().max(120).optional(),
      locale: z.string().max(35).optional(),
      last_verified_at: z.iso.datetime({ offset: true }).or(z.iso.date()).optional(),
    }),
    capabilities: z.array(Capability).max(7),
    inputs: z.array(RecipeInput).max(50),
    outputs: z.array(RecipeOutput).max(50),
    compatibility: z
      .strictObject({
        min_version_code: versionCode.optional(),
        max_version_code: versionCode.optional(),
      })
      .optional(),
    known_quirks: notes,
    failure_modes: notes,
    maintainers: notes,
    tags: notes,
    risk_level: z.enum(['low', 'medium', 'high']).optional(),
    fresh_start_injected: z.boolean().optional(),
    starts_on: RecipeSelector.optional().describe('Dialect 2: must be on the screen before the first step'),
    dismissals: z
      .array(RecipeSelector)
      .max(10)
      .optional()
      .describe('Dialect 2: clicked if a dialog hides the target of a step'),
    landmarks: z
      .array(RecipeSelector)
      .max(10)
      .optional()
      .describe('Dialect 2: tabs and filters that were selected; restored if a target is missing'),
    accounts: AccountMarks.optional().describe('Dialect 2: who was signed in, as hashes; another account is refused'),
    words: z
      .array(z.string().min(1).max(120))
      .max(60)
      .optional()
      .describe('Dialect 2: texts of the app on its pages, to know whether it speaks another language'),
    verification: z
      .array(RecipeVerification)
      .max(20)
      .optional()
      .describe('Dialect 2: checked in order after all steps; required for recipes of type action'),
    skip_if_done: z
      .boolean()
      .optional()
      .describe('Dialect 2: if the whole verification holds at the start, all steps are skipped'),
    unproven: z
      .literal(true)
      .optional()
      .describe('Dialect 2: nothing on the screen shows the outcome; there is no verification, runs end indeterminate'),
    checkpoints: z.array(RecipeCheckpoint).max(50).optional().describe('Dialect 2'),
    steps: z.array(RecipeStep).max(300),
  })
  .meta({ id: 'Recipe' })
export type Recipe = z.output<typeof Recipe>

/** Keys of a recipe or a step that require dialect 2. */
export const DIALECT_2_RECIPE_KEYS = [
  'starts_on',
  'dismissals',
  'landmarks',
  'accounts',
  'words',
  'verification',
  'skip_if_done',
  'unproven',
  'checkpoints',
] as const
export const DIALECT_2_STEP_KEYS = ['fallbacks', 'when', 'unless'] as const

function countGiven(object: Readonly<Record<string, unknown>>, keys: readonly string[]): number {
  return keys.filter((key) => object[key] !== undefined).length
}
