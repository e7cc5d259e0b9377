import type { Recipe } from '@apprentice/contracts/recipes/recipe.ts'

const FRONT_MATTER = {
  recipe_version: '1.2.0',
  application_id: 'com.example.climate',
  frameworks: ['compose'],
  session_policy: 'fresh',
  app_build: { version_name: '3.4.1.2', version_code: 341 },
  tested_on: { android_api: 34 },
  outputs: [],
} as const

/** A recipe of dialect 1: turns an appliance on and reads its state. */
export const togglePower: Recipe = {
  ...FRONT_MATTER,
  frameworks: ['compose'],
  outputs: [{ name: 'state', type: 'string', from: 'read_state' }],
  recipe_id: 'com.example.climate.toggle-power',
  recipe_type: 'action',
  recipe_dialect: 1,
  summary: 'Turn an appliance on or off',
  capabilities: ['observe', 'navigate', 'click', 'toggle'],
  inputs: [{ name: 'tile_name', type: 'string', required: true, default: '' }],
  steps: [
    {
      id: 'wait_home',
      type: 'wait_for_node',
      selector: { resource_id: 'com.example.climate:id/home' },
      params: { timeout_ms: 15_000 },
    },
    {
      id: 'open_tile',
      type: 'scroll_and_click',
      selector: { text_equals: '${inputs.tile_name}', annotation: 'USER_SPECIFIC' },
      params: { effect: 'none' },
    },
    {
      id: 'press_power',
      type: 'click',
      selector: { content_desc_contains: 'Power', annotation: 'STRUCTURAL' },
      wait: { after_ms: 500 },
      retries: { count: 2 },
    },
    {
      id: 'read_state',
      type: 'read_text',
      selector: { resource_id: 'com.example.climate:id/state' },
      params: { verifies: 'press_power' },
    },
  ],
}

/** A recipe of dialect 2 with all its additions. */
export const setTemperature: Recipe = {
  ...FRONT_MATTER,
  frameworks: ['compose'],
  outputs: [],
  recipe_id: 'com.example.climate.set-temperature',
  recipe_type: 'action',
  recipe_dialect: 2,
  summary: 'Set the temperature of a room',
  capabilities: ['observe', 'navigate', 'click', 'toggle'],
  inputs: [
    { name: 'room', type: 'string', required: true },
    { name: 'degrees', type: 'integer[5,30]', required: true },
    { name: 'on', type: 'boolean', required: false, default: true },
  ],
  starts_on: { text_equals: 'Rooms', annotation: 'STRUCTURAL' },
  dismissals: [{ text_equals: 'Not now', annotation: 'STRUCTURAL' }],
  steps: [
    {
      id: 'open_room',
      type: 'click',
      selector: {
        class: 'android.view.View',
        clickable: true,
        containing: { text_equals: '${inputs.room}', annotation: 'USER_SPECIFIC' },
      },
      fallbacks: [{ text_contains: '${inputs.room}', annotation: 'USER_SPECIFIC' }],
    },
    {
      id: 'turn_on',
      type: 'set_checked',
      selector: { resource_id: 'com.example.climate:id/switch' },
      params: { checked: '${inputs.on}' },
    },
    {
      id: 'set_degrees',
      type: 'adjust_until',
      params: {
        value: { resource_id: 'com.example.climate:id/target' },
        target: '${inputs.degrees}',
        increase: { content_desc_equals: 'Warmer', annotation: 'STRUCTURAL' },
        decrease: { content_desc_equals: 'Cooler', annotation: 'STRUCTURAL' },
      },
      unless: { text_equals: 'Locked', annotation: 'STRUCTURAL' },
    },
  ],
  checkpoints: [{ checkpoint_id: 'room-open', after_step: 'open_room' }],
  verification: [
    {
      id: 'target',
      selector: { resource_id: 'com.example.climate:id/target' },
      number_equals: '${inputs.degrees}',
    },
    {
      id: 'no-warning',
      selector: { text_equals: 'Offline', annotation: 'STRUCTURAL' },
      present: false,
    },
  ],
}

/** The first recipe as handwritten Markdown. */
export const TOGGLE_POWER_TEXT = `---
recipe_id: com.example.climate.toggle-power
recipe_version: 1.2.0
recipe_type: action
application_id: com.example.climate
summary: Turn an appliance on or off
frameworks: [compose]
session_policy: fresh
app_build: { version_name: "3.4.1.2", version_code: 341 }
tested_on:
  android_api: 34
capabilities: [observe, navigate, click, toggle]
inputs:
  - name: tile_name
    type: string
    required: true
    default: ""
outputs:
  - { name: state, type: string, from: read_state }
---

# Toggle power

Prose is for people. A block outside a step is prose too:

\`\`\`yaml
id: not_a_step
\`\`\`

## Step 1: be at home

\`\`\`yaml
id: wait_home
type: wait_for_node
selector: { resource_id: "com.example.climate:id/home" }
params: { timeout_ms: 15000 }
\`\`\`

## Step 2: open the tile

\`\`\`yaml
id: open_tile
type: scroll_and_click
matcher:
  text_equals: \${inputs.tile_name}
  annotation: USER_SPECIFIC
params: { effect: none }
\`\`\`

<!--
## Step that is not there any more
-->

## Step 3: press

\`\`\`text
## Step inside a block
\`\`\`

\`\`\`yaml
id: press_power
type: click
selector: { content_desc_contains: Power, annotation: STRUCTURAL }
wait: { after_ms: 500 }
retries: { count: 2 }
\`\`\`

## Step 4: read

\`\`\`yaml
id: read_state
type: read_text
selector: { resource_id: "com.example.climate:id/state" }
params: { verifies: press_power }
\`\`\`

## Notes

Nothing here is read.
`
