import { followEvents, post } from './api.js'
import { badge, fill, make } from './element.js'
import { readFailure } from './executions.js'
import { createScreen } from './screen.js'
import { formatName, chooseTone } from './format.js'

/** @typedef {import('@apprentice/contracts/devices/screen.ts').ScreenState} ScreenState */
/** @typedef {import('@apprentice/contracts/devices/executions.ts').ExecutionRecord} ExecutionRecord */

const INPUT_WAIT_MS = 20_000
const KEYS = /** @type {const} */ ([
  ['back', '◀', 'Back'],
  ['home', '●', 'Home'],
  ['recents', '■', 'Recents'],
])

/**
 * The live screen of a phone with its keys and a text field.
 *
 * @param {import('@apprentice/contracts/devices/device.ts').Device} device
 */
export function createPhone(device) {
  const path = `/api/devices/${encodeURIComponent(device.serial)}`
  const name = device.label ?? device.facts.model ?? device.serial
  const state = make('span', { className: 'phone-state', role: 'status' })
  const front = make('span', { className: 'phone-front' })
  const result = make('p', { className: 'phone-result', role: 'status' })
  const send = createSender(path, result)
  const screen = createScreen(name, send)
  const stop = followEvents(`${path}/screen`, {
    events: ['frame', 'elements', 'screen_state'],
    onEvent: (event, data) => {
      if (event === 'frame') void screen.show(data)
      else if (event === 'elements') {
        screen.setElements(data)
        fill(front, data.foreground.package ?? '')
      } else showState(state, screen, data)
    },
    onDown: () => fill(state, badge('not connected', 'bad')),
  })
  const node = make(
    'section',
    { className: 'phone', 'aria-label': `Phone ${name}` },
    make('header', {}, make('strong', {}, name), device.simulated && badge('simulated'), state, front),
    screen.node,
    createKeys(send),
    createTextForm(send),
    result,
  )
  return { node, dispose: stop }
}

/** @typedef {(input: object) => Promise<void>} Send */

/**
 * @param {string} path
 * @param {HTMLElement} result
 * @returns {Send}
 */
function createSender(path, result) {
  return async (input) => {
    try {
      /** @type {{ execution: ExecutionRecord }} */
      const { execution } = await post(`${path}/input`, { ...input, wait_ms: INPUT_WAIT_MS })
      const { state, envelope } = execution
      const failed = state !== 'succeeded'
      fill(result, failed && badge(formatName(state), chooseTone(state)), failed && ` ${readFailure(envelope)}`)
    } catch (error) {
      fill(result, badge('refused', 'bad'), ` ${error instanceof Error ? error.message : ''}`)
    }
  }
}

/**
 * @param {HTMLElement} place
 * @param {{ showNote(text: string): void }} screen
 * @param {ScreenState} screenState
 */
function showState(place, screen, { state, message }) {
  fill(place, badge(formatName(state), chooseTone(state)))
  screen.showNote(state === 'live' ? '' : (message ?? formatName(state)))
}

/** @param {Send} send */
function createKeys(send) {
  const buttons = KEYS.map(([key, mark, label]) =>
    make(
      'button',
      { type: 'button', onclick: () => send({ kind: 'key', key }) },
      make('span', { 'aria-hidden': 'true' }, mark),
      ` ${label}`,
    ),
  )
  return make('div', { className: 'keys' }, ...buttons)
}

/** @param {Send} send */
function createTextForm(send) {
  const text = make('input', {
    name: 'text',
    maxLength: 512,
    required: true,
    autocomplete: 'off',
    placeholder: 'Text for the field in focus',
    'aria-label': 'Text for the field in focus',
  })
  const submit = make('input', { type: 'checkbox', name: 'submit' })
  const form = make(
    'form',
    {
      className: 'typing',
      onsubmit: async (/** @type {Event} */ event) => {
        event.preventDefault()
        const typed = text.value
        text.value = ''
        await send({ kind: 'text', text: typed, submit: submit.checked })
      },
    },
    text,
    make('label', { title: 'Press Enter after typing' }, submit, ' Enter'),
    make('button', {}, 'Type'),
  )
  return form
}
