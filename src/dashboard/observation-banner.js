import { currentSession } from './current-session.js'
import { fill, make } from './element.js'
import { attempt } from './notices.js'
import { plain } from './words.js'

/** @typedef {import('@apprentice/contracts/learn/runtime.ts').LearnSessionDetail} LearnSessionDetail */

/**
 * Stays in sight on every page while a session captures, with the switch beside it.
 *
 * @param {HTMLElement} place
 */
export function showObservation(place) {
  currentSession.watch(({ detail }) => {
    const scope = detail?.observation_scope
    const state = scope?.capture_state
    place.hidden = state !== 'capturing' && state !== 'paused'
    if (detail === undefined || scope === undefined || place.hidden) return fill(place)
    place.className = `banner ${state}`
    fill(
      place,
      make('strong', {}, state === 'capturing' ? '● Observing' : '❚❚ Observation paused'),
      make('span', { className: 'banner-facts' }, ...factsOf(scope)),
      make('span', { className: 'banner-switches' }, ...switchesOf(detail)),
    )
  })
}

/** @param {NonNullable<LearnSessionDetail['observation_scope']>} scope */
function factsOf(scope) {
  const list = (/** @type {readonly string[]} */ words, /** @type {string} */ none) =>
    words.length === 0 ? none : words.map(plain).join(', ')
  const facts = {
    Scope: plain(scope.scope),
    Adapters: list(scope.adapters_active, 'none active'),
    Seen: list(scope.data_classes_observed, 'nothing yet'),
    Apps: list(scope.target_app_whitelist, 'all'),
    'Dropped off target': String(scope.off_target_events_dropped),
  }
  return Object.entries(facts).map(([name, value]) =>
    make('span', {}, make('em', {}, `${name}: `), value),
  )
}

/** @param {LearnSessionDetail} detail */
function switchesOf({ allowed_actions }) {
  const words = { pause: 'Pause', resume: 'Resume', stop: 'Stop' }
  return Object.entries(words)
    .filter(([action]) => allowed_actions.includes(action))
    .map(([action, word]) =>
      make(
        'button',
        { type: 'button', onclick: () => attempt(() => currentSession.act(action)) },
        word,
      ),
    )
}
