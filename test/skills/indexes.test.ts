import { existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { hashPrefix } from '../../src/knowledge/skill-format/indexes.ts'
import type { Daemon } from '../kit/daemon.ts'
import {
  createCorpusRoot,
  writeSkill,
  readFile,
  createTempFolder,
  startWithRoots,
  writeFile,
  writeRegistry,
} from './skill-roots.ts'

const writeIndexes = async (daemon: Daemon, body: object) =>
  (await daemon.post('/api/skills/indexes', body)).json<{ files: string[]; error?: object }>()

const readFreshness = async (daemon: Daemon, root: string) =>
  (await daemon.get('/api/skills/indexes'))
    .json<{ roots: { root: string; fresh: boolean; reason?: string }[] }>()
    .roots.find((one) => one.root === root)

test('indexes of the published registry contain all its skills and leave it unchanged', async () => {
  const root = createCorpusRoot()
  const before = JSON.parse(readFile(root, 'skills/skills-registry.json')) as { skills: unknown[] }
  const daemon = await startWithRoots([root])
  expect(await readFreshness(daemon, root)).toMatchObject({ fresh: false })

  expect(await writeIndexes(daemon, { root })).toMatchObject({ totalSkills: 25, skipped: [] })

  expect(await readFreshness(daemon, root)).toEqual({ root, fresh: true })
  const shards = (kind: string) => readdirSync(join(root, 'skills', 'generated', kind))
  expect([shards('by-app').length, shards('by-prefix').length]).toEqual([14, 24])
  expect(hashPrefix('com.solaxcloud.starter.get-battery')).toBe('33')
  const shared = JSON.parse(readFile(root, 'skills/generated/by-prefix/33.json')) as object
  expect(shared).toMatchObject({ schemaVersion: '1.0', prefix: '33', count: 2 })
  // The registry is rebuilt from the folders with the same skills.
  const after = JSON.parse(readFile(root, 'skills/skills-registry.json')) as { skills: unknown[] }
  expect(after.skills).toEqual(before.skills)
  const lines = readFile(root, 'skills/generated/skills-index.jsonl').trimEnd().split('\n')
  expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual(before.skills)
  const manifest = JSON.parse(readFile(root, 'skills/generated/manifest.json')) as object
  expect(manifest).toMatchObject({
    totalSkills: 25,
    artifacts: {
      registry: { file: 'skills/skills-registry.json', count: 25 },
      minIndex: { file: 'skills/generated/skills-index.min.json', count: 25 },
      jsonlIndex: { file: 'skills/generated/skills-index.jsonl', count: 25 },
    },
  })
})

test.each([
  [
    'the shards are missing, as in a fresh clone',
    (root: string) => rmSync(join(root, 'skills/generated/by-app'), { recursive: true }),
  ],
  ['a shard has other content', (root: string) => writeFile(root, 'skills/generated/by-app/com.a.json', '{}')],
  [
    'only white space of a file changed',
    (root: string) =>
      writeFile(
        root,
        'skills/generated/skills-index.min.json',
        `${readFile(root, 'skills/generated/skills-index.min.json')} `,
      ),
  ],
  ['a shard belongs to no skill', (root: string) => writeFile(root, 'skills/generated/by-app/com.gone.json', '{}')],
  [
    'the registry changed',
    (root: string) => writeRegistry(root, [writeSkill(root, 'com.a.one'), writeSkill(root, 'com.a.two')]),
  ],
])('indexes are stale when %s', async (_description, change) => {
  const root = createTempFolder()
  writeRegistry(root, [writeSkill(root, 'com.a.one')])
  const daemon = await startWithRoots([root])
  const all = async () => (await daemon.post('/api/skills/validate', { root })).json<object>()
  expect(await all()).toMatchObject({ valid: true, totalSkills: 1, validSkills: ['com.a.one'] })
  await writeIndexes(daemon, { root })
  expect(await all()).toMatchObject({ valid: true })

  change(root)

  expect(await all()).toMatchObject({
    error: {
      code: 'SKILL_VALIDATION_FAILED',
      details: {
        failures: [
          {
            skillId: '<generated-indexes>',
            message: expect.stringMatching(/^Generated skill indexes are stale\. /),
          },
        ],
      },
    },
  })
  // The validation of a single skill ignores the indexes.
  expect((await daemon.post('/api/skills/com.a.one/validate')).json()).toMatchObject({
    valid: true,
  })
  await writeIndexes(daemon, { root })
  expect(await all()).toMatchObject({ valid: true })
})

test('a new skill is added to existing indexes', async () => {
  const root = createTempFolder()
  writeRegistry(root, [writeSkill(root, 'com.a.one')])
  const daemon = await startWithRoots([root])
  await daemon.post('/api/skills', { skill_id: 'com.a.plain', root })
  expect(existsSync(join(root, 'skills', 'generated'))).toBe(false)
  await writeIndexes(daemon, { root })
  await daemon.post('/api/skills', { skill_id: 'com.b.two', root })
  expect(await readFreshness(daemon, root)).toEqual({ root, fresh: true })
  expect(existsSync(join(root, 'skills', 'generated', 'by-app', 'com.b.json'))).toBe(true)
})

test('an unregistered folder is reported and does not fail the validation', async () => {
  const root = createTempFolder()
  writeRegistry(root, [writeSkill(root, 'com.a.one')])
  writeSkill(root, 'com.a.two')
  const daemon = await startWithRoots([root])
  expect((await daemon.post('/api/skills/validate', { root })).json()).toMatchObject({
    valid: true,
    totalSkills: 1,
    unregistered: [join(root, 'skills', 'com.a.two')],
  })
})

test('broken folders prevent the indexes, unless skip_broken is set', async () => {
  const root = createTempFolder()
  writeRegistry(root, [writeSkill(root, 'com.a.one')])
  writeSkill(root, 'com.a.moved', { path: 'skills/com.a.elsewhere' })
  writeSkill(root, 'com.a.lacking', { scripts: ['skills/com.a.lacking/scripts/none.js'] })
  writeFile(root, 'skills/com.a.torn/skill.json', '{')
  writeFile(root, 'skills/nested/com.a.deep/skill.json', JSON.stringify(writeSkill(root, 'com.a.deep')))
  const before = readFile(root, 'skills/skills-registry.json')
  const daemon = await startWithRoots([root])

  const refused = await writeIndexes(daemon, { root })
  expect(refused.error).toMatchObject({
    code: 'SKILL_VALIDATION_FAILED',
    details: {
      failures: [
        { path: 'skills/com.a.lacking/skill.json', reason: expect.stringContaining('none.js') },
        { path: 'skills/com.a.moved/skill.json', reason: expect.stringContaining('elsewhere') },
        { path: 'skills/com.a.torn/skill.json', reason: 'skill.json is not JSON' },
        { path: 'skills/nested/com.a.deep/skill.json', reason: expect.any(String) },
      ],
    },
  })
  expect(readFile(root, 'skills/skills-registry.json')).toBe(before)
  expect(existsSync(join(root, 'skills', 'generated'))).toBe(false)

  const done = await writeIndexes(daemon, { root, skip_broken: true })
  expect(done).toMatchObject({ totalSkills: 2 })
  expect(await readFreshness(daemon, root)).toEqual({ root, fresh: true })
})

test('indexes are never reported as stale while the daemon itself writes them', async () => {
  const root = createTempFolder()
  writeRegistry(root, [writeSkill(root, 'com.a.one')])
  const daemon = await startWithRoots([root])
  await writeIndexes(daemon, { root })
  const answers = await Promise.all(
    Array.from({ length: 12 }, async (_, n) => {
      const created = daemon.post('/api/skills', { skill_id: `com.a.new-${n}`, root })
      const fresh = readFreshness(daemon, root)
      const validated = daemon.post('/api/skills/validate', { root })
      return [(await created).statusCode, (await fresh)?.fresh, (await validated).statusCode]
    }),
  )
  expect(answers).toEqual(answers.map(() => [201, true, 200]))
})
