import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Failure } from '../../src/failure/failure.ts'
import { readDeclaredType, readDescription, formatFrontmatter } from '../../src/knowledge/skill-format/frontmatter.ts'
import { scaffoldSkill } from '../../src/knowledge/skill-format/scaffold.ts'
import { parseSkillId } from '../../src/knowledge/skill-format/skill-id.ts'
import { isSafePath } from '../../src/knowledge/skill-format/skill-paths.ts'
import { adminToken, startDaemon } from '../kit/daemon.ts'
import { measureLongestTurn } from '../kit/longest-turn.ts'
import { writeSkill, readFile, createTempFolder, startWithRoots, writeFile, writeRegistry } from './skill-roots.ts'
import { countRuns } from '../kit/count-runs.ts'

const SKILL_ID = 'com.example.app.do-it'
const LONGEST_TURN_MS = 200
const CONTEXT = JSON.stringify({
  exportVersion: 1,
  session: { sessionId: 's', schemaVersion: 1, startedAt: 1, operatorPackage: 'x' },
  snapshotMode: 'omit',
  events: [],
  counts: { totalEvents: 0, byType: {} },
  packageTransitions: [],
  timeline: { firstEventTs: null, lastEventTs: null, durationMs: null },
})

test('a new skill has four files and a registry entry, and is valid', async () => {
  const daemon = await startDaemon()
  const reply = await daemon.post('/api/skills', { skill_id: ` ${SKILL_ID} ` })

  const at = (...path: string[]) => join(daemon.home, 'skills', SKILL_ID, ...path)
  const registryPath = join(daemon.home, 'skills', 'skills-registry.json')
  expect(reply.statusCode).toBe(201)
  expect(reply.json()).toEqual({
    created: true,
    skillId: SKILL_ID,
    registryPath,
    skillPath: at(),
    files: [at('SKILL.md'), at('skill.json'), at('scripts', 'run.js'), at('scripts', 'run.sh')],
    next: expect.stringContaining(`skills validate ${SKILL_ID}`),
    schema_version: 1,
  })
  const everything = readdirSync(at(), { recursive: true }).map(String).toSorted()
  expect(everything).toEqual(['SKILL.md', 'scripts', 'scripts/run.js', 'scripts/run.sh', 'skill.json'])
  expect(statSync(at('scripts', 'run.sh')).mode & 0o777).toBe(0o700)
  const entry = {
    id: SKILL_ID,
    applicationId: 'com.example.app',
    intent: 'do-it',
    summary: `TODO: describe ${SKILL_ID}`,
    path: `skills/${SKILL_ID}`,
    skillFile: `skills/${SKILL_ID}/SKILL.md`,
    scripts: [`skills/${SKILL_ID}/scripts/run.js`, `skills/${SKILL_ID}/scripts/run.sh`],
    artifacts: [],
    contract: { inputs: {}, goal: null, verification: null },
  }
  expect(readFileSync(at('skill.json'), 'utf8')).toBe(`${JSON.stringify(entry, null, 2)}\n`)
  expect(JSON.parse(readFileSync(registryPath, 'utf8'))).toMatchObject({
    schemaVersion: '1.0',
    skills: [entry],
  })
  const document = readFileSync(at('SKILL.md'), 'utf8')
  expect(document).toMatch(
    /^---\nname: com\.example\.app\.do-it\nclawperator-skill-type: replay\ndescription: \|-\n {2}TODO: describe com\.example\.app\.do-it\n---\n/,
  )
  expect(document).toContain('Starter scaffold')
  expect(document).toContain(`node skills/${SKILL_ID}/scripts/run.js <device_id> [operator_package]`)
  expect(document).not.toContain('Recording Context')

  const checked = await daemon.post(`/api/skills/${SKILL_ID}/validate`, { dry_run: true })
  expect(checked.json()).toMatchObject({ valid: true })
  expect(daemon.events().filter(({ kind }) => kind === 'skill.created')).toHaveLength(1)
})

