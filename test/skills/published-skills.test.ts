import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { listMismatches } from '../../src/knowledge/skill-format/manifest-mismatches.ts'
import type { Daemon } from '../kit/daemon.ts'
import {
  CORPUS_FOLDER,
  createCorpusRoot,
  readCorpusEntries,
  readFile,
  startWithRoots,
  UNTYPED_SKILLS,
} from './skill-roots.ts'

interface ErrorReply {
  error: { code: string; message: string; details: Record<string, unknown> }
}

const validate = async (daemon: Daemon, skillId: string, body: object = {}) =>
  (await daemon.post(`/api/skills/${skillId}/validate`, body)).json<ErrorReply>()

test('all published skills but two are valid, three of them with payloads', async () => {
  const root = createCorpusRoot()
  const daemon = await startWithRoots([root])

  const { error } = (await daemon.post('/api/skills/validate', { dry_run: true, root })).json<ErrorReply>()

  expect(error).toMatchObject({
    code: 'SKILL_VALIDATION_FAILED',
    message: '2 of 25 registered skills failed validation',
    details: { totalSkills: 25, validCount: 23, invalidCount: 2 },
  })
  expect(error.details['failures']).toEqual(
    UNTYPED_SKILLS.map((skillId) => ({
      skillId,
      code: 'SKILL_VALIDATION_FAILED',
      message: `Skill ${skillId} is missing required clawperator-skill-type frontmatter`,
      details: { missingFields: ['clawperator-skill-type'] },
    })),
  )
  const payloads = await Promise.all(
    readCorpusEntries()
      .filter(({ id }) => !UNTYPED_SKILLS.includes(id))
      .map(async ({ id }) => 'dryRun' in (await validate(daemon, id, { dry_run: true }))),
  )
  expect([payloads.filter((skipped) => skipped).length, payloads.length]).toEqual([20, 23])
})

test('every published skill.json matches its registry entry', () => {
  const published = readCorpusEntries().filter(({ path }) => existsSync(join(CORPUS_FOLDER, path, 'skill.json')))
  expect(published).toHaveLength(14)
  for (const entry of published) {
    const document = JSON.parse(readFile(CORPUS_FOLDER, `${entry.path}/skill.json`)) as object
    expect(listMismatches(entry, { ...document }), entry.id).toEqual([])
  }
})

test('a skill without its SKILL.md and script is invalid', async () => {
  const daemon = await startWithRoots([CORPUS_FOLDER])
  const { error } = await validate(daemon, 'com.globird.energy.get-usage')
  const folder = join(CORPUS_FOLDER, 'skills', 'com.globird.energy.get-usage')
  expect(error).toMatchObject({
    code: 'SKILL_VALIDATION_FAILED',
    message: 'Skill com.globird.energy.get-usage is missing required files',
    details: {
      missingFiles: [join(folder, 'SKILL.md'), join(folder, 'scripts', 'get_globird_usage.sh')],
    },
  })
})
