import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startDaemon } from '../kit/daemon.ts'
import {
  ability,
  abilityId,
  bridge,
  canonical,
  codeOf,
  folders,
  improved,
  install,
  installed,
  listedVersions,
  projected,
  readied,
  saga,
  slug,
  stateOf,
  versions,
} from './installing.ts'

const mail = { goal: 'Share a note as PDF by mail' }
const lookup = (user_query: string) => ({ user_query, require_text_match: true, schema_version: 1 })

test('a further version takes the place of the one before, which is kept', async () => {
  const daemon = await startDaemon()
  await installed(daemon)
  const first = folders(daemon)
  const next = await improved(daemon, mail)
  expect(folders(daemon), 'a draft changes nothing').toEqual(first)

  const { ability_id } = await install(daemon, next)

  expect(ability_id).toBe(abilityId)
  const after = folders(daemon)
  const kept = Object.entries(after.canonical)
    .filter(([path]) => path.startsWith(`${slug}/.versions/1/`))
    .map(([path, content]) => [path.replace('.versions/1/', ''), content])
  expect(Object.fromEntries(kept)).toEqual(first.canonical)
  expect(Object.keys(after.projected)).toEqual(Object.keys(first.projected))
  expect(after.projected[`${slug}/SKILL.md`]).toContain('by mail')
  expect(after.canonical[`${slug}/SKILL.md`]).toContain('by mail')
  expect(await listedVersions(daemon)).toMatchObject([
    { version: 1, current: false, retired_at: daemon.clock.now.toISOString() },
    { version: 2, current: true, proposal_id: next.proposal, draft_hash: next.draft_hash },
  ])
  expect(ability(daemon)).toMatchObject({
    title: mail.goal,
    trigger_phrases: [mail.goal],
    current_version: 2,
    usable_now: true,
    proposal_id: next.proposal,
  })
  expect(bridge(daemon).entries).toMatchObject([{ capability_id: abilityId, title: mail.goal }])
})

test('a return to the version before is an installation of its own, words and all', async () => {
  const daemon = await startDaemon()
  await installed(daemon)
  const first = folders(daemon)
  const next = await improved(daemon, mail)
  await install(daemon, next)

  const reply = await daemon.post(`/api/abilities/${abilityId}/rollback`)

  expect(reply.json()).toMatchObject({ ability_id: abilityId, version: 3, restored_from: 1 })
  expect(saga(daemon, reply.json<{ saga_id: string }>().saga_id)).toMatchObject({
    kind: 'rollback',
    status: 'completed',
  })
  const after = folders(daemon)
  expect(after.projected).toEqual(first.projected)
  expect(after.canonical).toMatchObject(first.canonical)
  expect(
    new Set(Object.keys(after.canonical).map((path) => path.match(/\.versions\/(\d)/)?.[1])),
  ).toEqual(new Set([undefined, '1', '2']))
  expect(ability(daemon)).toMatchObject({
    title: 'Share a note as PDF',
    trigger_phrases: ['Share a note as PDF'],
    current_version: 3,
    usable_now: true,
  })
  expect((await daemon.post('/api/abilities/lookup', lookup('by mail'))).json()).toMatchObject({
    matches: [],
  })
  expect(stateOf(daemon, next), 'no proposal moves').toEqual([
    'installed_private',
    'installed_private',
  ])
  expect(await listedVersions(daemon)).toMatchObject([
    { version: 1, current: false },
    { version: 2, current: false },
    { version: 3, current: true, restored_from: 1 },
  ])
})

test('back and forth: the newest other version is what "before" means, and any can be named', async () => {
  const daemon = await startDaemon()
  await installed(daemon)
  await install(daemon, await improved(daemon, mail))
  const back = (body: object = {}) => daemon.post(`/api/abilities/${abilityId}/rollback`, body)

  expect((await back()).json()).toMatchObject({ version: 3, restored_from: 1 })
  expect((await back()).json()).toMatchObject({ version: 4, restored_from: 2 })
  expect((await back({ version: 3 })).json()).toMatchObject({ version: 5, restored_from: 1 })
  expect(readFileSync(join(projected(daemon), slug, 'SKILL.md'), 'utf8')).not.toContain('by mail')

  for (const version of [5, 6, 99]) {
    expect(codeOf(await back({ version }))).toBe('ABILITY_VERSION_NOT_FOUND')
  }
  expect(versions(daemon)).toHaveLength(5)
})

