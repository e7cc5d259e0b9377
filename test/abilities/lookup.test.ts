import { expect, test } from 'vitest'
import { updateAbility } from '../../src/store/abilities/abilities.ts'
import { type Daemon, startDaemon } from '../kit/daemon.ts'
import { abilityRow, addAbility } from './an-ability.ts'

const url = '/api/abilities/lookup'
const ask = (user_query: string, more: object = {}) => ({ user_query, schema_version: 1, ...more })

interface Found {
  ability_id: string
  score: number
}

async function lookup(daemon: Daemon, body: object, token?: string): Promise<Found[]> {
  const reply = await daemon.post(url, body, token)
  expect(reply.statusCode, reply.body).toBe(200)
  return reply.json<{ matches: Found[] }>().matches
}

const ids = async (daemon: Daemon, body: object, token?: string) =>
  (await lookup(daemon, body, token)).map(({ ability_id }) => ability_id)

test('the abilities that fit best are told with their scores', async () => {
  const daemon = await startDaemon()
  await addAbility(daemon)
  await addAbility(daemon, {
    ability_id: 'learned.off',
    usable_now: false,
    enabled: false,
    reason_unusable: 'disabled',
  })
  const reply = await daemon.post(url, ask('Export Brief as PDF'))
  expect(reply.json()).toEqual({
    matches: [
      {
        ability_id: 'learned.export-brief',
        score: 0.7200000000000002,
        install_lane: 'approved_workspace',
        usable_now: true,
      },
      {
        ability_id: 'learned.off',
        score: 0.3600000000000001,
        install_lane: 'approved_workspace',
        usable_now: false,
        reason_unusable: 'disabled',
      },
    ],
    created_at: '2026-03-01T12:00:00.000Z',
    schema_version: 1,
  })
})

test('a change is found by the first question after it', async () => {
  const daemon = await startDaemon()
  const question = ask('export brief as pdf')
  expect(await ids(daemon, question)).toEqual([])
  const id = await addAbility(daemon)
  expect(await ids(daemon, question)).toEqual([id])
  await daemon.system.store.write((tx) =>
    updateAbility(
      tx,
      abilityRow({ install_lane: 'quarantined', prior_lane: 'approved_workspace' }),
    ),
  )
  expect(await ids(daemon, question)).toEqual([])
  await daemon.system.store.write((tx) => updateAbility(tx, abilityRow({ title: 'New' })))
  expect(await lookup(daemon, question)).toMatchObject([{ score: 0.52 }])
  await daemon.system.store.write((tx) => tx.db.exec('DELETE FROM abilities') as never)
  expect(await ids(daemon, question)).toEqual([])
})

test('a write that is undone is not found', async () => {
  const daemon = await startDaemon()
  const undone = daemon.system.store.write((tx) => {
    tx.db.prepare('DELETE FROM abilities').run()
    throw new Error('changed my mind')
  })
  await addAbility(daemon)
  await expect(undone).rejects.toThrow('changed my mind')
  expect(await ids(daemon, ask('export brief as pdf'))).toEqual(['learned.export-brief'])
})

test('abilities there were before the start are found after it', async () => {
  const first = await startDaemon()
  for (let n = 0; n < 600; n += 1) {
    await addAbility(first, {
      ability_id: `learned.n-${String(n).padStart(3, '0')}`,
      trigger_phrases: [`number ${n}`],
      title: `N${n}`,
    })
  }
  await first.stop()
  const again = await startDaemon({ home: first.home })
  expect(await ids(again, ask('number 599', { require_text_match: true }))).toContain(
    'learned.n-599',
  )
})

test('what is private is found by its owner alone, whatever lanes somebody allows', async () => {
  const daemon = await startDaemon()
  const id = await addAbility(daemon, { install_lane: 'experimental_private' })
  const other = await daemon.tokenFor('somebody', 'admin')
  const question = 'export brief as pdf'
  const allowed = { install_lanes_allowed: ['experimental_private'] }
  const withoutPrivate = { include_private_owned_by_user: false }

  expect(await ids(daemon, ask(question))).toEqual([id])
  expect(await ids(daemon, ask(question, withoutPrivate))).toEqual([])
  expect(await ids(daemon, ask(question, { ...allowed, ...withoutPrivate }))).toEqual([id])
  expect(await ids(daemon, ask(question, allowed), other)).toEqual([])
})

test('only the lanes that are allowed are looked into', async () => {
  const daemon = await startDaemon()
  const shared = await addAbility(daemon, {
    ability_id: 'learned.shared',
    install_lane: 'shared_promoted',
  })
  const approved = await addAbility(daemon)
  const question = 'export brief as pdf'
  expect(await ids(daemon, ask(question))).toEqual([shared, approved])
  expect(await ids(daemon, ask(question, { install_lanes_allowed: ['shared_promoted'] }))).toEqual([
    shared,
  ])
  expect(await ids(daemon, ask(question, { install_lanes_allowed: [] }))).toEqual([])
})

test('a shared ability fits any question unless the words must fit', async () => {
  const daemon = await startDaemon()
  const id = await addAbility(daemon, { install_lane: 'shared_promoted' })
  expect(await lookup(daemon, ask('order lunch'))).toMatchObject([
    { ability_id: id, score: 0.15000000000000002 },
  ])
  expect(await ids(daemon, ask('order lunch', { require_text_match: true }))).toEqual([])
  expect(await ids(daemon, ask('brief', { require_text_match: true }))).toEqual([id])
})

test('the project counts', async () => {
  const daemon = await startDaemon()
  await addAbility(daemon, { project_scopes: ['p1'] })
  const score = async (project_id?: string) =>
    (await lookup(daemon, ask('export brief as pdf', { project_id })))[0]?.score
  expect(await score('p1')).toBe(0.8200000000000001)
  expect(await score('p2')).toBe(0.6700000000000002)
  expect(await score()).toBe(0.6700000000000002)
})

test.each(['', '   ', '\t\n'])('a blank question %j finds nothing', async (blank) => {
  const daemon = await startDaemon()
  await addAbility(daemon, { install_lane: 'shared_promoted' })
  expect(await ids(daemon, ask(blank))).toEqual([])
})

test.each([
  ['schema_version', { user_query: 'x' }],
  ['user_query', ask('x'.repeat(501))],
  ['install_lanes_allowed.0', ask('x', { install_lanes_allowed: ['quarantined'] })],
])('%s is checked', async (field, body) => {
  const daemon = await startDaemon()
  const reply = await daemon.post(url, body)
  expect(reply.statusCode).toBe(400)
  expect(reply.json()).toMatchObject({ error: { code: 'INVALID_REQUEST', details: { field } } })
})
