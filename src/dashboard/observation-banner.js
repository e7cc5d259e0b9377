import { currentSession } from './current-session.js'
import { fill, make } from './element.js'
import { attempt } from './notices.js'
import { formatName } from './format.js'

/** @typedef {import('@apprentice/contracts/learn/runtime.ts').LearnSessionDetail} LearnSessionDetail */

/**
 * Visible on every page while a session captures, with the buttons that pause and stop it.
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
      make('span', { className: 'banner-facts' }, ...createFacts(scope)),
      make('span', { className: 'banner-switches' }, ...createButtons(detail)),
    )
  })
}

/** @param {NonNullable<LearnSessionDetail['observation_scope']>} scope */
function createFacts(scope) {
  const list = (/** @type {readonly string[]} */ names, /** @type {string} */ none) =>
    names.length === 0 ? none : names.map(formatName).join(', ')
  const facts = {
    Scope: formatName(scope.scope),
    Adapters: list(scope.adapters_active, 'none active'),
    Observed: list(scope.data_classes_observed, 'nothing yet'),
    Apps: list(scope.target_app_whitelist, 'all'),
    'Dropped off target': String(scope.off_target_events_dropped),
  }
  return Object.entries(facts).map(([name, value]) => make('span', {}, make('em', {}, `${name}: `), value))
}

/** @param {LearnSessionDetail} detail */
function createButtons({ allowed_actions }) {
  const labels = { pause: 'Pause', resume: 'Resume', stop: 'Stop' }
  return Object.entries(labels)
    .filter(([action]) => allowed_actions.includes(action))
    .map(([action, label]) =>
      make('button', { type: 'button', onclick: () => attempt(() => currentSession.runAction(action)) }, label),
    )
}
