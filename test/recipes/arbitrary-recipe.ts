import fc from 'fast-check'
import type {
  Recipe,
  RecipeInput,
  RecipeSelector,
  RecipeStep,
  RecipeVerification,
} from '@apprentice/contracts/recipes/recipe.ts'
import { inferCapabilities } from '../../src/knowledge/recipes/lower/capabilities.ts'

const INPUTS: RecipeInput[] = [
  { name: 'room', type: 'string', required: true },
  { name: 'level', type: 'integer[-5,40]', required: true },
  { name: 'on', type: 'boolean', required: false, default: true },
  { name: 'note', type: 'string', required: false, default: 'x' },
]

const annotation = fc.constantFrom('STRUCTURAL', 'VARIABLE', 'USER_SPECIFIC', 'DERIVED')

/** Hostile texts. Every `${` is escaped. */
const hostileText = fc
  .array(
    fc.oneof(
      fc.string({ unit: 'binary', maxLength: 6 }),
      fc.constantFrom('---', '```', '## Step', '<!--', ' #', ': ', '\n', '"', "'", '- ', '$', '{', '*a'),
      fc.constantFrom('yes', 'null', '0x1f', '1.20', '~', '2024-01-02', '{{A}}'),
    ),
    { maxLength: 3 },
  )
  .map((parts) => parts.join('').replaceAll('${', '$${'))
const textWithInputs = fc
  .tuple(hostileText, fc.constantFrom('', '${inputs.room}', '${inputs.note}', '${inputs.level}'), hostileText)
  .map(([before, input, after]) => `${before}${input}${after}`)
  .filter((text) => text.length > 0 && text.length <= 200 && !/\$\$?\{(?!inputs\.\w+\})/.test(text))

const leaf = fc
  .record(
    {
      resource_id: textWithInputs,
      class: textWithInputs,
      text_equals: textWithInputs,
      text_contains: textWithInputs,
      content_desc_contains: textWithInputs,
      clickable: fc.boolean(),
      enabled: fc.boolean(),
      selected: fc.boolean(),
      index_in_parent: fc.nat(20),
      annotation,
    },
    { requiredKeys: [] },
  )
  .map((keys) => ({ enabled: true, ...keys }))
const groups = fc.record(
  {
    any_of: fc.array(leaf, { minLength: 1, maxLength: 2 }),
    all_of: fc.array(leaf, { minLength: 1, maxLength: 2 }),
  },
  { requiredKeys: [] },
)
const plainSelector: fc.Arbitrary<RecipeSelector> = fc.tuple(leaf, groups).map(([keys, more]) => ({ ...keys, ...more }))
const richSelector: fc.Arbitrary<RecipeSelector> = fc
  .tuple(
    plainSelector,
    fc.record(
      {
        content_desc_equals: textWithInputs,
        role: textWithInputs,
        checked: fc.boolean(),
        containing: leaf,
        index: fc.nat(5),
      },
      { requiredKeys: [] },
    ),
  )
  .map(([keys, more]) => ({ ...keys, ...more }))

type Steps = fc.Arbitrary<Omit<RecipeStep, 'id'>>

const createExtras = (selector: fc.Arbitrary<RecipeSelector>) =>
  fc.record(
    {
      container: selector,
      wait: fc.record({ after_ms: fc.nat(900) }),
      retries: fc.record({ count: fc.nat(12) }),
      confirm: fc.record(
        {
          selector,
          text_contains: textWithInputs.filter((text) => text.length < 60),
          timeout_ms: fc.integer({ min: 1, max: 9000 }),
        },
        { requiredKeys: ['selector'] },
      ),
    },
    { requiredKeys: [] },
  )

const createTargetedStep = (type: RecipeStep['type'], selector: fc.Arbitrary<RecipeSelector>): Steps =>
  fc.tuple(selector, createExtras(selector)).map(([target, more]) => ({ type, selector: target, ...more }))

const plainStep: Steps = fc.oneof(
  ...(['click', 'scroll_and_click', 'read_text', 'wait_for_node'] as const).map((type) =>
    createTargetedStep(type, plainSelector),
  ),
  fc.constant({ type: 'snapshot_ui' as const }),
  fc.nat(5000).map((durationMs) => ({ type: 'sleep' as const, params: { durationMs } })),
  fc.constantFrom({ type: 'open_app' as const }, { type: 'close_app' as const }),
  fc.record({ x: fc.nat(1000), y: fc.nat(1000) }).map((coordinate) => ({
    type: 'click' as const,
    params: { coordinate, click_type: 'long_click' },
  })),
)

