import { get, post } from '../api.js'
import { currentSession } from '../current-session.js'
import { fill, make } from '../element.js'
import { attempt } from '../notices.js'
import { ENTRY_MODES } from '../format.js'

/** @typedef {import('@apprentice/contracts/learn/session.ts').EntryMode} EntryMode */
/** @typedef {import('@apprentice/contracts/devices/device.ts').Device} Device */
/**
 * @typedef {object} Card
 * @property {EntryMode} mode
 * @property {string} description
 * @property {'none' | 'inside_agent' | 'outside_agent' | 'mixed'} observation
 * @property {string} [link] the page of a mode that has its own
 */

/** @type {readonly Card[]} */
const CARDS = [
  {
    mode: 'demonstrating_skill',
    description: 'Demonstrate the workflow once on a phone. The steps become a draft.',
    observation: 'mixed',
  },
  {
    mode: 'coaching_agent',
    description: 'Let an agent try, and correct it while it works.',
    observation: 'inside_agent',
  },
  {
    mode: 'autonomous_agent_practice',
    description: 'Set a goal and limits. The agent finds the steps by itself.',
    observation: 'inside_agent',
  },
  {
    mode: 'improving_existing_skill',
    description: 'Demonstrate what an installed skill should do differently.',
    observation: 'inside_agent',
  },
  {
    mode: 'import_skill',
    description: 'Import a skill from a bundle.',
    observation: 'none',
    link: '#/import',
  },
]

/** @type {Readonly<Record<Card['observation'], string>>} */
const OBSERVATION_MODES = {
  mixed: 'The agent’s actions and mine',
  outside_agent: 'My actions',
  inside_agent: 'The agent’s actions',
  none: 'Nothing',
}

/** @param {HTMLElement} place */
export function showNew(place) {
  const setup = make('div')
  const buttons = CARDS.map((card) => createCard(card, () => choose(card)))
  const choose = (/** @type {Card} */ card) => {
    if (card.link !== undefined) {
      location.hash = card.link
      return
    }
    for (const [at, button] of buttons.entries()) {
      button.setAttribute('aria-pressed', String(CARDS[at] === card))
    }
    void attempt(async () => {
      /** @type {{ devices: Device[] }} */
      const { devices } = await get('/api/devices')
      const form = createSetup(card, devices)
      fill(setup, form)
      form.querySelector('select')?.focus()
    })
  }
  place.append(make('h2', {}, 'Create new ability by:'), make('div', { className: 'cards' }, ...buttons), setup)
  return () => {}
}

/**
 * @param {Card} card
 * @param {() => void} choose
 */
function createCard({ mode, description }, choose) {
  return make(
    'button',
    {
      type: 'button',
      className: 'card',
      onclick: choose,
      'aria-pressed': 'false',
    },
    make('strong', {}, ENTRY_MODES[mode]),
    make('span', {}, description),
  )
}

/**
 * @param {Card} card
 * @param {readonly Device[]} devices
 */
function createSetup({ mode, observation }, devices) {
  const device = createPhoneChoice(devices)
  const observe = createChoice(Object.entries(OBSERVATION_MODES))
  observe.value = observation
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
      'aria-label': `Set up ${ENTRY_MODES[mode]}`,
      onsubmit: (/** @type {Event} */ event) => {
        event.preventDefault()
        void attempt(() =>
          createSession({
            entry_mode: mode,
            observation_mode: observe.value,
            target_app_whitelist: apps.value.split(',').filter((app) => app.trim() !== ''),
            ...(device.value === '' ? {} : { device_serial: device.value }),
            ...(improves ? { target_skill_id: skill.value } : {}),
          }),
        )
      },
    },
    make('h3', {}, ENTRY_MODES[mode]),
    improves && field('Skill to improve (its id)', skill),
    field('Phone', device),
    field('Watch My Actions', observe),
    field('Only these apps, separated by commas', apps),
    make('button', { className: 'primary' }, 'Create session'),
  )
}

/** @param {readonly Device[]} devices */
function createPhoneChoice(devices) {
  const connected = devices.filter(({ state }) => state === 'device')
  const options = connected.map(({ serial, label, facts, simulated }) => {
    const name = label ?? facts.model ?? serial
    return [serial, simulated ? `${name} (simulated)` : name]
  })
  return createChoice([...options, ['', 'No phone']])
}

/** @param {readonly (readonly string[])[]} options value and label of each */
function createChoice(options) {
  return make('select', {}, ...options.map(([value, label]) => make('option', { value }, label)))
}

/** @param {object} body */
async function createSession(body) {
  /** @type {{ session: { learn_session_id: string } }} */
  const { session } = await post('/api/learn/sessions', body)
  await currentSession.choose(session.learn_session_id)
  location.hash = '#/learn/active'
}

/**
 * @param {string} label
 * @param {HTMLElement} control
 */
const field = (label, control) => make('label', { className: 'field' }, make('span', {}, label), control)
