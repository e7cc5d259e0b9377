import { renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { addAbility } from '../abilities/ability-rows.ts'
import type { SkillEntry } from '@apprentice/contracts/skills/skill.ts'
import {
  createCorpusRoot,
  writeSkill,
  CORPUS_FOLDER,
  createTempFolder,
  startWithRoots,
  writeFile,
  writeRegistry,
} from './skill-roots.ts'

interface Listing {
  skills: SkillEntry[]
  count: number
  roots: { root: string; count: number; problem?: string }[]
  problems: { skill_id?: string; position: number; reason: string; skipped: boolean }[]
}

test("a listed skill of another user's private ability is the owner's alone", async () => {
  const root = createTempFolder()
  writeRegistry(root, [writeSkill(root, 'com.test.own'), writeSkill(root, 'com.test.shared')])
  const daemon = await startWithRoots([root])
  const stranger = await daemon.tokenFor('stranger', 'admin')
  await addAbility(daemon, { skill_slug: 'com.test.own', install_lane: 'experimental_private' })
  const list = async (path: string, token?: string) =>
    (await daemon.get(path, token)).json<Listing>().skills.map(({ id }) => id)
  for (const path of ['/api/skills', '/api/skills/search?keyword=com.test']) {
    expect(await list(path), path).toEqual(['com.test.own', 'com.test.shared'])
    expect(await list(path, stranger), path).toEqual(['com.test.shared'])
  }
  const skill = '/api/skills/com.test.own'
  const refused = [
    await daemon.get(skill, stranger),
    await daemon.post(`${skill}/validate`, {}, stranger),
    await daemon.post(`${skill}/compile`, { artifact: 'main' }, stranger),
  ]
  expect(refused.map((reply) => reply.json<{ error: { code: string } }>().error.code)).toEqual(
    refused.map(() => 'SKILL_NOT_FOUND'),
  )
  expect((await daemon.get(skill)).statusCode).toBe(200)
})

test('the published registry loads without the files of its skills', async () => {
  const daemon = await startWithRoots([CORPUS_FOLDER])

  const listed = (await daemon.get('/api/skills')).json<Listing>()

  expect(listed.count).toBe(25)
  expect(listed.skills.map(({ id }) => id)).toEqual(listed.skills.map(({ id }) => id).toSorted())
  expect(listed.roots).toMatchObject([{ count: 0 }, { root: CORPUS_FOLDER, count: 25 }])
  // The one entry that deviates from the published schema is reported but not skipped.
  expect(listed.problems).toEqual([
    {
      root: CORPUS_FOLDER,
      position: 24,
      skill_id: 'utils.show-android-device',
      reason: expect.stringContaining('path, skillFile, scripts[0]'),
      skipped: false,
    },
  ])
  const count = (has: (entry: SkillEntry) => boolean) => listed.skills.filter(has).length
  expect(count(({ artifacts }) => artifacts.length > 0)).toBe(3)
  expect(count(({ contract }) => contract !== undefined)).toBe(13)
  expect(count(({ agent }) => agent !== undefined)).toBe(3)
  expect(count(({ keywords }) => keywords !== undefined)).toBe(5)
  const verified = ({ contract }: SkillEntry) =>
    (contract as { verification?: unknown } | undefined)?.verification ?? null
  expect(count((entry) => verified(entry) !== null)).toBe(4)
  // Published ids need not consist of applicationId and intent; those of new skills do.
  expect(count((one) => `${one.applicationId}.${one.intent}` !== one.id)).toBe(9)
  expect(Math.max(...listed.skills.map(({ id }) => id.length))).toBe(64)
})

test('a skill includes the type and description of its SKILL.md', async () => {
  const daemon = await startWithRoots([CORPUS_FOLDER])
  const one = async (id: string) => (await daemon.get(`/api/skills/${id}`)).json<object>()

  expect(await one('au.com.polyaire.airtouch5.set-zone-state')).toMatchObject({
    skill: { applicationId: 'au.com.polyaire.airtouch5' },
    root: CORPUS_FOLDER,
    registryPath: join(CORPUS_FOLDER, 'skills', 'skills-registry.json'),
    type: 'script',
    description: expect.stringMatching(/^Set an AirTouch 5 zone state/),
  })
  const untyped = await one('com.android.settings.capture-overview')
  expect(untyped).toMatchObject({ description: expect.stringMatching(/^Open Android Settings/) })
  expect(untyped).not.toHaveProperty('type')
  expect(await one('com.example.nobody')).toMatchObject({ error: { code: 'SKILL_NOT_FOUND' } })
})

test.each([
  ['app=com.coles.android.shopmate', ['com.coles.search-products']],
  ['app=com.coles', []],
  ['intent=get-usage', ['com.globird.energy.get-usage']],
  ['keyword=DEEBOT', ['com.eco.global.app.control-home-robot-vacuum-orchestrated']],
  ['keyword=battery&app=com.globird.energy', []],
])('a search for %s', async (query, ids) => {
  const daemon = await startWithRoots([CORPUS_FOLDER])
  const found = (await daemon.get(`/api/skills/search?${query}`)).json<Listing>()
  expect(found.skills.map(({ id }) => id)).toEqual(ids)
  expect(found.count).toBe(ids.length)
})

test('search results are ordered by match, then by registry order, and limited', async () => {
  const root = createTempFolder()
  writeRegistry(root, [
    writeSkill(root, 'com.a.one', { summary: 'The fan of the lamp' }),
    writeSkill(root, 'com.lampshade.two'),
    writeSkill(root, 'com.a.three', { keywords: ['lamplight'] }),
    writeSkill(root, 'com.lamp.four'),
    writeSkill(root, 'com.a.five', { keywords: ['desk lamp'] }),
    writeSkill(root, 'com.a.six', { keywords: ['Lamp '] }),
    writeSkill(root, 'com.lamp.seven'),
    writeSkill(root, 'com.other.eight'),
  ])
  const daemon = await startWithRoots([root])
  const found = (await daemon.get('/api/skills/search?keyword=lamp')).json<Listing>()
  expect(found.skills.map(({ intent }) => intent)).toEqual(['six', 'five', 'four', 'seven', 'three', 'two', 'one'])
  const two = (await daemon.get('/api/skills/search?keyword=lamp&limit=2')).json<Listing>()
  expect([two.skills.length, two.count]).toEqual([2, 7])
})

test('invalid entries are reported and skipped; the others stay', async () => {
  const root = createTempFolder()
  writeRegistry(root, [
    writeSkill(root, 'com.a.good'),
    'no object',
    writeSkill(root, 'com.a.listless', { scripts: 'run.js' }),
    writeSkill(root, 'com.a.outside', { skillFile: '../../etc/passwd' }),
    writeSkill(root, 'com.a.absolute', { scripts: ['/bin/sh'] }),
    writeSkill(root, 'com.a.nameless', { summary: '' }),
    writeSkill(root, 'com.a.sly', { applicationId: '../../up' }),
    writeSkill(root, 'com.a.good', { summary: 'Again' }),
  ])
  const daemon = await startWithRoots([root])
  const listed = (await daemon.get('/api/skills')).json<Listing>()

  expect(listed.skills.map(({ id, summary }) => [id, summary])).toEqual([['com.a.good', 'Does com.a.good']])
  expect(listed.problems.map(({ position, skipped }) => [position, skipped])).toEqual(
    [1, 2, 3, 4, 5, 6, 7].map((position) => [position, true]),
  )
  const skipped = await daemon.get('/api/skills/com.a.outside')
  expect(skipped.json()).toMatchObject({ error: { code: 'SKILL_NOT_FOUND' } })
})

test('the first root wins for a shared id, and an unreadable root affects no other', async () => {
  const [one, two, broken] = [createTempFolder(), createTempFolder(), createTempFolder()]
  writeRegistry(one, [writeSkill(one, 'com.a.shared', { summary: 'First' }), writeSkill(one, 'com.a.own')])
  writeRegistry(two, [writeSkill(two, 'com.a.shared', { summary: 'Second' }), writeSkill(two, 'com.b.own')])
  writeFile(broken, 'skills/skills-registry.json', '{"skills": 5}')
  const nowhere = join(createTempFolder(), 'none')
  const daemon = await startWithRoots([one, broken, nowhere, two])

  const listed = (await daemon.get('/api/skills')).json<Listing>()

  expect(listed.skills.map(({ id, summary }) => [id, summary])).toEqual([
    ['com.a.shared', 'First'],
    ['com.a.own', 'Does com.a.own'],
    ['com.b.own', 'Does com.b.own'],
  ])
  expect(listed.roots.map(({ problem }) => problem)).toEqual([
    undefined,
    undefined,
    'The registry has no list of skills.',
    'The root has no registry.',
    undefined,
  ])
  expect(listed.problems).toMatchObject([{ root: two, skill_id: 'com.a.shared', skipped: true }])
})

test('a changed registry is read at once and announced by one event', async () => {
  const root = createTempFolder()
  writeRegistry(root, [writeSkill(root, 'com.a.first')])
  const daemon = await startWithRoots([root])
  const ids = async () => (await daemon.get('/api/skills')).json<Listing>().skills.map(({ id }) => id)
  expect(await ids()).toEqual(['com.a.first'])

  writeRegistry(root, [writeSkill(root, 'com.a.first'), writeSkill(root, 'com.a.second')])
  writeRegistry(root, [writeSkill(root, 'com.a.third')])
  expect(await ids()).toEqual(['com.a.third'])

  const listChanges = () => daemon.events().filter(({ kind }) => kind === 'skill.registry.changed')
  await vi.waitFor(() => expect(listChanges()).toHaveLength(1), { timeout: 5000 })
  expect(listChanges()[0]?.payload).toEqual({ root })

  rmSync(join(root, 'skills', 'skills-registry.json'))
  expect(await ids()).toEqual([])
})

test('the recipes of the published skills compile to their published ids', async () => {
  const daemon = await startWithRoots([createCorpusRoot()])
  const compile = async (id: string, artifact: string, vars = {}) =>
    (await daemon.post(`/api/skills/${id}/compile`, { artifact, vars })).json<{
      execution: { commandId: string; taskId: string; mode: string; actions: unknown[] }
    }>()

  const battery = await compile('com.solaxcloud.starter.get-battery', 'battery')
  expect(battery.execution).toMatchObject({
    commandId: 'cmd-43e1b2cf4595',
    taskId: 'task-43e1b2cf4595',
    mode: 'artifact_compiled',
  })
  expect(battery.execution.actions).toHaveLength(6)
  const usage = await compile('com.globird.energy.get-usage', 'usage.recipe.json')
  expect(usage.execution.commandId).toBe('cmd-aa7d452be27d')
  expect(usage.execution.actions).toHaveLength(9)
  const room = await compile('com.theswitchbot.switchbot.get-bedroom-temperature', 'bedroom-temperature.recipe.json')
  expect(room.execution.commandId).toBe('cmd-41c0aaf2c97c')
})

test('an unknown, outside or missing artifact is ARTIFACT_NOT_FOUND', async () => {
  const root = createCorpusRoot()
  const daemon = await startWithRoots([root])
  const id = 'com.solaxcloud.starter.get-battery'
  const compile = async (artifact: string) =>
    (await daemon.post(`/api/skills/${id}/compile`, { artifact })).json<object>()

  expect(await compile('nothing')).toMatchObject({
    error: { code: 'ARTIFACT_NOT_FOUND', details: { skillId: id, artifactName: 'nothing' } },
  })
  expect(await compile('../../../../etc/passwd')).toMatchObject({
    error: { code: 'ARTIFACT_NOT_FOUND' },
  })
  renameSync(join(root, 'skills', id, 'artifacts'), join(root, 'skills', id, 'gone'))
  expect(await compile('battery')).toMatchObject({ error: { code: 'ARTIFACT_NOT_FOUND' } })
})
