import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startDaemon } from '../kit/daemon.ts'
import {
  readAbility,
  ABILITY_ID,
  readBridge,
  canonicalRoot,
  readCode,
  readFolders,
  prepareImprovement,
  install,
  installProposal,
  getVersions,
  projectedRoot,
  validateDraft,
  readSaga,
  SLUG,
  readStates,
  readVersions,
} from './install-kit.ts'

const MAIL = { goal: 'Share a note as PDF by mail' }
const buildLookup = (user_query: string) => ({
  user_query,
  require_text_match: true,
  schema_version: 1,
})

test('a new version replaces the previous one, whose files are kept', async () => {
  const daemon = await startDaemon()
  await installProposal(daemon)
  const first = readFolders(daemon)
  const next = await prepareImprovement(daemon, MAIL)
  expect(readFolders(daemon), 'a draft changes no files').toEqual(first)

  const { ability_id } = await install(daemon, next)

  expect(ability_id).toBe(ABILITY_ID)
  const after = readFolders(daemon)
  const previousFiles = Object.entries(after.canonical)
    .filter(([path]) => path.startsWith(`${SLUG}/.versions/1/`))
    .map(([path, content]) => [path.replace('.versions/1/', ''), content])
  expect(Object.fromEntries(previousFiles)).toEqual(first.canonical)
  expect(Object.keys(after.projected)).toEqual(Object.keys(first.projected))
  expect(after.projected[`${SLUG}/SKILL.md`]).toContain('by mail')
  expect(after.canonical[`${SLUG}/SKILL.md`]).toContain('by mail')
  expect(await getVersions(daemon)).toMatchObject([
    { version: 1, current: false, retired_at: daemon.clock.now.toISOString() },
    { version: 2, current: true, proposal_id: next.proposal, draft_hash: next.draft_hash },
  ])
  expect(readAbility(daemon)).toMatchObject({
    title: MAIL.goal,
    trigger_phrases: [MAIL.goal],
    current_version: 2,
    usable_now: true,
    proposal_id: next.proposal,
  })
  expect(readBridge(daemon).entries).toMatchObject([{ capability_id: ABILITY_ID, title: MAIL.goal }])
})

test('a rollback installs the previous version as a new version, with its files and description', async () => {
  const daemon = await startDaemon()
  await installProposal(daemon)
  const first = readFolders(daemon)
  const next = await prepareImprovement(daemon, MAIL)
  await install(daemon, next)

  const reply = await daemon.post(`/api/abilities/${ABILITY_ID}/rollback`)

  expect(reply.json()).toMatchObject({ ability_id: ABILITY_ID, version: 3, restored_from: 1 })
  const { saga_id } = reply.json<{ saga_id: string }>()
  expect(readSaga(daemon, saga_id)).toMatchObject({ kind: 'rollback', status: 'completed' })
  const receipts = (await daemon.get('/api/learn/receipts?page_size=100'))
    .json<{ receipts: { receipt_kind: string; saga_id?: string }[] }>()
    .receipts.filter((receipt) => receipt.saga_id === saga_id)
  expect(receipts.map(({ receipt_kind }) => receipt_kind).toSorted()).toEqual([
    'learn.install.completed',
    'learn.install.started',
  ])
  const after = readFolders(daemon)
  expect(after.projected).toEqual(first.projected)
  expect(after.canonical).toMatchObject(first.canonical)
  expect(new Set(Object.keys(after.canonical).map((path) => path.match(/\.versions\/(\d)/)?.[1]))).toEqual(
    new Set([undefined, '1', '2']),
  )
  expect(readAbility(daemon)).toMatchObject({
    title: 'Share a note as PDF',
    trigger_phrases: ['Share a note as PDF'],
    current_version: 3,
    usable_now: true,
  })
  expect((await daemon.post('/api/abilities/lookup', buildLookup('by mail'))).json()).toMatchObject({
    matches: [],
  })
  expect(readStates(daemon, next), 'the proposal does not move').toEqual(['installed_private', 'installed_private'])
  expect(await getVersions(daemon)).toMatchObject([
    { version: 1, current: false },
    { version: 2, current: false },
    { version: 3, current: true, restored_from: 1 },
  ])
})

test('repeated rollbacks return to the newest version with another draft; any version can be requested', async () => {
  const daemon = await startDaemon()
  await installProposal(daemon)
  await install(daemon, await prepareImprovement(daemon, MAIL))
  const back = (body: object = {}) => daemon.post(`/api/abilities/${ABILITY_ID}/rollback`, body)

  expect((await back()).json()).toMatchObject({ version: 3, restored_from: 1 })
  expect((await back()).json()).toMatchObject({ version: 4, restored_from: 2 })
  expect((await back({ version: 3 })).json()).toMatchObject({ version: 5, restored_from: 1 })
  expect(readFileSync(join(projectedRoot(daemon), SLUG, 'SKILL.md'), 'utf8')).not.toContain('by mail')

  for (const version of [5, 6, 99]) {
    expect(readCode(await back({ version }))).toBe('ABILITY_VERSION_NOT_FOUND')
  }
  expect(readVersions(daemon)).toHaveLength(5)
})

