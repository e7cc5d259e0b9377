import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { allRoutes } from '@apprentice/contracts/index.ts'
import { retired } from '../../src/routes/retired.ts'
import { insertProposal, type StoredProposal } from '../../src/store/proposals/proposals.ts'
import { adminToken, type Daemon, startDaemon } from '../kit/daemon.ts'

async function addProposal(daemon: Daemon, changes: Partial<StoredProposal> = {}): Promise<string> {
  const proposal_id = randomUUID()
  const at = daemon.clock.now.toISOString()
  await daemon.system.store.write((tx) =>
    insertProposal(tx, {
      proposal_id,
      owner_user_id: 'local',
      source_trace_ids: [randomUUID()],
      title: 'Fill a form',
      proposed_skill_slug: 'fill-a-form',
      trigger_phrases: [],
      negative_triggers: [],
      draft_skill_path: 'x',
      draft_manifest_path: 'x',
      proposal_state: 'draft',
      install_lane: 'pending',
      support_pack_refs: [],
      created_at: at,
      updated_at: at,
      revision: 1,
      schema_version: 1,
      ...changes,
    }),
  )
  return proposal_id
}

test('the old teach start returns 308 with Location, Deprecation and Sunset, and creates nothing', async () => {
  const daemon = await startDaemon()

  const reply = await daemon.post('/api/capabilities/teach/start', {
    capability_family_hint: 'word',
  })

  expect(reply.statusCode).toBe(308)
  expect(reply.headers).toMatchObject({
    location: '/api/learn/sessions?entry_mode=demonstrating_skill',
    deprecation: 'true',
    sunset: 'Sun, 16 May 2027 00:00:00 GMT',
  })
  expect(daemon.events()).toEqual([])
})

test('the old singular session start returns 308', async () => {
  const daemon = await startDaemon()
  const reply = await daemon.post('/api/learn/session/start', { entry_mode: 'coaching_agent' })
  expect(reply.statusCode).toBe(308)
  expect(reply.headers.location).toBe('/api/learn/sessions')
})

test('a client that follows redirects can create and cancel a session', async () => {
  const daemon = await startDaemon()
  const { url } = await daemon.listen()
  const send = (path: string, body: object) =>
    fetch(url + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })

  const plain = await send('/api/capabilities/teach/start', {})
  expect([plain.status, await plain.json()]).toMatchObject([201, { session: { entry_mode: 'demonstrating_skill' } }])
  await send('/api/capabilities/teach/cancel', {})
  const made = await send('/api/capabilities/teach/start', { capability_family_hint: 'word' })
  const { session } = (await made.json()) as { session: { learn_session_id: string } }
  expect(made.status).toBe(201)
  expect(session).toMatchObject({
    entry_mode: 'demonstrating_skill',
    target_app_family: 'word',
    state: 'armed',
  })

  const cancelled = await send('/api/capabilities/teach/cancel', { reason: 'changed my mind' })
  expect(cancelled.status).toBe(200)
  expect(daemon.session(session.learn_session_id)?.state).toBe('cancelled')
})

test.each(['teach_session_id', 'session_id', 'learn_session_id'])(
  'a session id in %s wins over the active session',
  async (field) => {
    const daemon = await startDaemon()
    await daemon.aSessionIn('capturing')
    const id = randomUUID()

    const inBody = await daemon.post('/api/capabilities/teach/finish', { [field]: id })
    const inQuery = await daemon.post(`/api/capabilities/teach/finish?${field}=${id}`)

    expect(inBody.headers.location).toBe(`/api/learn/sessions/${id}/stop`)
    expect(inQuery.headers.location).toBe(`/api/learn/sessions/${id}/stop?${field}=${id}`)
  },
)

test('without a session id the active session is used', async () => {
  const daemon = await startDaemon()
  await daemon.aSessionIn('cancelled')
  await daemon.aSessionIn('capturing', { owner_user_id: 'stranger' })
  const open = await daemon.aSessionIn('paused')

  const cancel = await daemon.post('/api/capabilities/teach/cancel')
  const verb = await daemon.post('/api/learn/session/resume')

  expect(cancel.statusCode).toBe(308)
  expect(cancel.headers.location).toBe(`/api/learn/sessions/${open}/cancel`)
  expect(verb.headers.location).toBe(`/api/learn/sessions/${open}/resume`)
})

