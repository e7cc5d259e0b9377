import { expect, test } from 'vitest'
import { type Answer, Figures } from './figures.ts'

const SIGN_IN = 'POST /api/mcp/servers/:serverId/auth/start'
const BEHIND = new Set(['MCP_OAUTH_TOKEN_EXCHANGE_FAILED', 'DEVICE_TIMEOUT'] as const)

function judge(what: string, status: number, error: object): string[] {
  const figures = new Figures()
  const times = { took_ms: 1, own_ms: 1, ran_ms: 1, asked_ms: 0 }
  const answer: Answer = { what, status, body: JSON.stringify({ error }), ...times }
  figures.answer(answer, BEHIND)
  return figures.faults
}

const exchange = { code: 'MCP_OAUTH_TOKEN_EXCHANGE_FAILED', retryable: true }

test('a typed failure of what is behind the daemon is no fault on a route that may answer it', () => {
  expect(judge(SIGN_IN, 502, exchange)).toEqual([])
  expect(judge('POST /api/devices/:serial/snapshot', 504, { code: 'DEVICE_TIMEOUT', retryable: true })).toEqual([])
  expect(judge('POST /api/intents', 507, { code: 'STORAGE_FULL', retryable: true })).toEqual([])
})

test.each([
  ['no type', SIGN_IN, 502, {}],
  ['another status than that of its code', SIGN_IN, 504, exchange],
  ['no hint whether to try again', SIGN_IN, 502, { code: exchange.code }],
  ['a wrong hint whether to try again', SIGN_IN, 502, { ...exchange, retryable: false }],
  ['a route that asks no server', 'POST /api/intents', 502, exchange],
  ['a route without a contract', 'POST /mcp tools/call', 502, exchange],
  [
    'something behind that did not fail',
    'GET /api/devices/:serial/diagnostics',
    502,
    { code: 'LOGCAT_UNAVAILABLE', retryable: false },
  ],
  ['an internal error', SIGN_IN, 500, { code: 'INTERNAL_ERROR', retryable: false }],
  ['a temporary failure that is not to be retried', SIGN_IN, 503, { code: 'STORE_UNAVAILABLE', retryable: false }],
])('a reply of 500 or more with %s is a fault', (_case, what, status, error) => {
  expect(judge(what, status, error)).toHaveLength(1)
})
