import { currentSession } from './current-session.js'
import { fill } from './element.js'
import { watchHealth } from './health.js'
import { showObservation } from './observation-banner.js'
import { showDevices } from './views/devices.js'
import { showImport } from './views/import.js'
import { showLearn } from './views/learn.js'
import { showSkills } from './views/skills.js'

/** @typedef {(place: HTMLElement, path: readonly string[]) => () => void} View */

/** @type {Readonly<Record<string, { title: string, view: View }>>} */
const VIEWS = {
  devices: { title: 'Devices', view: showDevices },
  learn: { title: 'Ability Learning', view: showLearn },
  import: { title: 'Import Skill', view: showImport },
  skills: { title: 'Skills', view: showSkills },
}

const content = /** @type {HTMLElement} */ (document.getElementById('content'))
let leave = () => {}

function showView() {
  const [name = '', ...path] = location.hash.replace(/^#\/?/, '').split('/')
  // A link within the page, such as "Skip to content".
  if (name === 'content') return
  const chosen = VIEWS[name] ?? VIEWS['devices']
  if (chosen === undefined) return
  leave()
  fill(content)
  document.title = `${chosen.title} · Apprentice`
  for (const link of document.querySelectorAll('header nav a')) {
    const isCurrent = link.getAttribute('href')?.startsWith(`#/${name || 'devices'}`) ?? false
    if (isCurrent) link.setAttribute('aria-current', 'page')
    else link.removeAttribute('aria-current')
  }
  leave = chosen.view(content, path)
}

window.addEventListener('hashchange', showView)
showObservation(/** @type {HTMLElement} */ (document.getElementById('banner')))
void watchHealth(/** @type {HTMLElement} */ (document.getElementById('health')))
void currentSession.refresh()
showView()
