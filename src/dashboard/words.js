/** @type {Readonly<Record<import('@apprentice/contracts/learn/session.ts').EntryMode, string>>} */
export const entryModes = {
  demonstrating_skill: 'Demonstrating Skill',
  coaching_agent: 'Coaching Agent',
  autonomous_agent_practice: 'Autonomous Agent Practice',
  improving_existing_skill: 'Improving Existing Skill',
  import_skill: 'Import Skill',
}

/**
 * `awaiting_questions` as people write it.
 *
 * @param {string} word
 */
export const plain = (word) => word.replaceAll('_', ' ')

/** @param {string} iso */
export const clockTime = (iso) =>
  new Date(iso).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit', second: '2-digit' })

/** @param {string} iso */
export const dateTime = (iso) =>
  new Date(iso).toLocaleString([], { dateStyle: 'medium', timeStyle: 'short' })

/**
 * @param {string} state
 * @returns {'good' | 'bad' | 'busy' | 'plain'}
 */
export function toneOf(state) {
  if (good.has(state)) return 'good'
  if (bad.has(state)) return 'bad'
  return busy.has(state) ? 'busy' : 'plain'
}

const good = new Set([
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
const bad = new Set([
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
const busy = new Set(['capturing', 'busy', 'connecting', 'authorizing', 'testing', 'in_progress'])
