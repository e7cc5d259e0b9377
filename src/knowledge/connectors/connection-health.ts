import type { ConnectionHealth, ThrottleState, ToolHealth } from '@apprentice/contracts/connectors/server.ts'
import type { HealthStatus } from '@apprentice/contracts/connectors/values.ts'

/** What the daemon knows about the connection to a server. The sign-in is judged apart. */
export interface HealthRecord {
  readonly health_status: Exclude<HealthStatus, 'disabled'>
  readonly health_reason_code?: string | undefined
  readonly last_checked_at?: string | undefined
  /** Times of failures in the window, oldest first. */
  readonly failures: readonly string[]
  readonly successes_in_a_row: number
  readonly throttles_in_a_row: number
  readonly backoff_until?: string | undefined
  readonly throttle_state: ThrottleState
  readonly tool_health: ConnectionHealth['tool_health']
}

export const UNKNOWN_HEALTH: HealthRecord = {
  health_status: 'unknown',
  failures: [],
  successes_in_a_row: 0,
  throttles_in_a_row: 0,
  throttle_state: { state: 'none' },
  tool_health: {},
}

/** The end of one contact with a server. */
export type ContactResult =
  | { readonly kind: 'success'; readonly tool_name?: string }
  | {
      readonly kind: 'failure'
      readonly reason_code: string
      readonly tool_name?: string
      readonly error?: string
      readonly http_status?: number | undefined
    }
  | { readonly kind: 'throttled'; readonly http_status: number; readonly retry_after_ms?: number }

const FAILURE_WINDOW_MS = 10 * 60_000
const DEGRADING_FAILURES = 3
const RECOVERING_SUCCESSES = 2
const FIRST_BACKOFF_MS = 1000
const LONGEST_BACKOFF_MS = 5 * 60_000
const SERVICE_UNAVAILABLE = 503

/**
 * The health after a contact. Three failures within ten minutes degrade a server, two successes in a row restore it.
 * Throttling delays the next contact and never degrades. `jitter` is a number from 0 to 1.
 */
export function applyContact(before: HealthRecord, result: ContactResult, now: string, jitter: number): HealthRecord {
  const earliest = new Date(Date.parse(now) - FAILURE_WINDOW_MS).toISOString()
  const failures = before.failures.filter((time) => time > earliest)
  const checked = { ...before, failures, last_checked_at: now, tool_health: updateTool(before, result, now) }
  if (result.kind === 'throttled') return applyThrottle(checked, result, now, jitter)
  const contact = {
    ...checked,
    throttles_in_a_row: 0,
    throttle_state: { state: 'none' } as const,
    backoff_until: undefined,
  }
  return result.kind === 'success' ? applySuccess(contact) : applyFailure(contact, result.reason_code, now)
}

function applySuccess(before: HealthRecord): HealthRecord {
  const successes_in_a_row = before.successes_in_a_row + 1
  const isRestored = before.health_status !== 'degraded' || successes_in_a_row >= RECOVERING_SUCCESSES
  if (!isRestored) return { ...before, successes_in_a_row }
  return { ...before, successes_in_a_row, health_status: 'healthy', health_reason_code: undefined, failures: [] }
}

function applyFailure(before: HealthRecord, reason: string, now: string): HealthRecord {
  const failures = [...before.failures, now]
  const isDegraded = failures.length >= DEGRADING_FAILURES
  return {
    ...before,
    failures,
    successes_in_a_row: 0,
    health_status: isDegraded ? 'degraded' : before.health_status,
    health_reason_code: isDegraded ? reason : before.health_reason_code,
  }
}

function applyThrottle(
  before: HealthRecord,
  { http_status, retry_after_ms }: Extract<ContactResult, { kind: 'throttled' }>,
  now: string,
  jitter: number,
): HealthRecord {
  const own = Math.min(LONGEST_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** before.throttles_in_a_row) * (0.5 + jitter / 2)
  const delay = Math.round(Math.max(own, retry_after_ms ?? 0))
  return {
    ...before,
    throttles_in_a_row: before.throttles_in_a_row + 1,
    backoff_until: new Date(Date.parse(now) + delay).toISOString(),
    throttle_state: {
      state: nameThrottle(http_status, retry_after_ms),
      retry_after_ms: delay,
      last_http_status: http_status,
    },
  }
}

/** A server that is not available and names no pause gets one that the daemon chose. */
export function nameThrottle(http_status: number, retry_after_ms: number | undefined): ThrottleState['state'] {
  if (http_status !== SERVICE_UNAVAILABLE) return 'rate_limited'
  return retry_after_ms === undefined ? 'cooldown' : 'server_backoff'
}

function updateTool(before: HealthRecord, result: ContactResult, now: string): Record<string, ToolHealth> {
  if (result.kind === 'throttled' || result.tool_name === undefined) return before.tool_health
  const tool: ToolHealth =
    result.kind === 'success'
      ? { ok: true, last_checked_at: now }
      : {
          ok: false,
          last_checked_at: now,
          last_error: result.error ?? result.reason_code,
          last_http_status: isHttpStatus(result.http_status) ? result.http_status : undefined,
        }
  return { ...before.tool_health, [result.tool_name]: tool }
}

/** A part of a batch may name any number. */
const isHttpStatus = (status: number | undefined): boolean => status !== undefined && status >= 100 && status <= 599
