import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { run } from '../commands/program.ts'
import { adminToken, startDaemon } from '../kit/daemon.ts'
import { aRealRoot, temporaryFolder, withRoots, writeFile } from './roots.ts'

/** The built program against a daemon of this process. */
async function speaking(roots: string[]) {
  const daemon = roots.length === 0 ? await startDaemon() : await withRoots(roots)
  const { url } = await daemon.listen()
  const env = { APPRENTICE_HOME: temporaryFolder(), APPRENTICE_TOKEN: adminToken }
  const skills = (...args: string[]) => run(['skills', ...args, '--url', url], env)
  return { daemon, skills }
}

test('skills are listed, shown and found', async () => {
  const { skills } = await speaking([aRealRoot()])

  const listed = await skills('list')
  expect(listed).toMatchObject({ code: 0, stderr: '' })
  expect(listed.stdout).toContain('com.globird.energy.get-usage')
  expect(listed.stdout).toContain('utils.show-android-device: Not as the schema')
  const shown = await skills('show', 'com.globird.energy.get-usage')
  expect(shown.stdout).toContain('usage.recipe.json')
  const found = await skills('search', 'robot', 'vacuum', '--json')
  expect(JSON.parse(found.stdout)).toMatchObject({
    count: 1,
    skills: [{ id: 'com.eco.global.app.control-home-robot-vacuum-orchestrated' }],
  })
  expect(await skills('search')).toMatchObject({ code: 2, stdout: '' })
  expect(await skills('show', 'com.example.nobody')).toMatchObject({ code: 2, stdout: '' })
})

test('an artifact of a skill is compiled', async () => {
  const { skills } = await speaking([aRealRoot()])
  const id = 'com.solaxcloud.starter.get-battery'
  const made = await skills('compile-artifact', id, '--artifact', 'battery')
  expect(JSON.parse(made.stdout)).toMatchObject({ execution: { commandId: 'cmd-43e1b2cf4595' } })
  const wrong = await skills('compile', id, '--artifact', 'battery', '--vars', '[1]')
  expect(wrong).toMatchObject({ code: 2, stdout: '' })
  expect(wrong.stderr).toContain('Invalid --vars JSON')
})

test('a skill is begun, checked and indexed', async () => {
  const { daemon, skills } = await speaking([])
  const made = await skills('new', 'com.example.app.do-it', '--summary', 'Does it')
  expect(made).toMatchObject({ code: 0, stderr: '' })
  expect(existsSync(join(daemon.home, 'skills/com.example.app.do-it/SKILL.md'))).toBe(true)
  expect(await skills('new', 'nodot')).toMatchObject({ code: 2 })
  expect(await skills('new', 'com.example.app.do-it')).toMatchObject({ code: 1 })
  const file = join(temporaryFolder(), 'none.json')
  expect(await skills('new', 'com.a.b', '--recording-context', file)).toMatchObject({ code: 1 })

  const checked = await skills('validate', 'com.example.app.do-it', '--dry-run')
  expect(checked.stdout).toContain('is whole. Payload: skill has no pre-compiled artifacts')
  expect(await skills('validate')).toMatchObject({ code: 2, stdout: '' })

  expect(await skills('index', '--check')).toMatchObject({ code: 1 })
  expect(await skills('index')).toMatchObject({ code: 0 })
  expect(await skills('index', '--check')).toMatchObject({ code: 0 })

  const saved = join(temporaryFolder(), 'saved')
  expect(await run(['backup', saved], { APPRENTICE_HOME: daemon.home })).toMatchObject({ code: 0 })
  expect(existsSync(join(saved, 'skills/com.example.app.do-it/skill.json'))).toBe(true)

  writeFile(daemon.home, 'skills/com.example.app.do-it/SKILL.md', 'no head\n')
  const all = await skills('validate', '--all')
  expect(all.code).toBe(1)
  expect(all.stdout).toContain('1 of 1 registered skills failed validation')
  expect(all.stdout).toContain('"missingFields":["clawperator-skill-type"]')
})
