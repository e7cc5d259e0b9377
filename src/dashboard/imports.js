import { get, post } from './api.js'
import { badge, fill, make } from './element.js'
import { attempt } from './notices.js'
import { formatName, chooseTone } from './format.js'

/** @typedef {import('@apprentice/contracts/skills/import-record.ts').ImportedSkillRecord} Imported */
/** @typedef {import('@apprentice/contracts/skills/import-record.ts').SkillCompatibilityReport} Report */

const IMPORT_URL = '/api/skills/import'

/**
 * An imported bundle: its findings and the actions its state permits.
 *
 * @param {Imported} record
 */
export function createImport({ import_id, skill_name, stage_state }) {
  const state = make('span')
  const found = make('div')
  const reason = make('input', { maxLength: 1000, 'aria-label': 'Reason', placeholder: 'Reason' })
  const buttons = make('div', { className: 'buttons' })
  const node = make(
    'details',
    { className: 'panel', ontoggle: () => node.open && void attempt(load) },
    make('summary', {}, make('strong', {}, skill_name), state),
    make('div', { className: 'review' }, found, buttons),
  )
  const showState = (/** @type {string} */ name) => fill(state, badge(formatName(name), chooseTone(name)))
  showState(stage_state)

  const load = async () => {
    /** @type {{ import_record: Imported, compatibility_report?: Report }} */
    const { import_record, compatibility_report } = await get(`${IMPORT_URL}/${import_id}`)
    showState(import_record.stage_state)
    fill(found, ...(compatibility_report === undefined ? [] : createReport(compatibility_report)))
    const isClear = import_record.tool_shadowing_check === 'clear'
    const isCompatible = isClear && compatibility_report?.compatible === true
    const available = STEPS.filter(
      ({ from, needsCompatible }) => from === import_record.stage_state && (isCompatible || !needsCompatible),
    )
    fill(buttons, available.some(({ needsReason }) => needsReason) && reason, ...available.map(createButton))
  }

  /** @param {Step} step */
  const createButton = ({ label, verb, body, needsReason, className = '' }) => {
    const onclick = () =>
      attempt(async () => {
        for (const button of buttons.querySelectorAll('button')) button.disabled = true
        try {
          const given = needsReason ? { reason: reason.value } : {}
          await post(`${IMPORT_URL}/${verb}`, { import_id, ...body, ...given })
        } finally {
          await load()
        }
      })
    return make('button', { type: 'button', className, onclick }, label)
  }

  return node
}

/**
 * @typedef {object} Step
 * @property {Imported['stage_state']} from
 * @property {string} label
 * @property {string} verb
 * @property {object} [body]
 * @property {boolean} [needsReason]
 * @property {boolean} [needsCompatible] only for compatible bundles
 * @property {string} [className]
 */

/** @type {readonly Step[]} */
const STEPS = [
  { from: 'scan_failed', label: 'Scan again', verb: 'retry', body: { retry_kind: 'scan' } },
  {
    from: 'scan_complete',
    label: 'Unpack for review',
    verb: 'stage',
    needsCompatible: true,
    className: 'primary',
  },
  { from: 'stage_failed', label: 'Unpack again', verb: 'retry', body: { retry_kind: 'stage' } },
  {
    from: 'ready_for_review',
    label: 'Install privately',
    verb: 'install-private',
    className: 'primary',
  },
  { from: 'ready_for_review', label: 'Approve', verb: 'approve' },
  {
    from: 'ready_for_review',
    label: 'Reject',
    verb: 'reject',
    needsReason: true,
    className: 'danger',
  },
  {
    from: 'install_failed',
    label: 'Install again',
    verb: 'retry',
    body: { retry_kind: 'install' },
  },
  ...listDiscardSteps(),
]

/** @returns {Step[]} */
function listDiscardSteps() {
  /** @type {Imported['stage_state'][]} */
  const states = ['uploaded', 'scan_failed', 'scan_complete', 'stage_failed', 'ready_for_review', 'install_failed']
  return states.map((from) => ({ from, label: 'Discard', verb: 'discard' }))
}

/** @param {Report} report */
function createReport({ compatible, portability_grade, findings, bundle_summary, frontmatter }) {
  return [
    frontmatter && make('p', {}, frontmatter.description),
    make(
      'p',
      { className: 'badges' },
      badge(compatible ? 'compatible' : 'not compatible', compatible ? 'good' : 'bad'),
      portability_grade !== undefined && badge(formatName(portability_grade)),
      bundle_summary && make('small', {}, `${bundle_summary.file_count} files`),
    ),
    ...['error', 'warning', 'info'].map((severity) => createFindings(severity, findings)),
  ]
}

/**
 * @param {string} severity
 * @param {Report['findings']} findings
 */
function createFindings(severity, findings) {
  const own = findings.filter((finding) => finding.severity === severity)
  if (own.length === 0) return undefined
  return make(
    'div',
    {},
    make('h4', {}, `${formatName(severity)} (${own.length})`),
    make(
      'ul',
      {},
      ...own.map(({ code, message, path_hint }) =>
        make('li', {}, make('code', {}, code), ` ${message}${path_hint === undefined ? '' : ` (${path_hint})`}`),
      ),
    ),
  )
}
