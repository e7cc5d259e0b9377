import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { allRoutes } from '@apprentice/contracts/index.ts'
import { LearnSessionState } from '@apprentice/contracts/learn/session.ts'
import type { AnyContract } from '@apprentice/contracts/base/route.ts'
import { parseStrictJson } from '../../src/http/strict-json.ts'
import { type Daemon, shareDaemon, startDaemon } from '../kit/daemon.ts'
import { addObservation } from '../learn/demonstrated-session.ts'
import {
  assertDocumented,
  readAllRows,
  formatContract,
  buildPath,
  readInvalid,
  readRefusal,
  countRows,
  wellFormed,
} from './fuzz-checks.ts'
import { validValues, type Known, oddText, listInvalidVariants, type Shape, readShape } from './fuzz-schema.ts'
import { countRuns } from '../kit/count-runs.ts'

// A fixed seed makes the cases reproducible. FUZZ_SEED sets another one.
fc.configureGlobal({ seed: Number(process.env['FUZZ_SEED'] ?? 20_261_116) })

const tags = [...new Set(allRoutes.map(({ tag }) => tag))]
const listRoutes = (tag: string) => allRoutes.filter((contract) => contract.tag === tag)
const timeout = 120_000

function send(daemon: Daemon, contract: AnyContract, url: string, body?: unknown) {
  return daemon.request({
    method: contract.method,
    url,
    ...(body === undefined || contract.method === 'GET'
      ? {}
      : { payload: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
  })
}

test('generated JSON for a field of any type can be parsed by the daemon', () => {
  fc.assert(
    fc.property(validValues({}), (value) => {
      const text = JSON.stringify({ value })
      expect(parseStrictJson(Buffer.from(text))).toEqual(JSON.parse(text))
    }),
    { numRuns: countRuns(1200) },
  )
})

describe('refused requests', () => {
  const shared = shareDaemon()

  test.each(tags)(
    'in "%s" a body with one invalid field is refused with the name of the field, and nothing changes',
    { timeout },
    async (tag) => {
      const daemon = shared()
      const sessionId = await daemon.aSessionIn('capturing')
      for (const contract of listRoutes(tag).filter(({ method }) => method !== 'GET')) {
        const shape = readShape(contract.body)
        const before = [countRows(daemon), readAllRows(daemon)] as const
        const cases = validValues(shape).chain((body) => {
          const fits = contract.body.safeParse(body).success
          return fc.constantFrom(...listInvalidVariants(shape, body)).map((place) => ({ ...place, fits }))
        })
        await fc.assert(
          fc.asyncProperty(cases, async ({ path, what, broken, fits }) => {
            const place = path.join('.')
            // The published schema and the contract itself must agree.
            expect(contract.body.safeParse(broken).success, `${place} ${what}`).toBe(false)
            const url = buildPath(contract, { sessionId })
            const field = readInvalid(await send(daemon, contract, url, broken))
            const named = place === '' ? field === 'body' : `${field}.`.startsWith(`${place}.`)
            // A body with another error that a schema cannot express may be refused for that one.
            expect(named || !fits, `${place} ${what}, but ${field} was named`).toBe(true)
            expect(countRows(daemon)).toEqual(before[0])
          }),
          { numRuns: countRuns(40) },
        )
        expect(readAllRows(daemon)).toEqual(before[1])
      }
    },
  )

  test.each(tags)('in "%s" an invalid parameter or query is refused, and nothing changes', { timeout }, async (tag) => {
    const daemon = shared()
    const before = countRows(daemon)
    for (const contract of listRoutes(tag)) {
      for (const [name, shape] of Object.entries(readShape(contract.query).properties ?? {})) {
        for (const raw of badQueries(contract, name, shape)) {
          const url = `${buildPath(contract)}?${raw}`
          expect(readInvalid(await send(daemon, contract, url)), url).toBe(name)
        }
      }
      for (const [name, shape] of Object.entries(readShape(contract.params).properties ?? {})) {
        for (const raw of badParams(contract, name, shape)) {
          const reply = await send(daemon, contract, contract.url.replace(`:${name}`, raw))
          readInvalid(reply)
        }
      }
    }
    expect(countRows(daemon)).toEqual(before)
  })
})

/** Query strings with one invalid field. Every field has some rule, so there is at least one. */
function badQueries(contract: AnyContract, name: string, shape: Shape): string[] {
  const tooMuch = shape.maximum === undefined ? '1e300' : String(shape.maximum + 1)
  const odd = ['nonsense', '', ' ', '-1', '0', '1.5', '1e300', 'NaN', '1,2', '\u0661', '\u0000']
  const raw = [...odd, tooMuch, 'x'.repeat(2000)]
  const [fine] = fc.sample(
    validValues(readShape(contract.query)).filter((query) => contract.query.safeParse(query).success),
    1,
  ) as [Record<string, unknown>]
  const refused = raw.filter((text) => !contract.query.safeParse({ ...fine, [name]: text }).success)
  expect(refused.length, `${formatContract(contract)} ${name}`).toBeGreaterThan(0)
  const { [name]: _, ...others } = fine
  const twice = `${toQuery(others)}&${name}=nonsense&${name}=nonsense`
  return [...refused.map((text) => toQuery({ ...others, [name]: text })), twice]
}

/** Invalid path parameters, encoded. */
function badParams(contract: AnyContract, name: string, shape: Shape): string[] {
  const good = Object.fromEntries(
    Object.keys(readShape(contract.params).properties ?? {}).map((key) => [key, 'nonsense']),
  )
  const raw = ['nonsense', '\u0000', ' ', '\u202e', '👻', "' OR 1=1", 'x/y', 'x'.repeat(230)]
  const refused = raw.filter((text) => {
    const read = contract.params.safeParse({ ...good, [name]: text })
    return read.error?.issues.some(({ path }) => path[0] === name) ?? false
  })
  expect(refused.length, `${formatContract(contract)} ${name} ${shape.type}`).toBeGreaterThan(0)
  return [...refused.map(encodeURIComponent), '%', '%zz', '%c3%28', 'x'.repeat(500)]
}

test.each(tags)(
  'in "%s" any JSON is accepted or refused as documented, without an internal error',
  { timeout },
  async (tag) => {
    const daemon = await startDaemon()
    const sessionId = await daemon.aSessionIn('capturing')
    for (const contract of listRoutes(tag).filter(({ method }) => method !== 'GET')) {
      await fc.assert(
        fc.asyncProperty(fc.jsonValue({ stringUnit: 'binary' }), async (body) => {
          const before = countRows(daemon)
          const url = buildPath(contract, { sessionId })
          const reply = await send(daemon, contract, url, body)
          if (contract.body.safeParse(body).success) {
            assertDocumented(contract, reply)
          } else {
            readInvalid(reply)
            expect(countRows(daemon)).toEqual(before)
          }
        }),
        { numRuns: countRuns(24) },
      )
    }
  },
)

test.each(tags)(
  'in "%s" every valid request is answered as documented, in every state of a session',
  { timeout },
  async (tag) => {
    const daemon = await startDaemon()
    for (const contract of listRoutes(tag)) {
      const states = fc.constantFrom(...LearnSessionState.options)
      await fc.assert(
        fc.asyncProperty(states, fc.gen(), async (state, choose) => {
          const { ids, token } = await createSubject(daemon, contract, state)
          const known: Known = Object.fromEntries(Object.entries(ids).map(([name, id]) => [name, fc.constant(id)]))
          const body = choose(() => validValues(readShape(contract.body), known))
          const query = choose(() => validValues(readShape(contract.query)))
          const url = `${buildPath(contract, ids)}?${toQuery({ ...(query as object), ...endOfStream(contract) })}`
          const before = countRows(daemon)
          const reply = await daemon.request({
            method: contract.method,
            url,
            token,
            ...(contract.method === 'GET' ? {} : { payload: body as object }),
          })
          assertDocumented(contract, reply)
          // A session that timed out or a capture that is full is moved on, and that committed.
          const committed = ['SESSION_TIMEOUT', 'INTENT_REJECTED', 'PAYLOAD_TOO_LARGE']
          if (reply.statusCode >= 400 && !committed.includes(readRefusal(reply).code)) {
            expect(countRows(daemon)).toEqual(before)
          }
          if (contract.method !== 'GET') await assertReadable(daemon, ids['sessionId'], token)
        }),
        // Each case changes the daemon, so a shrunk case would not be comparable.
        { numRuns: countRuns(20), endOnFailure: true },
      )
    }
  },
)

/** Creates an object for one request to refer to, with a user of its own. */
async function createSubject(
  daemon: Daemon,
  contract: AnyContract,
  state: LearnSessionState,
): Promise<{ token: string; ids: Record<string, string> }> {
  users += 1
  const owner_user_id = `user-${users}`
  const token = await daemon.tokenFor(owner_user_id, 'admin')
  if (!contract.url.includes(':sessionId') || contract.stream) {
    const made = await daemon.post('/api/categories', { title: 'Forms' }, token)
    return { token, ids: { categoryId: made.json<{ category_id: string }>().category_id } }
  }
  const sessionId = await daemon.aSessionIn(state, { owner_user_id })
  const eventId = await addObservation(daemon, sessionId)
  const ids = { sessionId, eventId, learn_session_id: sessionId, to_event_id: eventId }
  return { token, ids }
}

let users = 0

/** A stream without an end would never be answered. */
const endOfStream = ({ query }: AnyContract): object =>
  'follow' in (readShape(query).properties ?? {}) ? { follow: 'false' } : {}

/** Checks that what an unusual body has written can still be read. */
async function assertReadable(daemon: Daemon, sessionId: string | undefined, token: string) {
  const reads = ['/api/learn/receipts', '/api/learn/history', '/api/categories']
  if (sessionId !== undefined && daemon.session(sessionId) !== undefined) {
    const session = `/api/learn/sessions/${sessionId}`
    reads.push(`${session}/detail`, `${session}/observations?include_trimmed=true`)
  }
  for (const url of reads) {
    const reply = await daemon.get(url, token)
    expect(reply.statusCode, `${url} ${reply.body}`).toBe(200)
  }
}

function toQuery(query: unknown): string {
  const entries = Object.entries(query as Record<string, unknown>)
  return new URLSearchParams(entries.map(([name, value]): [string, string] => [name, String(value)])).toString()
}

test(
  'any path and any header are answered without an internal error',
  async () => {
    const daemon = await startDaemon()
    const id = await daemon.aSessionIn('armed')
    const before = countRows(daemon)
    const header = fc.constantFrom(
      'x-correlation-id',
      'idempotency-key',
      'x-client-request-id',
      'last-event-id',
      'cookie',
      'origin',
      'accept',
      'range',
      'if-none-match',
      'content-encoding',
      'x-forwarded-host',
      'upgrade',
    )
    const method = fc.constantFrom('GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS')
    const visible = fc.stringMatching(/^[\x20-\x7e]{0,300}$/)
    const paths = fc.oneof(
      oddText(60).map((text) => `/${encodeURI(wellFormed(text))}`),
      fc.constantFrom(...allRoutes.map((contract) => buildPath(contract))),
      fc.stringMatching(/^(?:\/[a-z.%:?&=;#]{0,9}){1,5}$/),
    )
    await fc.assert(
      fc.asyncProperty(method, paths, header, visible, async (verb, path, name, value) => {
        const reply = await daemon.request({
          method: verb,
          url: path,
          headers: { [name]: value },
          payloadAsStream: false,
        })
        // Pages answer with HTML, all other routes with the error envelope.
        const isPage = String(reply.headers['content-type']).startsWith('text/html')
        if (reply.statusCode >= 400 && verb !== 'HEAD' && !isPage) readRefusal(reply)
        expect(reply.statusCode).toBeLessThan(500)
      }),
      { numRuns: countRuns(600) },
    )
    expect(countRows(daemon)).toMatchObject({ learn_sessions: before['learn_sessions'] })
    expect(daemon.session(id)?.state).toBe('armed')
  },
  timeout,
)
