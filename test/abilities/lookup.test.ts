import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createCorpusRoot, startWithRoots } from '../skills/skill-roots.ts'
import { updateAbility } from '../../src/store/abilities/abilities.ts'
import { type Daemon, startDaemon } from '../kit/daemon.ts'
import { buildAbilityRow, addAbility } from './ability-rows.ts'

const URL = '/api/abilities/lookup'
const buildQuery = (user_query: string, more: object = {}) => ({
  user_query,
  schema_version: 1,
  ...more,
})

interface Found {
  ability_id: string
  score: number
}

async function lookup(daemon: Daemon, body: object, token?: string): Promise<Found[]> {
  const reply = await daemon.post(URL, body, token)
  expect(reply.statusCode, reply.body).toBe(200)
  return reply.json<{ matches: Found[] }>().matches
}

const findIds = async (daemon: Daemon, body: object, token?: string) =>
  (await lookup(daemon, body, token)).map(({ ability_id }) => ability_id)

test('the best matches are returned with their scores', async () => {
  const daemon = await startDaemon()
  await addAbility(daemon)
  await addAbility(daemon, {
    ability_id: 'learned.off',
    usable_now: false,
    enabled: false,
    reason_unusable: 'disabled',
  })
  const reply = await daemon.post(URL, buildQuery('Export Brief as PDF'))
  expect(reply.json()).toEqual({
    matches: [
      {
        ability_id: 'learned.export-brief',
        title: 'Export Brief to PDF',
        kind: 'guidance',
        score: 0.7200000000000002,
        install_lane: 'approved_workspace',
        usable_now: true,
      },
      {
        ability_id: 'learned.off',
        title: 'Export Brief to PDF',
        kind: 'guidance',
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

test('the first lookup after a change sees it', async () => {
  const daemon = await startDaemon()
  const question = buildQuery('export brief as pdf')
  expect(await findIds(daemon, question)).toEqual([])
  const id = await addAbility(daemon)
  expect(await findIds(daemon, question)).toEqual([id])
  await daemon.system.store.write((tx) =>
    updateAbility(tx, buildAbilityRow({ install_lane: 'quarantined', prior_lane: 'approved_workspace' })),
  )
  expect(await findIds(daemon, question)).toEqual([])
  await daemon.system.store.write((tx) => updateAbility(tx, buildAbilityRow({ title: 'New' })))
  expect(await lookup(daemon, question)).toMatchObject([{ score: 0.52 }])
  await daemon.system.store.write((tx) => tx.db.exec('DELETE FROM abilities') as never)
  expect(await findIds(daemon, question)).toEqual([])
})

test('a write that is rolled back is not seen', async () => {
  const daemon = await startDaemon()
  const undone = daemon.system.store.write((tx) => {
    tx.db.prepare('DELETE FROM abilities').run()
    throw new Error('changed my mind')
  })
  await addAbility(daemon)
  await expect(undone).rejects.toThrow('changed my mind')
  expect(await findIds(daemon, buildQuery('export brief as pdf'))).toEqual(['learned.export-brief'])
})

test('abilities from before a restart are found after it', async () => {
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
  expect(await findIds(again, buildQuery('number 599', { require_text_match: true }))).toContain('learned.n-599')
})

test('a private ability is found by its owner only, whatever lanes are allowed', async () => {
  const daemon = await startDaemon()
  const id = await addAbility(daemon, { install_lane: 'experimental_private' })
  const other = await daemon.tokenFor('somebody', 'admin')
  const question = 'export brief as pdf'
  const allowed = { install_lanes_allowed: ['experimental_private'] }
  const withoutPrivate = { include_private_owned_by_user: false }

  expect(await findIds(daemon, buildQuery(question))).toEqual([id])
  expect(await findIds(daemon, buildQuery(question, withoutPrivate))).toEqual([])
  expect(await findIds(daemon, buildQuery(question, { ...allowed, ...withoutPrivate }))).toEqual([id])
  expect(await findIds(daemon, buildQuery(question, allowed), other)).toEqual([])
})

test('only abilities in allowed lanes are found', async () => {
  const daemon = await startDaemon()
  const shared = await addAbility(daemon, {
    ability_id: 'learned.shared',
    install_lane: 'shared_promoted',
  })
  const approved = await addAbility(daemon)
  const question = 'export brief as pdf'
  expect(await findIds(daemon, buildQuery(question))).toEqual([shared, approved])
  expect(await findIds(daemon, buildQuery(question, { install_lanes_allowed: ['shared_promoted'] }))).toEqual([shared])
  expect(await findIds(daemon, buildQuery(question, { install_lanes_allowed: [] }))).toEqual([])
})

test('a shared ability matches any query unless a text match is required', async () => {
  const daemon = await startDaemon()
  const id = await addAbility(daemon, { install_lane: 'shared_promoted' })
  expect(await lookup(daemon, buildQuery('order lunch'))).toMatchObject([
    { ability_id: id, score: 0.15000000000000002 },
  ])
  expect(await findIds(daemon, buildQuery('order lunch', { require_text_match: true }))).toEqual([])
  expect(await findIds(daemon, buildQuery('brief', { require_text_match: true }))).toEqual([id])
})

test('the project scope changes the score', async () => {
  const daemon = await startDaemon()
  await addAbility(daemon, { project_scopes: ['p1'] })
  const score = async (project_id?: string) =>
    (await lookup(daemon, buildQuery('export brief as pdf', { project_id })))[0]?.score
  expect(await score('p1')).toBe(0.8200000000000001)
  expect(await score('p2')).toBe(0.6700000000000002)
  expect(await score()).toBe(0.6700000000000002)
})

test.each(['', '   ', '\t\n'])('a blank query %j finds nothing', async (blank) => {
  const daemon = await startDaemon()
  await addAbility(daemon, { install_lane: 'shared_promoted' })
  expect(await findIds(daemon, buildQuery(blank))).toEqual([])
})

test.each([
  ['schema_version', { user_query: 'x' }],
  ['user_query', buildQuery('x'.repeat(501))],
  ['install_lanes_allowed.0', buildQuery('x', { install_lanes_allowed: ['quarantined'] })],
])('an invalid %s is refused', async (field, body) => {
  const daemon = await startDaemon()
  const reply = await daemon.post(URL, body)
  expect(reply.statusCode).toBe(400)
  expect(reply.json()).toMatchObject({ error: { code: 'INVALID_REQUEST', details: { field } } })
})

test('skills of the registry are found with abilities, as something that runs, unless the request leaves them out', async () => {
  const root = createCorpusRoot()
  const daemon = await startWithRoots([root])
  await addAbility(daemon, { title: 'Battery care', trigger_phrases: ['solax battery'], ability_id: 'imported.care' })
  const found = await lookup(daemon, buildQuery('solax battery percentage', { require_text_match: true }))
  expect(found[0]).toMatchObject({
    ability_id: 'skill.com.solaxcloud.starter.get-battery',
    skill_id: 'com.solaxcloud.starter.get-battery',
    kind: 'runnable',
    usable_now: true,
  })
  expect(found.find(({ ability_id }) => ability_id === 'imported.care')).toMatchObject({ kind: 'guidance' })
  const without = await findIds(daemon, buildQuery('solax battery percentage', { include_skills: false }))
  expect(without).toEqual(['imported.care'])

  const run = await daemon.post('/api/abilities/imported.care/run', {})
  expect(run.json()).toMatchObject({
    error: { code: 'ABILITY_UNUSABLE', message: expect.stringContaining('guidance') as string },
  })

  writeFileSync(join(root, 'skills', 'skills-registry.json'), JSON.stringify({ skills: [] }))
  expect(await findIds(daemon, buildQuery('solax battery percentage'))).toEqual(['imported.care'])
})