test('two versions are compared by their texts', async () => {
  const daemon = await startDaemon()
  await installProposal(daemon)
  await install(daemon, await prepareImprovement(daemon, MAIL))
  const compare = (version: number, query = '') =>
    daemon.get(`/api/abilities/${ABILITY_ID}/versions/${version}/diff${query}`)
  interface Compared {
    readonly from?: number
    readonly diffs: { readonly name: string; readonly diff: string }[]
  }
  const { from, diffs } = (await compare(2)).json<Compared>()
  expect(from).toBe(1)
  expect(diffs.find(({ name }) => name === 'SKILL.md')?.diff).toMatch(/^\+.*by mail/m)
  expect((await compare(1, '?from=2')).json<Compared>().diffs[0]?.diff).toMatch(/^-.*by mail/m)
  const first = (await compare(1)).json<Compared>()
  expect([first.from, first.diffs[0]?.diff.includes('\n-')]).toEqual([undefined, false])
  expect(readCode(await compare(3))).toBe('ABILITY_VERSION_NOT_FOUND')
  expect(readCode(await compare(2, '?from=9'))).toBe('ABILITY_VERSION_NOT_FOUND')
})

test('the first version and a quarantined ability cannot be rolled back', async () => {
  const daemon = await startDaemon()
  await installProposal(daemon)
  const url = `/api/abilities/${ABILITY_ID}/rollback`
  expect(readCode(await daemon.post(url))).toBe('ABILITY_VERSION_NOT_FOUND')
  await install(daemon, await prepareImprovement(daemon, MAIL))
  await daemon.post(`/api/abilities/${ABILITY_ID}/quarantine`, { reason: 'odd' })
  expect(readCode(await daemon.post(url))).toBe('INSTALL_LANE_DENIED')
  expect(readCode(await daemon.post('/api/abilities/learned.none/rollback'))).toBe('ABILITY_NOT_FOUND')
  expect(readVersions(daemon)).toHaveLength(2)
})

test('only an admin rolls back a shared ability', async () => {
  const daemon = await startDaemon()
  const ann = await daemon.tokenFor('ann', 'admin')
  const draft = await installProposal(daemon)
  await daemon.post(`${draft.url}/approve`, { draft_hash: draft.draft_hash })
  const next = await prepareImprovement(daemon, MAIL)
  await daemon.post(`${next.url}/approve`, { draft_hash: next.draft_hash })
  const write = await daemon.tokenFor('local', 'write')
  const url = `/api/abilities/${ABILITY_ID}/rollback`
  expect(readCode(await daemon.post(url, {}, write))).toBe('INSTALL_LANE_DENIED')
  expect(readCode(await daemon.post(url, {}, ann))).toBe('done')
  expect(readAbility(daemon)).toMatchObject({
    current_version: 3,
    install_lane: 'approved_workspace',
    owner_user_id: 'local',
  })
})

test('a quarantined skill that is revised and renamed moves to a folder with its new name', async () => {
  const daemon = await startDaemon()
  const draft = await installProposal(daemon)
  await daemon.post(`/api/abilities/${ABILITY_ID}/quarantine`, { reason: 'odd' })
  const revised = await daemon.post(`${draft.url}/revise`, {
    edited_fields: { title: 'Note to PDF', proposed_skill_slug: 'note-to-pdf' },
  })
  expect(revised.statusCode, revised.body).toBe(200)

  const { ability_id } = await install(daemon, await validateDraft(daemon, draft))

  expect(ability_id, 'the ability keeps its id').toBe(ABILITY_ID)
  const after = readFolders(daemon)
  const names = (tree: object) => new Set(Object.keys(tree).map((path) => path.split('/')[0]))
  expect([names(after.canonical), names(after.projected)]).toEqual([new Set(['note-to-pdf']), new Set(['note-to-pdf'])])
  expect(readAbility(daemon)).toMatchObject({ skill_slug: 'note-to-pdf', title: 'Note to PDF' })
  await daemon.post(`/api/abilities/${ABILITY_ID}/unquarantine`)
  expect(readAbility(daemon)).toMatchObject({
    usable_now: true,
    install_lane: 'experimental_private',
  })
  const back = await daemon.post(`/api/abilities/${ABILITY_ID}/rollback`)
  expect(back.statusCode, back.body).toBe(200)
  expect(names(readFolders(daemon).canonical)).toEqual(new Set([SLUG]))
  expect(readFileSync(join(canonicalRoot(daemon), SLUG, 'SKILL.md'), 'utf8')).toContain(SLUG)
})

test('an improvement by a user who may not change the ability is refused', async () => {
  const daemon = await startDaemon()
  const draft = await installProposal(daemon)
  await daemon.post(`${draft.url}/approve`, { draft_hash: draft.draft_hash })
  const ann = await daemon.tokenFor('ann')
  const next = await prepareImprovement(daemon, { ...MAIL, token: ann })
  const reply = await daemon.post(`${next.url}/install`, {}, ann)
  expect(readCode(reply)).toBe('INSTALL_LANE_DENIED')
  expect(readAbility(daemon)).toMatchObject({ current_version: 1, title: 'Share a note as PDF' })
})

test('approving an older proposal does not replace the current version', async () => {
  const daemon = await startDaemon()
  const draft = await installProposal(daemon)
  await install(daemon, await prepareImprovement(daemon, MAIL))
  const reply = await daemon.post(`${draft.url}/approve`, { draft_hash: draft.draft_hash })
  expect(readCode(reply)).toBe('INSTALL_LANE_DENIED')
  expect(readAbility(daemon)).toMatchObject({
    current_version: 2,
    install_lane: 'experimental_private',
  })
})
