/** @type {Readonly<Record<import('@apprentice/contracts/learn/session.ts').EntryMode, string>>} */
export const ENTRY_MODES = {
  demonstrating_skill: 'Demonstrating Skill',
  coaching_agent: 'Coaching Agent',
  autonomous_agent_practice: 'Autonomous Agent Practice',
  improving_existing_skill: 'Improving Existing Skill',
  import_skill: 'Import Skill',
}

/**
 * Formats a wire value for people: `awaiting_questions` becomes "awaiting questions".
 *
 * @param {string} value
 */
export const formatName = (value) => value.replaceAll('_', ' ')

/** @param {string} iso */
export const formatTime = (iso) =>
  new Date(iso).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit', second: '2-digit' })

/** @param {string} iso */
export const formatDateTime = (iso) => new Date(iso).toLocaleString([], { dateStyle: 'medium', timeStyle: 'short' })

/**
 * @param {string} state
 * @returns {'good' | 'bad' | 'busy' | 'plain'}
 */
export function chooseTone(state) {
  if (GOOD_STATES.has(state)) return 'good'
  if (BAD_STATES.has(state)) return 'bad'
  return BUSY_STATES.has(state) ? 'busy' : 'plain'
}

const GOOD_STATES = new Set([
  'device',
  'live',
  'ok',
  'succeeded',
  'success',
  'passed',
  'scan_complete',
  'approved',
  'installed_private',
  'private_active',
  'ready_for_review',
])
const BAD_STATES = new Set([
  'offline',
  'unauthorized',
  'lost',
  'gone',
  'unresponsive',
  'unreadable',
  'degraded',
  'failed',
  'rejected',
  'quarantined',
  'interrupted',
  'scan_failed',
  'stage_failed',
  'install_failed',
])
const BUSY_STATES = new Set(['capturing', 'busy', 'connecting', 'authorizing', 'testing', 'in_progress'])
