import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runProgram } from '../commands/program.ts'
import { adminToken, startDaemon } from '../kit/daemon.ts'
import { createCorpusRoot, createTempFolder, startWithRoots, writeFile } from './skill-roots.ts'

/** Runs the built program against a daemon in this process. */
async function startCli(roots: string[]) {
  const daemon = roots.length === 0 ? await startDaemon() : await startWithRoots(roots)
  const { url } = await daemon.listen()
  const env = { APPRENTICE_HOME: createTempFolder(), APPRENTICE_TOKEN: adminToken }
  const skills = (...args: string[]) => runProgram(['skills', ...args, '--url', url], env)
  return { daemon, skills }
}

test('skills list, show and search', async () => {
  const { skills } = await startCli([createCorpusRoot()])

  const listed = await skills('list')
  expect(listed).toMatchObject({ code: 0, stderr: '' })
  expect(listed.stdout).toContain('com.globird.energy.get-usage')
  expect(listed.stdout).toContain('utils.show-android-device: Deviates from the registry schema')
  const details = await skills('show', 'com.globird.energy.get-usage')
  expect(details.stdout).toContain('usage.recipe.json')
  const found = await skills('search', 'robot', 'vacuum', '--json')
  expect(JSON.parse(found.stdout)).toMatchObject({
    count: 1,
    skills: [{ id: 'com.eco.global.app.control-home-robot-vacuum-orchestrated' }],
  })
  expect(await skills('search')).toMatchObject({ code: 2, stdout: '' })
  expect(await skills('show', 'com.example.nobody')).toMatchObject({ code: 2, stdout: '' })
})

test('skills compile-artifact prints the execution', async () => {
  const { skills } = await startCli([createCorpusRoot()])
  const id = 'com.solaxcloud.starter.get-battery'
  const made = await skills('compile-artifact', id, '--artifact', 'battery')
  expect(JSON.parse(made.stdout)).toMatchObject({ execution: { commandId: 'cmd-43e1b2cf4595' } })
  const wrong = await skills('compile', id, '--artifact', 'battery', '--vars', '[1]')
  expect(wrong).toMatchObject({ code: 2, stdout: '' })
  expect(wrong.stderr).toContain('Invalid --vars JSON')
})

test('skills new, validate, index and backup', async () => {
  const { daemon, skills } = await startCli([])
  const made = await skills('new', 'com.example.app.do-it', '--summary', 'Does it')
  expect(made).toMatchObject({ code: 0, stderr: '' })
  expect(existsSync(join(daemon.home, 'skills/com.example.app.do-it/SKILL.md'))).toBe(true)
  expect(await skills('new', 'nodot')).toMatchObject({ code: 2 })
  expect(await skills('new', 'com.example.app.do-it')).toMatchObject({ code: 1 })
  const file = join(createTempFolder(), 'none.json')
  expect(await skills('new', 'com.a.b', '--recording-context', file)).toMatchObject({ code: 1 })

  const checked = await skills('validate', 'com.example.app.do-it', '--dry-run')
  expect(checked.stdout).toContain('is valid. Payload: skill has no pre-compiled artifacts')
  expect(await skills('validate')).toMatchObject({ code: 2, stdout: '' })

  expect(await skills('index', '--check')).toMatchObject({ code: 1 })
  expect(await skills('index')).toMatchObject({ code: 0 })
  expect(await skills('index', '--check')).toMatchObject({ code: 0 })

  const saved = join(createTempFolder(), 'saved')
  expect(await runProgram(['backup', saved], { APPRENTICE_HOME: daemon.home })).toMatchObject({
    code: 0,
  })
  expect(existsSync(join(saved, 'skills/com.example.app.do-it/skill.json'))).toBe(true)

  writeFile(daemon.home, 'skills/com.example.app.do-it/SKILL.md', 'no head\n')
  const all = await skills('validate', '--all')
  expect(all.code).toBe(1)
  expect(all.stdout).toContain('1 of 1 registered skills failed validation')
  expect(all.stdout).toContain('"missingFields":["clawperator-skill-type"]')
})