test('the recording context is stored unchanged and described before the usage', async () => {
  const daemon = await startDaemon()
  const given = `${CONTEXT} \n`
  const body = { skill_id: SKILL_ID, summary: ' Does it \r\n well ', recording_context: given }
  const made = (await daemon.post('/api/skills', body)).json<{ files: string[] }>()

  const place = join(daemon.home, 'skills', SKILL_ID, 'recording-context.json')
  expect(made).toMatchObject({ recordingContextPath: place })
  expect(made.files.at(-1)).toBe(place)
  expect(readFileSync(place, 'utf8')).toBe(given)
  const document = readFile(daemon.home, `skills/${SKILL_ID}/SKILL.md`)
  expect(document.indexOf('## Recording Context')).toBeGreaterThan(0)
  expect(document.indexOf('## Recording Context')).toBeLessThan(document.indexOf('Usage:'))
  expect(JSON.parse(readFile(daemon.home, `skills/${SKILL_ID}/skill.json`))).toMatchObject({
    summary: 'Does it \n well',
    artifacts: [],
  })
})

test('a large recording is read without blocking the event loop', async () => {
  const daemon = await startDaemon()
  const event = JSON.parse(CONTEXT) as object
  const given = JSON.stringify({
    ...event,
    filler: Array.from({ length: 300_000 }, (_, at) => ({ at, text: `"${at}"` })),
  })
  const body = { skill_id: SKILL_ID, recording_context: given, client_request_id: 'once' }
  const payload = Buffer.from(JSON.stringify(body))
  const { url } = await daemon.listen()
  const headers = { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' }
  const turn = await measureLongestTurn(async () => {
    const reply = await fetch(`${url}/api/skills`, { method: 'POST', headers, body: payload })
    expect([reply.status, await reply.json()]).toMatchObject([201, { created: true }])
  })
  expect(turn).toBeLessThan(LONGEST_TURN_MS)
  expect(readFile(daemon.home, `skills/${SKILL_ID}/recording-context.json`)).toBe(given)
  const other = await daemon.post('/api/skills', { ...body, recording_context: `${given} ` })
  expect(other.json()).toMatchObject({ error: { code: 'IDEMPOTENCY_CONFLICT' } })
})

test('the registry stays sorted and keeps its other content', async () => {
  const root = createTempFolder()
  writeFile(
    root,
    'skills/skills-registry.json',
    JSON.stringify({
      $schema: './s.json',
      note: 1,
      skills: [writeSkill(root, 'com.z.last'), { id: 'com.broken' }],
    }),
  )
  const daemon = await startWithRoots([root])
  await daemon.post('/api/skills', { skill_id: 'com.m.middle', root })

  const text = readFile(root, 'skills/skills-registry.json')
  const registry = JSON.parse(text) as { skills: { id: string }[] }
  expect(registry).toMatchObject({ $schema: './s.json', note: 1 })
  expect(registry.skills.map((one) => one.id)).toEqual(['com.broken', 'com.m.middle', 'com.z.last'])
  expect(text).toBe(`${JSON.stringify(registry, null, 2)}\n`)
})

test('a repeated client_request_id gets the first reply and rejects another skill', async () => {
  const daemon = await startDaemon()
  const body = { skill_id: SKILL_ID, client_request_id: 'once' }
  const first = await daemon.post('/api/skills', body)
  const again = await daemon.post('/api/skills', body)
  expect([again.statusCode, again.json()]).toEqual([201, first.json()])
  const other = await daemon.post('/api/skills', { ...body, skill_id: 'com.a.other' })
  expect(other.json()).toMatchObject({ error: { code: 'IDEMPOTENCY_CONFLICT' } })
  expect(readdirSync(join(daemon.home, 'skills'))).not.toContain('com.a.other')
  expect(daemon.events().filter(({ kind }) => kind === 'skill.created')).toHaveLength(1)
})

test('concurrent requests create each skill exactly once', async () => {
  const daemon = await startDaemon()
  const ids = Array.from({ length: 8 }, (_, n) => `com.example.app.skill-${n}`)
  const replies = await Promise.all([...ids, ...ids].map((skill_id) => daemon.post('/api/skills', { skill_id })))
  expect(replies.map(({ statusCode }) => statusCode).toSorted((one, other) => one - other)).toEqual([
    ...ids.map(() => 201),
    ...ids.map(() => 409),
  ])
  const registry = JSON.parse(readFile(daemon.home, 'skills/skills-registry.json')) as {
    skills: { id: string }[]
  }
  expect(registry.skills.map((one) => one.id)).toEqual(ids)
})

test.each([
  ['an id without a dot', { skill_id: 'nodot' }, 'SKILL_ID_INVALID'],
  ['an id that ends with a dot', { skill_id: 'com.example.' }, 'SKILL_ID_INVALID'],
  ['an id with path parts', { skill_id: '../../up.x' }, 'SKILL_ID_INVALID'],
  ['a too long id', { skill_id: `com.${'a'.repeat(61)}` }, 'SKILL_ID_INVALID'],
  ['a summary with NUL', { skill_id: SKILL_ID, summary: 'a\0b' }, 'SKILLS_SCAFFOLD_FAILED'],
  ['an empty recording', { skill_id: SKILL_ID, recording_context: ' ' }, 'SKILLS_SCAFFOLD_FAILED'],
  ['a recording that is not JSON', { skill_id: SKILL_ID, recording_context: '{' }, 'SKILLS_SCAFFOLD_FAILED'],
  ['a recording that is not an export', { skill_id: SKILL_ID, recording_context: '{}' }, 'SKILLS_SCAFFOLD_FAILED'],
])('%s creates nothing', async (_description, body, code) => {
  const daemon = await startDaemon()
  expect((await daemon.post('/api/skills', body)).json()).toMatchObject({ error: { code } })
  expect(readdirSync(join(daemon.home, 'skills'))).toEqual([])
})

test('existing skills, folders and unreadable registries are not overwritten', async () => {
  const root = createTempFolder()
  writeRegistry(root, [writeSkill(root, 'com.a.listed')])
  mkdirSync(join(root, 'skills', 'com.a.folder'))
  const before = readFile(root, 'skills/skills-registry.json')
  const daemon = await startWithRoots([root])
  const create = async (skill_id: string) => (await daemon.post('/api/skills', { skill_id, root })).json<object>()

  expect(await create('com.a.listed')).toMatchObject({
    error: { code: 'SKILL_ALREADY_EXISTS', message: 'Skill already exists: com.a.listed' },
  })
  const folder = join(root, 'skills', 'com.a.folder')
  expect(await create('com.a.folder')).toMatchObject({
    error: { code: 'SKILL_ALREADY_EXISTS', message: `Skill directory already exists: ${folder}` },
  })
  expect(readFile(root, 'skills/skills-registry.json')).toBe(before)
  expect(readdirSync(folder)).toEqual([])

  writeFile(root, 'skills/skills-registry.json', '[]')
  expect(await create('com.a.new')).toMatchObject({ error: { code: 'REGISTRY_READ_FAILED' } })
  expect(readdirSync(join(root, 'skills'))).not.toContain('com.a.new')
})

test('the scaffolded script restarts the app, takes a snapshot and exits like its command', () => {
  const folder = createTempFolder()
  for (const { path, content } of scaffoldSkill({ skill_id: SKILL_ID }).files) {
    writeFile(folder, path, content)
  }
  const bin = join(folder, 'bin with space.js')
  writeFileSync(bin, `console.log(JSON.stringify(process.argv.slice(2))); process.exit(Number(process.env.CODE))`)
  const run = (args: string[], env: Record<string, string>) =>
    spawnSync(process.execPath, [join(folder, 'scripts', 'run.js'), ...args], {
      encoding: 'utf8',
      env: { PATH: process.env['PATH'] ?? '', ...env },
    })

  const ran = run(['phone-1'], { CLAWPERATOR_BIN: bin, CODE: '0' })
  expect(ran.status).toBe(0)
  const [verb, flag, payload = '', ...rest] = JSON.parse(ran.stdout) as string[]
  expect([verb, flag, rest]).toEqual([
    'exec',
    '--execution',
    ['--device', 'phone-1', '--operator-package', 'com.clawperator.operator'],
  ])
  expect(JSON.parse(payload)).toEqual({
    commandId: expect.stringMatching(/^com\.example\.app\.do-it-\d{13}$/),
    taskId: SKILL_ID,
    source: SKILL_ID,
    expectedFormat: 'android-ui-automator',
    timeoutMs: 30_000,
    actions: [
      { id: 'close', type: 'close_app', params: { applicationId: 'com.example.app' } },
      { id: 'wait_close', type: 'sleep', params: { durationMs: 1500 } },
      { id: 'open', type: 'open_app', params: { applicationId: 'com.example.app' } },
      { id: 'wait_open', type: 'sleep', params: { durationMs: 3000 } },
      { id: 'snap', type: 'snapshot_ui' },
    ],
  })
  // The exit code counts even if the command prints a result.
  const failed = run(['phone-1', 'com.mine'], {
    CLAWPERATOR_BIN: `'${process.execPath}' "${bin}"`,
    CODE: '3',
  })
  expect([failed.status, failed.stdout.includes('com.mine')]).toEqual([3, true])
  const without = run([], { CLAWPERATOR_BIN: bin, CODE: '0' })
  expect([without.status, without.stdout]).toEqual([1, ''])
  expect(without.stderr).toContain('Usage:')
})

test('a header round-trips any description', () => {
  const words = fc
    .string({
      unit: fc.constantFrom('a', ' ', '\n', ':', '-', '#', '"', "'", '|', '\t', 'é', '{', '---'),
    })
    .map((text) => text.trim())
    .filter((text) => text !== '')
  fc.assert(
    fc.property(words, fc.constantFrom('replay', 'orchestrated'), (description, type) => {
      const text = `${formatFrontmatter({ name: 'a.b', type, description })}\nBody\n`
      expect(readDeclaredType(text)).toBe(type)
      const blankless = (one: string) => one.replaceAll(/^[ \t]+$/gm, '')
      expect(readDescription(text)).toBe(blankless(description))
    }),
    { numRuns: countRuns(1000) },
  )
})

test('a valid skill id names a folder inside the root', () => {
  const piece = fc.oneof(
    fc.constantFrom('..', '.', '/', '\\', '\0', 'com', 'a', '-', '_', ' ', '%2e', 'A', '9', '~'),
    fc.string({ maxLength: 3 }),
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 10 }), (pieces) => {
      const text = pieces.join('')
      let name
      try {
        name = parseSkillId(text)
      } catch (error) {
        expect(error).toBeInstanceOf(Failure)
        return
      }
      expect(name.id).toMatch(/^[A-Za-z0-9_-][A-Za-z0-9._-]{1,63}$/)
      expect(`${name.applicationId}.${name.intent}`).toBe(name.id)
      const path = `skills/${name.id}`
      expect(isSafePath(path)).toBe(true)
      expect(join('/skills', path)).toBe(`/skills/${path}`)
    }),
    { numRuns: countRuns(10_000) },
  )
})

