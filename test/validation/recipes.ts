import { Recipe } from '@apprentice/contracts/recipes/recipe.ts'

const common = {
  recipe_version: '0.1.0',
  recipe_type: 'action',
  recipe_dialect: 2,
  frameworks: ['views'],
  session_policy: 'fresh',
  app_build: { version_name: '1.0', version_code: 1 },
  tested_on: { android_api: 34 },
  outputs: [],
} as const

/** Writes a note. */
export const noteRecipe = (): Recipe =>
  Recipe.parse({
    ...common,
    recipe_id: 'org.apprentice.notes.write',
    application_id: 'org.apprentice.notes',
    summary: 'Write a note',
    capabilities: ['observe', 'navigate', 'click', 'type_text'],
    inputs: [{ name: 'title', type: 'string', required: true }],
    steps: [
      {
        id: 'new',
        type: 'click',
        selector: { resource_id: 'org.apprentice.notes:id/new_note' },
        params: { effect: 'none' },
      },
      {
        id: 'write',
        type: 'enter_text',
        selector: { resource_id: 'org.apprentice.notes:id/title' },
        params: { text: '${inputs.title}' },
      },
      {
        id: 'save',
        type: 'click',
        selector: { text_equals: 'Save', annotation: 'STRUCTURAL' },
      },
    ],
    verification: [
      {
        id: 'listed',
        selector: { text_equals: '${inputs.title}', annotation: 'VARIABLE' },
      },
    ],
    checkpoints: [{ checkpoint_id: 'cp-01', after_step: 'save' }],
  })

const unit = 'org.apprentice.climate:id'

/** Sets the temperature of a unit and checks it in the list. */
export const climateRecipe = (): Recipe =>
  Recipe.parse({
    ...common,
    recipe_id: 'org.apprentice.climate.set_temperature',
    application_id: 'org.apprentice.climate',
    summary: 'Set the temperature of a unit',
    capabilities: ['observe', 'navigate', 'click', 'toggle'],
    inputs: [
      { name: 'unit', type: 'string', required: true },
      { name: 'temperature', type: 'number', required: true },
    ],
    steps: [
      {
        id: 'open_unit',
        type: 'scroll_and_click',
        selector: { text_equals: '${inputs.unit}', annotation: 'VARIABLE' },
        params: { effect: 'none' },
      },
      {
        id: 'set',
        type: 'adjust_until',
        params: {
          value: { resource_id: `${unit}/temperature_value` },
          target: '${inputs.temperature}',
          increase: { content_desc_equals: 'Warmer' },
          decrease: { content_desc_equals: 'Colder' },
        },
      },
      { id: 'save', type: 'click', selector: { resource_id: `${unit}/save` } },
      {
        id: 'confirm',
        type: 'click',
        selector: { resource_id: 'android:id/button1' },
      },
    ],
    verification: [
      {
        id: 'listed',
        selector: {
          resource_id: `${unit}/unit`,
          containing: { text_equals: '${inputs.unit}', annotation: 'VARIABLE' },
        },
      },
    ],
    checkpoints: [
      { checkpoint_id: 'cp-01', after_step: 'open_unit' },
      { checkpoint_id: 'cp-02', after_step: 'confirm' },
    ],
  })
