import { createRunForm } from '../ability-run.js'
import { get, post } from '../api.js'
import { badge, fill, make } from '../element.js'
import { attempt } from '../notices.js'
import { formatName } from '../format.js'

/** @typedef {import('zod').infer<typeof import('@apprentice/contracts/abilities/availability.ts').AbilitySummary>} Ability */
/** @typedef {import('@apprentice/contracts/abilities/availability.ts').AbilityDetail} AbilityDetail */
/** @typedef {import('@apprentice/contracts/devices/device.ts').Device} Device */

/** @type {readonly [string, (ability: Ability) => boolean][]} */
const FILTERS = [
  ['All', () => true],
  ['Learned', ({ source }) => source === 'learned'],
  ['Imported', ({ source }) => source === 'imported'],
  ['Native', ({ source }) => source === 'native'],
  ['Promoted', ({ source }) => source === 'promoted'],
  ['Disabled', ({ enabled }) => !enabled],
  ['Quarantined', ({ install_lane }) => install_lane === 'quarantined'],
]

/** @param {HTMLElement} place */
export function showSkills(place) {
  const stale = make('p', { className: 'warning', role: 'status', hidden: true }, 'Refreshing abilities…')
  const list = make('div', { className: 'rows' })
  /** @type {Ability[]} */
  let abilities = []
  let chosen = FILTERS[0]
  const buttons = FILTERS.map((filter) =>
    make('button', { type: 'button', 'aria-pressed': 'false', onclick: () => choose(filter) }, filter[0]),
  )
  /** @param {(typeof FILTERS)[number] | undefined} filter */
  const choose = (filter) => {
    chosen = filter
    buttons.forEach((button, at) => button.setAttribute('aria-pressed', String(FILTERS[at] === chosen)))
    const matching = abilities.filter((ability) => chosen?.[1](ability) ?? true)
    fill(list, ...matching.map((ability) => createRow(ability, load)))
    if (matching.length === 0) fill(list, make('p', { className: 'empty' }, 'No skills match this filter.'))
  }
  const load = () =>
    attempt(async () => {
      /** @type {{ abilities: Ability[], stale: boolean }} */
      const found = await get('/api/abilities/availability')
      abilities = found.abilities
      stale.hidden = !found.stale
      choose(chosen)
    })
  place.append(
    make('h1', {}, 'Skills'),
    make('div', { className: 'others', role: 'group', 'aria-label': 'Filter' }, ...buttons),
    stale,
    list,
  )
  void load()
  return () => {}
}

/**
 * @param {Ability} ability
 * @param {() => Promise<unknown>} onChanged
 */
function createRow({ ability_id, title, source, enabled, usable_now, reason_unusable, proven }, onChanged) {
  const state = usable_now ? 'usable' : formatName(reason_unusable ?? 'not usable')
  const body = make('div')
  const row = make(
    'details',
    {
      className: 'panel',
      ontoggle: () => {
        if (!row.open || body.hasChildNodes()) return
        void attempt(async () => fill(body, ...(await createParts(ability_id, enabled, onChanged))))
      },
    },
    make(
      'summary',
      {},
      make('strong', {}, title),
      badge(state, usable_now ? 'good' : 'bad'),
      ...(proven === false ? [badge('unproven', 'bad')] : []),
      make('small', {}, formatName(source)),
    ),
    body,
  )
  return row
}

/**
 * @param {string} id
 * @param {boolean} enabled
 * @param {() => Promise<unknown>} onChanged
 */
async function createParts(id, enabled, onChanged) {
  /** @type {AbilityDetail} */
  const ability = await get(`/api/abilities/${id}/availability`)
  /** @type {{ devices: Device[] }} */
  const { devices } = await get('/api/devices')
  const { trigger_phrases, current_version } = ability
  const action = enabled ? 'deactivate' : 'activate'
  return [
    ...(ability.reason_unproven === undefined ? [] : [make('p', {}, ability.reason_unproven)]),
    make('p', {}, `Version ${current_version}. Trigger phrases: “${trigger_phrases.join('”, “')}”.`),
    createRunForm(ability, devices),
    make(
      'div',
      { className: 'buttons' },
      make(
        'button',
        {
          type: 'button',
          onclick: () =>
            void attempt(async () => {
              await post(`/api/abilities/${id}/${action}`)
              await onChanged()
            }),
        },
        enabled ? 'Switch off' : 'Switch on',
      ),
      make('a', { href: `/api/abilities/${id}/export`, download: '' }, 'Export as a bundle'),
    ),
  ]
}