test('a safe path never leaves its root', () => {
  const piece = fc.constantFrom('..', '.', '/', '\\', 'a', 'skills', 'C:', '\0', ' ', '')
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
      const path = pieces.join('')
      if (!isSafePath(path)) return
      const place = join('/skills', ...path.replaceAll('\\', '/').split('/'))
      expect(place.startsWith('/skills/')).toBe(true)
      expect(place.split('/')).not.toContain('..')
    }),
    { numRuns: countRuns(10_000) },
  )
})

test.each(['module', 'commonjs'])('a scaffolded script runs in a folder whose package is of type %s', (type) => {
  const folder = createTempFolder()
  writeFile(folder, 'package.json', JSON.stringify({ type }))
  writeFile(folder, 'peer.cjs', 'process.stdout.write(JSON.stringify(process.argv.slice(2))); process.exitCode = 3')
  const { files } = scaffoldSkill({ skill_id: 'com.example.look' })
  writeFile(folder, 'skills/run.js', files.find(({ path }) => path === 'scripts/run.js')?.content ?? '')
  const peer = `"${process.execPath}" "${join(folder, 'peer.cjs')}"`
  const ran = spawnSync(process.execPath, [join(folder, 'skills/run.js'), 'a1'], {
    encoding: 'utf8',
    env: { ...process.env, CLAWPERATOR_BIN: peer },
  })
  expect(ran.stderr).toBe('')
  expect(ran.status).toBe(3)
  expect(JSON.parse(ran.stdout)).toEqual(expect.arrayContaining(['exec', '--device', 'a1']))
})