test('without a session id and an active session the route returns 404', async () => {
  const daemon = await startDaemon()
  await daemon.aSessionIn('approved')
  const reply = await daemon.post('/api/capabilities/teach/cancel')
  expect(reply.statusCode).toBe(404)
  expect(reply.json()).toMatchObject({ error: { code: 'LEARN_SESSION_NOT_FOUND' } })
})

test.each([{ teach_session_id: 12 }, { session_id: '' }, { session_id: '../../tokens' }])(
  'the invalid id %j is rejected and the active session is not used',
  async (body) => {
    const daemon = await startDaemon()
    await daemon.aSessionIn('capturing')
    const reply = await daemon.post('/api/capabilities/teach/cancel', body)
    expect(reply.statusCode).toBe(400)
    expect(reply.headers.location).toBeUndefined()
  },
)

test('an old singular route with an id keeps id, verb, method and query', async () => {
  const daemon = await startDaemon()
  const id = randomUUID()
  const event = randomUUID()

  const got = await daemon.get(`/api/learn/session/${id}/observations?page=2`)
  const gone = await daemon.delete(`/api/learn/session/${id}/observations/${event}`)

  expect(got.statusCode).toBe(308)
  expect(got.headers.location).toBe(`/api/learn/sessions/${id}/observations?page=2`)
  expect(gone.headers.location).toBe(`/api/learn/sessions/${id}/observations/${event}`)
})

test('every session route with a verb has its old singular forms', async () => {
  const daemon = await startDaemon()
  const id = await daemon.aSessionIn('capturing')
  const verbs = allRoutes.filter(({ url }) => /^\/api\/learn\/sessions\/:sessionId\/[a-z-]+$/.test(url))
  expect(verbs.length).toBeGreaterThan(10)

  for (const { method, url } of verbs) {
    const target = url.replace(':sessionId', id)
    const verb = url.slice(url.lastIndexOf('/'))
    const named = await daemon.request({ method, url: `/api/learn/session/${id}${verb}` })
    expect(named.statusCode, `${method} ${verb}`).toBe(308)
    expect(named.headers.location).toBe(target)
    const open = await daemon.request({ method, url: `/api/learn/session${verb}` })
    expect(open.headers.location).toBe(verb === '/start' ? '/api/learn/sessions' : target)
  }
})

test('old mining routes redirect to the proposal or to its session', async () => {
  const daemon = await startDaemon()
  const session = await daemon.aSessionIn('awaiting_questions')
  const id = await addProposal(daemon, { learn_session_id: session })
  const old = `/api/skills/mining/proposals/${id}`
  const where = async (verb: string) => (await daemon.post(`${old}/${verb}`)).headers.location

  expect(await where('questions')).toBe(`/api/learn/sessions/${session}/answer-questions`)
  expect(await where('answers')).toBe(`/api/learn/sessions/${session}/answer-questions`)
  expect(await where('test')).toBe(`/api/learn/proposals/${id}/validate`)
  expect(await where('install-experimental')).toBe(`/api/learn/proposals/${id}/install`)
  expect(await where('feedback')).toBe(`/api/learn/proposals/${id}/revise`)
  const list = await daemon.get('/api/skills/mining/proposals?state=draft')
  expect(list.statusCode).toBe(308)
  expect(list.headers.location).toBe('/api/learn/proposals?state=draft')
})

test('answers to a proposal that is unknown, of another user or without a session return 404', async () => {
  const daemon = await startDaemon()
  const foreign = await addProposal(daemon, {
    owner_user_id: 'stranger',
    learn_session_id: randomUUID(),
  })
  const unbound = await addProposal(daemon)
  const readErrorCode = async (id: string) => {
    const reply = await daemon.post(`/api/skills/mining/proposals/${id}/answers`)
    expect(reply.statusCode).toBe(404)
    return reply.json<{ error: { code: string } }>().error.code
  }
  expect(await readErrorCode(randomUUID())).toBe('PROPOSAL_NOT_FOUND')
  expect(await readErrorCode(foreign)).toBe('PROPOSAL_NOT_FOUND')
  expect(await readErrorCode(unbound)).toBe('LEARN_SESSION_NOT_FOUND')
})

