import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { parse } from 'yaml'
import { checkAgentSkills } from '../../src/commands/doctor/agent-skills.ts'
import { createProgram } from '../../src/commands/program.ts'
import { installGuides, listGuides } from '../../src/files/agent-skills.ts'
import { agentSkillsFolder, packageRoot } from '../../src/config/paths.ts'
import { version } from '../../src/config/version.ts'

const names = readdirSync(agentSkillsFolder).toSorted()

function createPlaces() {
  const folder = mkdtempSync(join(tmpdir(), 'apprentice-guides-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const home = join(folder, 'home')
  mkdirSync(home)
  const into = join(folder, 'agent', 'skills')
  const places = { source: agentSkillsFolder, store: join(home, 'agent-skills'), version }
  return {
    home,
    into,
    places,
    install: (changes: object = {}) => installGuides({ ...places, ...changes }, into),
  }
}

/** The contents of all files below a folder, and the targets of links. */
function readTree(folder: string): Record<string, string> {
  return Object.fromEntries(
    readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
      const path = join(folder, entry.name)
      if (entry.isSymbolicLink()) return [[path, readlinkSync(path)]]
      return entry.isDirectory() ? Object.entries(readTree(path)) : [[path, readFileSync(path, 'utf8')]]
    }),
  )
}

test.each(names)('%s has a valid header and a limited length', (name) => {
  const text = readFileSync(join(agentSkillsFolder, name, 'SKILL.md'), 'utf8')
  const [, head = '', body = ''] = /^---\n([\s\S]*?)\n---\n([\s\S]*)$/.exec(text) ?? []
  const { name: own, description } = parse(head) as { name: string; description: string }
  expect(own).toBe(name)
  expect(description.length).toBeLessThan(400)
  expect(description).toContain('Use when')
  expect(body.length).toBeLessThan(6000)
})

test('the guides refer only to existing commands and guides', async () => {
  const commands = (await createProgram()).commands.map((command) => command.name())
  for (const name of names) {
    const text = readFileSync(join(agentSkillsFolder, name, 'SKILL.md'), 'utf8')
    for (const [, command = ''] of text.matchAll(/`apprentice ([a-z-]+)/g)) {
      expect(commands, name).toContain(command)
    }
    for (const [, other] of text.matchAll(/`(apprentice-[a-z-]+)`/g)) expect(names).toContain(other)
  }
})

test('the package contains the guides and the shim', () => {
  const { files } = JSON.parse(readFileSync(join(packageRoot, 'package.json'), 'utf8')) as {
    files: string[]
  }
  expect(files).toEqual(expect.arrayContaining(['src/agent-skills', 'src/processes/shim']))
})

test('guides are linked into the folder of an agent, and a second installation changes nothing', async () => {
  const { into, install, places, home } = createPlaces()
  expect(await install()).toMatchObject({
    refused: [],
    removed: [],
    installed: names.map((name) => ({ name })),
  })
  for (const name of names) {
    expect(readFileSync(join(into, name, 'SKILL.md'))).toEqual(readFileSync(join(agentSkillsFolder, name, 'SKILL.md')))
    expect(lstatSync(join(into, name)).isSymbolicLink()).toBe(true)
  }
  const before = { ...readTree(into), ...readTree(home) }
  await install()
  expect({ ...readTree(into), ...readTree(home) }).toEqual(before)
  expect(await listGuides(places, into)).toEqual(names.map((name) => ({ name, skillPath: join(into, name) })))
  expect(readFileSync(join(places.store, 'version.txt'), 'utf8')).toBe(`${version}\n`)
})

test('files, folders and links of others are not changed', async () => {
  const { into, install, places } = createPlaces()
  const [first = '', second = '', third = ''] = names
  mkdirSync(join(into, first), { recursive: true })
  writeFileSync(join(into, first, 'SKILL.md'), 'mine')
  symlinkSync('/somewhere/else', join(into, second))
  writeFileSync(join(into, 'another'), 'mine')
  writeFileSync(join(into, third), 'a file of mine')

  const done = await install()
  expect(done.refused.map(({ name }) => name)).toEqual([first, second, third])
  expect(readFileSync(join(into, first, 'SKILL.md'), 'utf8')).toBe('mine')
  expect(readlinkSync(join(into, second))).toBe('/somewhere/else')
  expect(readFileSync(join(into, third), 'utf8')).toBe('a file of mine')
  expect(readFileSync(join(into, 'another'), 'utf8')).toBe('mine')
  expect((await listGuides(places, into)).map(({ name }) => name)).toEqual(names.slice(3))
})

test('an edited guide is kept and reported', async () => {
  const { into, install, home } = createPlaces()
  await install()
  const [first = ''] = names
  const edited = join(home, 'agent-skills', first, 'SKILL.md')
  writeFileSync(edited, 'better words')
  expect((await install()).refused).toEqual([{ name: first, reason: expect.stringContaining('edited') }])
  expect(readFileSync(join(into, first, 'SKILL.md'), 'utf8')).toBe('better words')
  expect(await checkAgentSkills(home)).toMatchObject({
    status: 'warn',
    summary: expect.stringContaining(`${first} was edited`),
  })
})

test('an update replaces guides, removes old ones and keeps foreign folders', async () => {
  const { into, install, places } = createPlaces()
  const source = mkdtempSync(join(tmpdir(), 'apprentice-old-guides-'))
  onTestFinished(() => rmSync(source, { recursive: true, force: true }))
  for (const name of ['old-guide', names[0] ?? '']) {
    mkdirSync(join(source, name))
    writeFileSync(join(source, name, 'SKILL.md'), 'old')
  }
  await install({ source, version: '0.0.1' })
  mkdirSync(join(into, 'foreign'))

  expect(await checkAgentSkills(join(places.store, '..'))).toMatchObject({
    id: 'host.agent-skills.staleness',
    status: 'warn',
    summary: expect.stringMatching(/AGENT_SKILLS_STALE: the guides have version 0\.0\.1/),
    fix: expect.stringMatching(/^run (npx )?apprentice agent-skills update$/),
  })
  expect(await install()).toMatchObject({ removed: ['old-guide'], refused: [] })
  expect(existsSync(join(into, 'old-guide'))).toBe(false)
  expect(existsSync(join(places.store, 'old-guide'))).toBe(false)
  expect(existsSync(join(into, 'foreign'))).toBe(true)
  expect(readFileSync(join(into, names[0] ?? '', 'SKILL.md'), 'utf8')).not.toBe('old')
})

test('the doctor reports missing installation, installed guides and missing links', async () => {
  const { into, install, home } = createPlaces()
  expect(await checkAgentSkills(home)).toMatchObject({
    status: 'pass',
    summary: 'Agent-skills not yet installed.',
  })
  await install()
  expect(await checkAgentSkills(home)).toMatchObject({ status: 'pass' })
  rmSync(join(into, names[0] ?? ''))
  expect(await checkAgentSkills(home)).toMatchObject({
    status: 'warn',
    summary: expect.stringContaining('is missing'),
  })
})

test.each([
  ['AGENT_SKILLS_SOURCE_NOT_FOUND', '/no/such/folder'],
  ['AGENT_SKILLS_SOURCE_EMPTY', 'empty'],
])('%s is thrown before anything is written', async (code, source) => {
  const { home, install, places } = createPlaces()
  mkdirSync(join(home, 'empty'))
  const installation = install({ source: source === 'empty' ? join(home, 'empty') : source })
  await expect(installation).rejects.toMatchObject({ code })
  expect(existsSync(places.store)).toBe(false)
})
