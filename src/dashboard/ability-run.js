import { get, post } from './api.js'
import { badge, fill, make } from './element.js'
import { attempt } from './notices.js'
import { formatName, chooseTone } from './format.js'

/** @typedef {import('@apprentice/contracts/abilities/runs.ts').AbilityRun} AbilityRun */
/** @typedef {import('@apprentice/contracts/abilities/availability.ts').AbilityDetail} AbilityDetail */
/** @typedef {import('@apprentice/contracts/recipes/recipe.ts').RecipeInput} RecipeInput */
/** @typedef {import('@apprentice/contracts/devices/device.ts').Device} Device */

const SETTLED_STATES = new Set(['success', 'failed', 'indeterminate', 'cancelled'])
const POLL_MS = 700

/**
 * A form that runs an ability with the entered inputs and shows the outcome.
 *
 * @param {AbilityDetail} ability
 * @param {readonly Device[]} devices
 */
export function createRunForm({ ability_id, inputs, usable_now, reason_unusable }, devices) {
  // A verified run makes an ability usable that was not rehearsed.
  const isRunnable = usable_now || reason_unusable === 'not_rehearsed'
  const fields = inputs.map((input) => ({ input, field: createField(input) }))
  const device = make(
    'select',
    { 'aria-label': 'Device' },
    ...devices.map(({ serial, label, facts }) => make('option', { value: serial }, label ?? facts.model ?? serial)),
  )
  const button = make('button', { className: 'primary', disabled: !isRunnable }, 'Run')
  const result = make('p', { className: 'run-result', role: 'status' })
  const node = make(
    'form',
    { className: 'questions' },
    ...fields.map(({ input, field }) =>
      make('label', { className: 'field' }, make('span', {}, readLabel(input)), field),
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
        const body = {
          inputs: readValues(fields),
          ...(device.value === '' ? {} : { serial: device.value }),
        }
        /** @type {{ run: AbilityRun }} */
        let { run } = await post(`/api/abilities/${ability_id}/run`, body)
        while (!SETTLED_STATES.has(run.state)) {
          await new Promise((done) => setTimeout(done, POLL_MS))
          ;({ run } = await get(`/api/abilities/runs/${run.run_id}`))
        }
        fill(result, ...describeOutcome(run))
      } catch (error) {
        fill(result)
        throw error
      } finally {
        button.disabled = !isRunnable
      }
    })
  })
  return node
}

/** @param {RecipeInput} input */
function createField({ name, type, required, default: defaultValue, choices }) {
  if (choices !== undefined) {
    const options = required ? choices : ['', ...choices]
    return make(
      'select',
      { name },
      ...options.map((value) => make('option', { value, selected: value === defaultValue }, value)),
    )
  }
  if (type === 'boolean') return make('input', { name, type: 'checkbox', checked: defaultValue === true })
  return make('input', {
    name,
    maxLength: 512,
    required: required && defaultValue === undefined,
    value: defaultValue === undefined ? '' : String(defaultValue),
    ...(isNumeric(type) ? { type: 'number', step: type === 'integer' ? '1' : 'any' } : {}),
  })
}

/** @param {RecipeInput['type']} type */
const isNumeric = (type) => type === 'integer' || type === 'number'

/** @param {RecipeInput} input */
const readLabel = ({ name, summary }) => summary ?? formatName(name)

/** @param {readonly { input: RecipeInput, field: HTMLInputElement | HTMLSelectElement }[]} fields */
function readValues(fields) {
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
function describeOutcome({ state, acted, trouble, verification }) {
  const observations = verification.flatMap(({ observed }) => (observed === undefined ? [] : [observed]))
  return [
    badge(formatName(state), chooseTone(state)),
    ' ',
    state === 'success' && !acted && 'The phone already showed the outcome. ',
    state === 'success' && observations.length > 0 && `The phone shows: ${observations.join(', ')}. `,
    trouble && `${trouble.message} `,
    trouble?.in_the_way !== undefined && `Blocked by: ${trouble.in_the_way}.`,
  ]
}
