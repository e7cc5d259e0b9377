import { expect, test } from 'vitest'
import {
  applyContact,
  type ContactResult,
  type HealthRecord,
  UNKNOWN_HEALTH,
} from '../../src/knowledge/connectors/connection-health.ts'

const START = Date.parse('2026-03-01T12:00:00.000Z')
const MINUTE_MS = 60_000

/** The health after contacts at the given times, in milliseconds from the start. */
const contact = (results: readonly (readonly [ms: number, result: ContactResult])[], jitter = 1): HealthRecord =>
  results.reduce<HealthRecord>(
    (before, [ms, result]) => applyContact(before, result, new Date(START + ms).toISOString(), jitter),
    UNKNOWN_HEALTH,
  )
const failure = { kind: 'failure', reason_code: 'http_500' } as const
const success = { kind: 'success' } as const
const throttled = (http_status: number, retry_after_ms?: number): ContactResult => ({
  kind: 'throttled',
  http_status,
  ...(retry_after_ms === undefined ? {} : { retry_after_ms }),
})
const throttleOften = (times: number, result = throttled(429), jitter = 1) =>
  contact(
    Array.from({ length: times }, () => [0, result] as const),
    jitter,
  ).throttle_state.retry_after_ms

test('the pause doubles with every throttled contact up to five minutes, and is spread', () => {
  expect([1, 2, 3, 4, 9].map((times) => throttleOften(times))).toEqual([1000, 2000, 4000, 8000, 256_000])
  expect([10, 40].map((times) => throttleOften(times))).toEqual([300_000, 300_000])
  expect([0, 0.5].map((jitter) => throttleOften(4, throttled(429), jitter))).toEqual([4000, 6000])
})

test('a pause that the server asks for is kept, and a longer one of the daemon too', () => {
  expect(throttleOften(1, throttled(429, 30_000))).toBe(30_000)
  expect(throttleOften(1, throttled(503, 900_000))).toBe(900_000)
  expect(throttleOften(6, throttled(429, 1000))).toBe(32_000)
  const { backoff_until } = contact([[0, throttled(429, 30_000)]])
  expect(backoff_until).toBe('2026-03-01T12:00:30.000Z')
})

test.each([
  ['rate_limited', 429, undefined],
  ['rate_limited', 429, 1000],
  ['server_backoff', 503, 1000],
  ['cooldown', 503, undefined],
] as const)('the state is %s after %s with the pause %s', (state, http_status, retry_after_ms) => {
  expect(contact([[0, throttled(http_status, retry_after_ms)]]).throttle_state).toMatchObject({ state })
})

test('throttling alone never degrades, and an answer ends it', () => {
  const often = Array.from({ length: 20 }, (_, at) => [at * 1000, throttled(at % 2 === 0 ? 429 : 503)] as const)
  expect(contact([[0, success], ...often])).toMatchObject({ health_status: 'healthy', failures: [] })
  const answered = contact([...often, [30_000, success]])
  expect(answered).toMatchObject({ throttle_state: { state: 'none' }, throttles_in_a_row: 0 })
  expect(answered.backoff_until).toBeUndefined()
})

test('three failures within ten minutes degrade, and failures that are further apart do not', () => {
  const at = (...minutes: number[]) => contact([[0, success], ...minutes.map((m) => [m * MINUTE_MS, failure] as const)])
  expect(at(1, 5, 10.9).health_status).toBe('degraded')
  expect(at(1, 5, 11.1).health_status).toBe('healthy')
  expect(at(1, 2)).toMatchObject({ health_status: 'healthy', failures: { length: 2 } })
})

test('two answers in a row restore a server, and a failure between them does not', () => {
  const degraded = [1, 2, 3].map((second) => [second * 1000, failure] as const)
  const after = (...results: ContactResult[]) =>
    contact([...degraded, ...results.map((result, at) => [10_000 + at * 1000, result] as const)]).health_status
  expect(after(success)).toBe('degraded')
  expect(after(success, failure, success)).toBe('degraded')
  expect(after(success, success)).toBe('healthy')
})

test('the health of a tool says how its last call ended, and throttling says nothing about it', () => {
  const tool_name = 'read_note'
  const failed = { ...failure, tool_name, error: 'The server answered with 500.', http_status: 500 }
  const time = (ms: number): string => new Date(START + ms).toISOString()
  const first = { ok: false, last_error: failed.error, last_http_status: 500, last_checked_at: time(0) }
  expect(contact([[0, failed]]).tool_health).toEqual({ read_note: first })
  expect(
    contact([
      [0, failed],
      [1000, throttled(429)],
    ]).tool_health,
  ).toEqual({ read_note: first })
  expect(contact([[0, { ...failed, http_status: 99_999 }]]).tool_health[tool_name]?.last_http_status).toBeUndefined()
  expect(
    contact([
      [0, failed],
      [1000, { ...success, tool_name }],
    ]).tool_health,
  ).toEqual({
    read_note: { ok: true, last_checked_at: time(1000) },
  })
})