test('the old promote route finds the ability by ability id or capability id', async () => {
  const daemon = await startDaemon()
  await addProposal(daemon, { primary_capability_id: 'word.fill', ability_id: 'learned:fill' })
  const promote = (body: object) => daemon.post('/api/capabilities/promote', body)

  const named = await promote({ ability_id: 'learned:other' })
  const capable = await promote({ capability_id: 'word.fill' })
  const unknown = await promote({ capability_id: 'word.unknown' })
  const silent = await promote({})

  expect(named.headers.location).toBe('/api/abilities/learned%3Aother/promote-shared')
  expect(capable.headers.location).toBe('/api/abilities/learned%3Afill/promote-shared')
  expect(unknown.json()).toMatchObject({ error: { code: 'ABILITY_NOT_FOUND' } })
  expect(silent.statusCode).toBe(400)
})

test('a retired route checks the privilege of its successor before it redirects', async () => {
  const daemon = await startDaemon()
  const reader = await daemon.tokenFor('local', 'read')
  const writer = await daemon.tokenFor('local', 'write')

  const anonymous = await daemon.request({
    method: 'POST',
    url: '/api/capabilities/teach/start',
    token: null,
  })
  expect(anonymous.statusCode).toBe(401)
  expect(anonymous.headers.location).toBeUndefined()
  expect((await daemon.post('/api/capabilities/teach/start', {}, reader)).statusCode).toBe(403)
  expect((await daemon.get('/api/skills/mining/proposals', reader)).statusCode).toBe(308)
  const promote = await daemon.post('/api/capabilities/promote', { ability_id: 'a' }, writer)
  expect(promote.statusCode).toBe(403)
  expect(promote.headers.location).toBeUndefined()
})

test('a retired route requires the same privilege as its successor', () => {
  const privileges = new Map(allRoutes.map((to) => [`${to.method} ${to.url}`, to.privilege]))
  const built = retired.filter(({ method, successor }) => privileges.has(`${method} ${successor}`))
  expect(built.length).toBeGreaterThan(10)
  for (const { method, successor, privilege } of built) {
    expect(privilege, successor).toBe(privileges.get(`${method} ${successor}`))
  }
  expect(new Set(retired.map(({ method, url }) => `${method} ${url}`)).size).toBe(retired.length)
})

test('after the sunset every retired route returns 410 with its successor and still requires a token', async () => {
  const daemon = await startDaemon({
    settings: { deprecated_routes_sunset_at: '2026-03-01T12:00:00.000Z' },
  })
  for (const { method, url, successor } of retired) {
    const path = url.replaceAll(/:[A-Za-z]+/g, () => randomUUID())
    const reply = await daemon.request({ method, url: path })
    expect(reply.statusCode, path).toBe(410)
    expect(reply.headers.location).toBeUndefined()
    expect(reply.json()).toMatchObject({
      error: {
        code: 'ROUTE_GONE',
        retryable: false,
        details: { successor: `${method} ${successor}` },
      },
    })
    expect(reply.json<{ error: { message: string } }>().error.message).toContain(successor)
  }
  const anonymous = await daemon.request({
    method: 'POST',
    url: '/api/capabilities/teach/start',
    token: null,
  })
  expect(anonymous.statusCode).toBe(401)
})

test('no retired route returns 301 or 302', async () => {
  const daemon = await startDaemon()
  await daemon.aSessionIn('capturing')
  for (const { method, url } of retired) {
    const path = url.replaceAll(/:[A-Za-z]+/g, () => randomUUID())
    const { statusCode } = await daemon.request({ method, url: path })
    expect([308, 400, 404], `${method} ${url}`).toContain(statusCode)
  }
})
