import { language } from '../text/text.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

const relative = new Intl.RelativeTimeFormat(language, { numeric: 'auto', style: 'short' })

/** "2 min ago"; after a week the date. */
export function formatAgo(iso: string, now = Date.now()): string {
  const ms = Date.parse(iso) - now
  const distance = Math.abs(ms)
  if (distance < MINUTE_MS) return relative.format(Math.round(ms / 1000), 'second')
  if (distance < HOUR_MS) return relative.format(Math.round(ms / MINUTE_MS), 'minute')
  if (distance < DAY_MS) return relative.format(Math.round(ms / HOUR_MS), 'hour')
  if (distance < 7 * DAY_MS) return relative.format(Math.round(ms / DAY_MS), 'day')
  return new Date(iso).toLocaleDateString(language, { dateStyle: 'medium' })
}

export const formatDateTime = (iso: string): string =>
  new Date(iso).toLocaleString(language, { dateStyle: 'medium', timeStyle: 'medium' })

/** "1.4 s", "2 min 5 s". */
export function formatDuration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`
  if (ms < MINUTE_MS) return `${(ms / 1000).toLocaleString(language, { maximumFractionDigits: 1 })} s`
  return `${Math.floor(ms / MINUTE_MS)} min ${Math.round((ms % MINUTE_MS) / 1000)} s`
}

/** A text in the quotation marks of the language. */
export const formatQuoted = (text: string): string => (language === 'de' ? `„${text}“` : `“${text}”`)

/** "12 KB", "3.4 MB". */
export function formatBytes(bytes: number): string {
  const [value, unit] = bytes < 1024 * 1024 ? [bytes / 1024, 'KB'] : [bytes / 1024 / 1024, 'MB']
  return `${value.toLocaleString(language, { maximumFractionDigits: 1 })} ${unit}`
}

export type Tone = 'good' | 'bad' | 'busy' | 'plain'

export function chooseTone(state: string): Tone {
  if (GOOD_STATES.has(state)) return 'good'
  if (BAD_STATES.has(state)) return 'bad'
  return BUSY_STATES.has(state) ? 'busy' : 'plain'
}

const GOOD_STATES = new Set([
  'device',
  'live',
  'current',
  'healthy',
  'reached',
  'ok',
  'succeeded',
  'success',
  'passed',
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
  'partial_deployment',
  'denied',
  'failure',
  'blocked',
  'failed',
  'rejected',
  'quarantined',
  'interrupted',
  'scan_failed',
  'stage_failed',
  'install_failed',
])
const BUSY_STATES = new Set([
  'capturing',
  'busy',
  'connecting',
  'authorizing',
  'testing',
  'testing_proposal',
  'in_progress',
  'running',
  'stale',
  'queued',
  'recording',
  'open',
  'skipped',
  'indeterminate',
])
