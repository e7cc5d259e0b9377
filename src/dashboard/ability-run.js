import { get, post } from './api.js'
import { badge, fill, make } from './element.js'
import { attempt } from './notices.js'
import { plain, toneOf } from './words.js'

/** @typedef {import('@apprentice/contracts/abilities/runs.ts').AbilityRun} AbilityRun */
/** @typedef {import('@apprentice/contracts/abilities/availability.ts').AbilityDetail} AbilityDetail */
/** @typedef {import('@apprentice/contracts/recipes/recipe.ts').RecipeInput} RecipeInput */
/** @typedef {import('@apprentice/contracts/devices/device.ts').Device} Device */

const settled = new Set(['success', 'failed', 'indeterminate', 'cancelled'])
const pollMs = 700

/**
 * Runs an ability with what a person fills in, and tells how it ended.
 *
 * @param {AbilityDetail} ability
 * @param {readonly Device[]} devices
 */
export function createRunForm({ ability_id, inputs, usable_now }, devices) {
  const fields = inputs.map((input) => ({ input, field: fieldOf(input) }))
  const device = make(
    'select',
    { 'aria-label': 'Device' },
    ...devices.map(({ serial, label, facts }) =>
      make('option', { value: serial }, label ?? facts.model ?? serial),
    ),
  )
  const button = make('button', { className: 'primary', disabled: !usable_now }, 'Run')
  const result = make('p', { className: 'run-result', role: 'status' })
  const node = make(
    'form',
    { className: 'questions' },
    ...fields.map(({ input, field }) =>
      make('label', { className: 'field' }, make('span', {}, wordsFor(input)), field),
    ),
    devices.length > 1 && make('label', { className: 'field' }, make('span', {}, 'Device'), device),
    make('div', { className: 'buttons' }, button),
    result,
  )
  node.addEventListener('submit', (event) => {
    event.preventDefault()
    void attempt(async () => {
      button.disabled = true
      fill(result, badge('running', 'busy'))
      try {
        const asked = {
          inputs: said(fields),
          ...(device.value === '' ? {} : { serial: device.value }),
        }
        /** @type {{ run: AbilityRun }} */
        let { run } = await post(`/api/abilities/${ability_id}/run`, asked)
        while (!settled.has(run.state)) {
          await new Promise((done) => setTimeout(done, pollMs))
          ;({ run } = await get(`/api/abilities/runs/${run.run_id}`))
        }
        fill(result, ...ending(run))
      } catch (error) {
        fill(result)
        throw error
      } finally {
        button.disabled = !usable_now
      }
    })
  })
  return node
}

/** @param {RecipeInput} input */
function fieldOf({ name, type, required, default: usual, choices }) {
  if (choices !== undefined) {
    const options = required ? choices : ['', ...choices]
    return make(
      'select',
      { name },
      ...options.map((value) => make('option', { value, selected: value === usual }, value)),
    )
  }
  if (type === 'boolean') return make('input', { name, type: 'checkbox', checked: usual === true })
  return make('input', {
    name,
    maxLength: 512,
    required: required && usual === undefined,
    value: usual === undefined ? '' : String(usual),
    ...(isNumeric(type) ? { type: 'number', step: type === 'integer' ? '1' : 'any' } : {}),
  })
}

/** @param {RecipeInput['type']} type */
const isNumeric = (type) => type === 'integer' || type === 'number'

/** @param {RecipeInput} input */
const wordsFor = ({ name, summary }) => summary ?? plain(name)

/** @param {readonly { input: RecipeInput, field: HTMLInputElement | HTMLSelectElement }[]} fields */
function said(fields) {
  /** @type {Record<string, string | number | boolean>} */
  const values = {}
  for (const { input, field } of fields) {
    if (field instanceof HTMLInputElement && field.type === 'checkbox') {
      values[input.name] = field.checked
    } else if (field.value !== '') {
      values[input.name] = isNumeric(input.type) ? Number(field.value) : field.value
    }
  }
  return values
}

/** @param {AbilityRun} run */
function ending({ state, acted, trouble, verification }) {
  const seen = verification.flatMap(({ observed }) => (observed === undefined ? [] : [observed]))
  return [
    badge(plain(state), toneOf(state)),
    ' ',
    state === 'success' && !acted && 'It was so already. ',
    state === 'success' && seen.length > 0 && `The phone shows: ${seen.join(', ')}. `,
    trouble && `${trouble.message} `,
    trouble?.in_the_way !== undefined && `In the way: ${trouble.in_the_way}.`,
  ]
}
