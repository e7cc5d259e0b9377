import { make } from '../element.js'
import { showActive } from './learn-active.js'
import { showHistory } from './learn-history.js'
import { showNew } from './learn-new.js'
import { showPending } from './learn-pending.js'

/** @type {readonly [string, string, (place: HTMLElement) => () => void][]} */
const TABS = [
  ['new', 'Learn New Ability', showNew],
  ['active', 'Active Capability Learning', showActive],
  ['pending', 'Pending Abilities', showPending],
  ['history', 'History', showHistory],
]

/**
 * @param {HTMLElement} place
 * @param {readonly string[]} path
 */
export function showLearn(place, [tabName]) {
  const open = TABS.find(([name]) => name === tabName) ?? TABS[0]
  const links = TABS.map(([name, title]) =>
    make('a', { href: `#/learn/${name}`, ...(name === open?.[0] ? { 'aria-current': 'page' } : {}) }, title),
  )
  const body = make('div', { className: 'tab-body' })
  place.append(
    make('h1', {}, 'Ability Learning'),
    make('nav', { className: 'tabs', 'aria-label': 'Ability Learning' }, ...links),
    body,
  )
  return open?.[2](body) ?? (() => {})
}
