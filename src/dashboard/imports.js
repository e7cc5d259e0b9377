import { get, post } from './api.js'
import { badge, fill, make } from './element.js'
import { attempt } from './notices.js'
import { plain, toneOf } from './words.js'

/** @typedef {import('@apprentice/contracts/skills/import-record.ts').ImportedSkillRecord} Imported */
/** @typedef {import('@apprentice/contracts/skills/import-record.ts').SkillCompatibilityReport} Report */

const url = '/api/skills/import'

/**
 * A bundle on its way in: what was found in it, and what may be done with it now.
 *
 * @param {Imported} record
 */
export function createImport({ import_id, skill_name, stage_state }) {
  const state = make('span')
  const found = make('div')
  const reason = make('input', { maxLength: 1000, 'aria-label': 'Why not', placeholder: 'Why not' })
  const buttons = make('div', { className: 'buttons' })
  const node = make(
    'details',
    { className: 'panel', ontoggle: () => node.open && void attempt(load) },
    make('summary', {}, make('strong', {}, skill_name), state),
    make('div', { className: 'review' }, found, buttons),
  )
  const tell = (/** @type {string} */ word) => fill(state, badge(plain(word), toneOf(word)))
  tell(stage_state)

  const load = async () => {
    /** @type {{ import_record: Imported, compatibility_report?: Report }} */
    const { import_record, compatibility_report } = await get(`${url}/${import_id}`)
    tell(import_record.stage_state)
    fill(found, ...(compatibility_report === undefined ? [] : partsOf(compatibility_report)))
    const isClear = import_record.tool_shadowing_check === 'clear'
    const fits = isClear && compatibility_report?.compatible === true
    const asks = steps.filter(
      ({ from, fitting }) => from === import_record.stage_state && (fits || fitting !== true),
    )
    fill(buttons, asks.some(({ why }) => why) && reason, ...asks.map(buttonOf))
  }

  /** @param {Step} step */
  const buttonOf = ({ words, verb, body, why, className = '' }) => {
    const onclick = () =>
      attempt(async () => {
        for (const button of buttons.querySelectorAll('button')) button.disabled = true
        try {
          const said = why ? { reason: reason.value } : {}
          await post(`${url}/${verb}`, { import_id, ...body, ...said })
        } finally {
          await load()
        }
      })
    return make('button', { type: 'button', className, onclick }, words)
  }

  return node
}

/**
 * @typedef {object} Step
 * @property {Imported['stage_state']} from
 * @property {string} words
 * @property {string} verb
 * @property {object} [body]
 * @property {boolean} [why] a reason is asked for
 * @property {boolean} [fitting] only for what fits in here
 * @property {string} [className]
 */

/** @type {readonly Step[]} */
const steps = [
  { from: 'scan_failed', words: 'Scan again', verb: 'retry', body: { retry_kind: 'scan' } },
  {
    from: 'scan_complete',
    words: 'Unpack for review',
    verb: 'stage',
    fitting: true,
    className: 'primary',
  },
  { from: 'stage_failed', words: 'Unpack again', verb: 'retry', body: { retry_kind: 'stage' } },
  {
    from: 'ready_for_review',
    words: 'Install for me',
    verb: 'install-private',
    className: 'primary',
  },
  { from: 'ready_for_review', words: 'Approve for all', verb: 'approve' },
  { from: 'ready_for_review', words: 'Reject', verb: 'reject', why: true, className: 'danger' },
  {
    from: 'install_failed',
    words: 'Install again',
    verb: 'retry',
    body: { retry_kind: 'install' },
  },
  ...discardable(),
]

/** @returns {Step[]} */
function discardable() {
  /** @type {Imported['stage_state'][]} */
  const states = [
    'uploaded',
    'scan_failed',
    'scan_complete',
    'stage_failed',
    'ready_for_review',
    'install_failed',
  ]
  return states.map((from) => ({ from, words: 'Discard', verb: 'discard' }))
}

/** @param {Report} report */
function partsOf({ compatible, portability_grade, findings, bundle_summary, frontmatter }) {
  return [
    frontmatter && make('p', {}, frontmatter.description),
    make(
      'p',
      { className: 'badges' },
      badge(compatible ? 'fits in here' : 'does not fit in here', compatible ? 'good' : 'bad'),
      portability_grade !== undefined && badge(plain(portability_grade)),
      bundle_summary && make('small', {}, `${bundle_summary.file_count} files`),
    ),
    ...['error', 'warning', 'info'].map((severity) => findingsOf(severity, findings)),
  ]
}

/**
 * @param {string} severity
 * @param {Report['findings']} findings
 */
function findingsOf(severity, findings) {
  const own = findings.filter((finding) => finding.severity === severity)
  if (own.length === 0) return undefined
  return make(
    'div',
    {},
    make('h4', {}, `${plain(severity)} (${own.length})`),
    make(
      'ul',
      {},
      ...own.map(({ code, message, path_hint }) =>
        make(
          'li',
          {},
          make('code', {}, code),
          ` ${message}${path_hint === undefined ? '' : ` (${path_hint})`}`,
        ),
      ),
    ),
  )
}