const richStep: Steps = fc.oneof(
  plainStep,
  createTargetedStep('click', richSelector),
  fc
    .tuple(richSelector, fc.array(leaf, { minLength: 1, maxLength: 2 }), plainSelector)
    .map(([selector, fallbacks, unless]) => ({
      type: 'click' as const,
      selector,
      fallbacks,
      unless,
    })),
  fc.tuple(richSelector, textWithInputs).map(([selector, text]) => ({
    type: 'enter_text' as const,
    selector,
    params: { text, clear: true },
  })),
  fc.tuple(richSelector, fc.constantFrom(true, false, '${inputs.on}')).map(([selector, checked]) => ({
    type: 'set_checked' as const,
    selector,
    params: { checked },
  })),
  fc
    .tuple(plainSelector, richSelector, fc.constantFrom(7, -2.5, '${inputs.level}'))
    .map(([value, increase, target]) => ({
      type: 'adjust_until' as const,
      params: { value, increase, target },
    })),
  fc.constantFrom('back', 'home').map((key) => ({ type: 'press_key' as const, params: { key } })),
  textWithInputs.map((tail) => ({ type: 'open_uri' as const, params: { uri: `app://x/${tail}` } })),
  fc.tuple(richSelector, textWithInputs).map(([selector, equals]) => ({
    type: 'expect' as const,
    selector,
    params: { text: { equals } },
  })),
  richSelector.map((selector) => ({ type: 'read_key_value_pair' as const, selector })),
)

const verification: fc.Arbitrary<Omit<RecipeVerification, 'id'>> = fc
  .tuple(
    richSelector,
    fc.oneof(
      textWithInputs.map((text_equals) => ({ text_equals })),
      textWithInputs.map((text_contains) => ({ text_contains })),
      fc.constantFrom({ number_equals: '${inputs.level}', tolerance: 0.5 }, { number_equals: 3 }),
      fc.constantFrom({ checked: '${inputs.on}' }, { present: false }, {}),
    ),
  )
  .map(([selector, outcome]) => ({ selector, ...outcome }))

const frontMatter = {
  recipe_id: 'com.example.app.do-it',
  recipe_version: '0.1.0',
  application_id: 'com.example.app',
  frameworks: ['unknown'] as const,
  app_build: { version_name: '1', version_code: 1 },
  tested_on: { android_api: 34 },
  outputs: [],
  inputs: INPUTS,
  capabilities: [],
}

const addIds = <T>(list: readonly T[]) => list.map((one, at) => ({ ...one, id: `s${at}` }))

const plainRecipe: fc.Arbitrary<Recipe> = fc
  .record({
    steps: fc.array(plainStep, { minLength: 1, maxLength: 3 }),
    summary: hostileText.filter((text) => /\S/.test(text) && text.length <= 200),
    session_policy: fc.constantFrom('fresh' as const, 'resume_ok' as const),
    recipe_type: fc.constantFrom('flow' as const, 'action' as const),
    last: plainSelector,
  })
  .map(({ steps, last, ...rest }) => ({
    ...frontMatter,
    ...rest,
    frameworks: ['unknown'],
    recipe_dialect: 1,
    steps: addIds([...steps, { type: 'read_text', selector: last }]),
  }))

const richRecipe: fc.Arbitrary<Recipe> = fc
  .record({
    steps: fc.array(richStep, { minLength: 1, maxLength: 4 }),
    verification: fc.array(verification, { minLength: 1, maxLength: 2 }),
    dismissals: fc.array(richSelector, { maxLength: 2 }),
    starts_on: richSelector,
    summary: fc.constant('Do it'),
    session_policy: fc.constantFrom('fresh' as const, 'resume_ok' as const),
    recipe_type: fc.constantFrom('flow' as const, 'action' as const),
  })
  .map(({ steps, verification: outcomes, ...rest }) => ({
    ...frontMatter,
    ...rest,
    frameworks: ['unknown'],
    recipe_dialect: 2,
    steps: addIds(steps),
    verification: addIds(outcomes),
    checkpoints: [{ checkpoint_id: 'done', after_step: 's0' }],
  }))

/** Recipes that are valid except perhaps for rule 8. */
export const anyRecipe: fc.Arbitrary<Recipe> = fc
  .oneof(plainRecipe, richRecipe)
  .map((recipe) => ({ ...recipe, capabilities: inferCapabilities(recipe) }))

/** Valid input values that look like placeholders, patterns and URIs. */
export const anyInputs = fc.record({
  room: fc
    .oneof(
      fc.string({ unit: 'binary', minLength: 1, maxLength: 40 }),
      fc.constantFrom('${inputs.note}', '$${', '${inputs.none}', '{{A}}', '.*', '(', 'a&b=c/../', '"'),
    )
    .filter((text) => text.trim() !== ''),
  level: fc.integer({ min: -5, max: 40 }),
  on: fc.boolean(),
})