test('there is no way back from the first version, nor out of quarantine', async () => {
  const daemon = await startDaemon()
  await installed(daemon)
  const url = `/api/abilities/${abilityId}/rollback`
  expect(codeOf(await daemon.post(url))).toBe('ABILITY_VERSION_NOT_FOUND')
  await install(daemon, await improved(daemon, mail))
  await daemon.post(`/api/abilities/${abilityId}/quarantine`, { reason: 'odd' })
  expect(codeOf(await daemon.post(url))).toBe('INSTALL_LANE_DENIED')
  expect(codeOf(await daemon.post('/api/abilities/learned.none/rollback'))).toBe(
    'ABILITY_NOT_FOUND',
  )
  expect(versions(daemon)).toHaveLength(2)
})

test('what others use is returned by an administrator only', async () => {
  const daemon = await startDaemon()
  const ann = await daemon.tokenFor('ann', 'admin')
  const draft = await installed(daemon)
  await daemon.post(`${draft.url}/approve`, { draft_hash: draft.draft_hash })
  const next = await improved(daemon, mail)
  await daemon.post(`${next.url}/approve`, { draft_hash: next.draft_hash })
  const write = await daemon.tokenFor('local', 'write')
  const url = `/api/abilities/${abilityId}/rollback`
  expect(codeOf(await daemon.post(url, {}, write))).toBe('INSTALL_LANE_DENIED')
  expect(codeOf(await daemon.post(url, {}, ann))).toBe('done')
  expect(ability(daemon)).toMatchObject({
    current_version: 3,
    install_lane: 'approved_workspace',
    owner_user_id: 'local',
  })
})

test('a skill that was taken out of use, revised and renamed moves to a folder of its new name', async () => {
  const daemon = await startDaemon()
  const draft = await installed(daemon)
  await daemon.post(`/api/abilities/${abilityId}/quarantine`, { reason: 'odd' })
  const revised = await daemon.post(`${draft.url}/revise`, {
    edited_fields: { title: 'Note to PDF', proposed_skill_slug: 'note-to-pdf' },
  })
  expect(revised.statusCode, revised.body).toBe(200)

  const { ability_id } = await install(daemon, await readied(daemon, draft))

  expect(ability_id, 'the ability stays the one it is').toBe(abilityId)
  const after = folders(daemon)
  const names = (tree: object) => new Set(Object.keys(tree).map((path) => path.split('/')[0]))
  expect([names(after.canonical), names(after.projected)]).toEqual([
    new Set(['note-to-pdf']),
    new Set(['note-to-pdf']),
  ])
  expect(ability(daemon)).toMatchObject({ skill_slug: 'note-to-pdf', title: 'Note to PDF' })
  await daemon.post(`/api/abilities/${abilityId}/unquarantine`)
  expect(ability(daemon)).toMatchObject({ usable_now: true, install_lane: 'experimental_private' })
  const back = await daemon.post(`/api/abilities/${abilityId}/rollback`)
  expect(back.statusCode, back.body).toBe(200)
  expect(names(folders(daemon).canonical)).toEqual(new Set([slug]))
  expect(readFileSync(join(canonical(daemon), slug, 'SKILL.md'), 'utf8')).toContain(slug)
})

test('an improvement is refused to whoever may not change the ability', async () => {
  const daemon = await startDaemon()
  const draft = await installed(daemon)
  await daemon.post(`${draft.url}/approve`, { draft_hash: draft.draft_hash })
  const ann = await daemon.tokenFor('ann')
  const next = await improved(daemon, { ...mail, token: ann })
  const reply = await daemon.post(`${next.url}/install`, {}, ann)
  expect(codeOf(reply)).toBe('INSTALL_LANE_DENIED')
  expect(ability(daemon)).toMatchObject({ current_version: 1, title: 'Share a note as PDF' })
})

test('the older of two proposals cannot push its version back in by being approved', async () => {
  const daemon = await startDaemon()
  const draft = await installed(daemon)
  await install(daemon, await improved(daemon, mail))
  const reply = await daemon.post(`${draft.url}/approve`, { draft_hash: draft.draft_hash })
  expect(codeOf(reply)).toBe('INSTALL_LANE_DENIED')
  expect(ability(daemon)).toMatchObject({
    current_version: 2,
    install_lane: 'experimental_private',
  })
})
