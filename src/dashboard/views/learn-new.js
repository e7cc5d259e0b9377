import { get, post } from '../api.js'
import { currentSession } from '../current-session.js'
import { fill, make } from '../element.js'
import { attempt } from '../notices.js'
import { entryModes } from '../words.js'

/** @typedef {import('@apprentice/contracts/learn/session.ts').EntryMode} EntryMode */
/** @typedef {import('@apprentice/contracts/devices/device.ts').Device} Device */
/**
 * @typedef {object} Card
 * @property {EntryMode} mode
 * @property {string} says
 * @property {'none' | 'inside_agent' | 'outside_agent' | 'mixed'} watches
 * @property {string} [leads] where it is done, when not here
 */

/** @type {readonly Card[]} */
const cards = [
  {
    mode: 'demonstrating_skill',
    says: 'Do it once on a phone while you are watched; the steps become a draft.',
    watches: 'mixed',
  },
  {
    mode: 'coaching_agent',
    says: 'Let an agent try and correct it as it goes.',
    watches: 'inside_agent',
  },
  {
    mode: 'autonomous_agent_practice',
    says: 'Give a goal and its limits; an agent finds the way by itself.',
    watches: 'inside_agent',
  },
  {
    mode: 'improving_existing_skill',
    says: 'Show what an installed skill should do differently.',
    watches: 'inside_agent',
  },
  {
    mode: 'import_skill',
    says: 'Take a skill over from a bundle.',
    watches: 'none',
    leads: '#/import',
  },
]

/** @type {Readonly<Record<Card['watches'], string>>} */
const watching = {
  mixed: 'Everything: the agent’s work and mine',
  outside_agent: 'My own actions',
  inside_agent: 'The agent’s work',
  none: 'Nothing',
}

/** @param {HTMLElement} place */
export function showNew(place) {
  const setup = make('div')
  const buttons = cards.map((card) => cardOf(card, () => choose(card)))
  const choose = (/** @type {Card} */ card) => {
    if (card.leads !== undefined) {
      location.hash = card.leads
      return
    }
    for (const [at, button] of buttons.entries()) {
      button.setAttribute('aria-pressed', String(cards[at] === card))
    }
    void attempt(async () => {
      /** @type {{ devices: Device[] }} */
      const { devices } = await get('/api/devices')
      const form = setupOf(card, devices)
      fill(setup, form)
      form.querySelector('select')?.focus()
    })
  }
  place.append(
    make('h2', {}, 'Create new ability by:'),
    make('div', { className: 'cards' }, ...buttons),
    setup,
  )
  return () => {}
}

/**
 * @param {Card} card
 * @param {() => void} choose
 */
function cardOf({ mode, says }, choose) {
  return make(
    'button',
    {
      type: 'button',
      className: 'card',
      onclick: choose,
      'aria-pressed': 'false',
    },
    make('strong', {}, entryModes[mode]),
    make('span', {}, says),
  )
}

/**
 * @param {Card} card
 * @param {readonly Device[]} devices
 */
function setupOf({ mode, watches }, devices) {
  const device = phoneChoice(devices)
  const observe = choice(Object.entries(watching))
  observe.value = watches
  const apps = make('input', { name: 'apps', placeholder: 'all apps', autocomplete: 'off' })
  const skill = make('input', {
    name: 'skill',
    required: true,
    maxLength: 160,
    autocomplete: 'off',
  })
  const improves = mode === 'improving_existing_skill'
  return make(
    'form',
    {
      className: 'panel setup',
      'aria-label': `Set up ${entryModes[mode]}`,
      onsubmit: (/** @type {Event} */ event) => {
        event.preventDefault()
        void attempt(() =>
          begin({
            entry_mode: mode,
            observation_mode: observe.value,
            target_app_whitelist: apps.value.split(',').filter((app) => app.trim() !== ''),
            ...(device.value === '' ? {} : { device_serial: device.value }),
            ...(improves ? { target_skill_id: skill.value } : {}),
          }),
        )
      },
    },
    make('h3', {}, entryModes[mode]),
    improves && field('Skill to improve (its id)', skill),
    field('Phone', device),
    field('Watch My Actions', observe),
    field('Only these apps, separated by commas', apps),
    make('button', { className: 'primary' }, 'Create session'),
  )
}

/** @param {readonly Device[]} devices */
function phoneChoice(devices) {
  const present = devices.filter(({ state }) => state === 'device')
  const named = present.map(({ serial, label, facts, simulated }) => {
    const name = label ?? facts.model ?? serial
    return [serial, simulated ? `${name} (simulated)` : name]
  })
  return choice([...named, ['', 'No phone']])
}

/** @param {readonly (readonly string[])[]} options value and words of each */
function choice(options) {
  return make('select', {}, ...options.map(([value, words]) => make('option', { value }, words)))
}

/** @param {object} body */
async function begin(body) {
  /** @type {{ session: { learn_session_id: string } }} */
  const { session } = await post('/api/learn/sessions', body)
  await currentSession.choose(session.learn_session_id)
  location.hash = '#/learn/active'
}

/**
 * @param {string} words
 * @param {HTMLElement} control
 */
const field = (words, control) =>
  make('label', { className: 'field' }, make('span', {}, words), control)
