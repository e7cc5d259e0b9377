import { symlinkSync, unlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { Verdict } from '../../src/knowledge/skill-format/validate.ts'
import { SkillLibrary } from '../../src/skill-runtime/skill-library.ts'
import type { Daemon } from '../kit/daemon.ts'
import {
  aRealRoot,
  aSkill,
  corpus,
  readFile,
  realEntries,
  temporaryFolder,
  untyped,
  withRoots,
  writeFile,
  writeRegistry,
} from './roots.ts'

interface Refusal {
  error: { code: string; message: string; details: Record<string, unknown> }
}

const validate = async (daemon: Daemon, id: string, body: object = {}) =>
  (await daemon.post(`/api/skills/${id}/validate`, body)).json<Refusal>()

test('of the published skills all but two are whole, three with payloads', async () => {
  const root = aRealRoot()
  const daemon = await withRoots([root])

  const { error } = (
    await daemon.post('/api/skills/validate', { dry_run: true, root })
  ).json<Refusal>()

  expect(error).toMatchObject({
    code: 'SKILL_VALIDATION_FAILED',
    message: '2 of 25 registered skills failed validation',
    details: { totalSkills: 25, validCount: 23, invalidCount: 2 },
  })
  expect(error.details['failures']).toEqual(
    untyped.map((skillId) => ({
      skillId,
      code: 'SKILL_VALIDATION_FAILED',
      message: `Skill ${skillId} is missing required clawperator-skill-type frontmatter`,
      details: { missingFields: ['clawperator-skill-type'] },
    })),
  )
  const payloads = await Promise.all(
    realEntries()
      .filter(({ id }) => !untyped.includes(id))
      .map(async ({ id }) => 'dryRun' in (await validate(daemon, id, { dry_run: true }))),
  )
  expect([payloads.filter((skipped) => skipped).length, payloads.length]).toEqual([20, 23])
})

test('every published skill.json agrees with the registry; without their scripts they are not whole', async () => {
  const daemon = await withRoots([corpus])
  const { error } = await validate(daemon, 'com.globird.energy.get-usage')
  const folder = join(corpus, 'skills', 'com.globird.energy.get-usage')
  expect(error).toMatchObject({
    code: 'SKILL_VALIDATION_FAILED',
    message: 'Skill com.globird.energy.get-usage is missing required files',
    details: {
      missingFiles: [join(folder, 'SKILL.md'), join(folder, 'scripts', 'get_globird_usage.sh')],
    },
  })
})

test('a whole skill is told with where everything is', async () => {
  const root = aRealRoot()
  const daemon = await withRoots([root])
  const id = 'com.solaxcloud.starter.get-battery'
  const at = (...path: string[]) => join(root, 'skills', id, ...path)

  expect(await validate(daemon, id)).toMatchObject({
    valid: true,
    skill: { id },
    registryPath: join(root, 'skills', 'skills-registry.json'),
    checks: {
      skillJsonPath: at('skill.json'),
      skillFilePath: at('SKILL.md'),
      scriptPaths: [at('scripts', 'get_solax_battery.sh')],
      artifactPaths: [at('artifacts', 'battery.recipe.json')],
    },
  })
  expect(await validate(daemon, 'com.coles.search-products', { dry_run: true })).toMatchObject({
    dryRun: {
      payloadValidation: 'skipped',
      reason:
        'skill has no pre-compiled artifacts; payload is generated at runtime by the skill script',
    },
  })
  expect(await validate(daemon, 'com.example.nobody')).toMatchObject({
    error: { code: 'SKILL_NOT_FOUND' },
  })
})

const id = 'com.example.app.do-it'
const folder = `skills/${id}`
const contract = { inputs: { percent: 'integer[0,100]' }, goal: null, verification: null }

/** One whole skill, then one thing changed in the registry, the manifest or a file. */
function changed({
  entry = {},
  manifest = entry,
  files = {},
}: {
  entry?: Record<string, unknown>
  manifest?: Record<string, unknown>
  files?: Record<string, string>
}): string {
  const root = temporaryFolder()
  const base = aSkill(root, id)
  writeRegistry(root, [{ ...base, ...entry }])
  writeFile(root, `${folder}/skill.json`, JSON.stringify({ ...base, ...manifest }))
  for (const [path, content] of Object.entries(files)) writeFile(root, `${folder}/${path}`, content)
  return root
}

async function verdictOn(root: string, dryRun = false): Promise<Verdict> {
  const library = new SkillLibrary([root], { clock: () => new Date(0), changed: () => undefined })
  onTestFinished(() => library.close())
  return library.validate((await library.catalog()).placed(id), { dryRun })
}

const head = (line: string) => ({ 'SKILL.md': `---\nname: x\n${line}\n---\nText\n` })

test.each([
  ['scripts that are no list', { entry: { scripts: 'x' } }, { missingFields: ['scripts'] }],
  ['a lacking path', { entry: { path: 5 } }, { missingFields: ['path'] }],
  [
    'artifacts that are no list',
    { entry: { artifacts: {} } },
    { reason: 'artifacts must be a list' },
  ],
  [
    'keywords that are no list',
    { entry: { keywords: 'x' } },
    { reason: 'keywords must be a list' },
  ],
  [
    'a path that leads out',
    { entry: { scripts: [`${folder}/../../../x.js`] } },
    { reason: expect.stringContaining('Not a path below the root') },
  ],
  [
    'a skill.json that is no JSON',
    { files: { 'skill.json': '{' } },
    { reason: expect.stringContaining('not JSON') },
  ],
  [
    'a skill.json that is a list',
    { files: { 'skill.json': '[]' } },
    { reason: expect.stringContaining('object') },
  ],
  [
    'another word in the registry',
    { entry: { summary: 'Else', intent: 'else' }, manifest: {} },
    { mismatchFields: ['intent', 'summary'] },
  ],
  [
    'scripts in another order',
    {
      entry: { scripts: [`${folder}/scripts/run.js`, `${folder}/SKILL.md`] },
      manifest: { scripts: [`${folder}/SKILL.md`, `${folder}/scripts/run.js`] },
    },
    { mismatchFields: ['scripts'] },
  ],
  ['a contract only one has', { manifest: { contract } }, { mismatchFields: ['contract'] }],
  ['keywords only one has', { manifest: { keywords: ['a'] } }, { mismatchFields: ['keywords'] }],
  ['no type', { files: head('x: y') }, { missingFields: ['clawperator-skill-type'] }],
  [
    'a type in the text',
    { files: { 'SKILL.md': 'clawperator-skill-type: replay\n' } },
    { missingFields: ['clawperator-skill-type'] },
  ],
  [
    'the type of the one exception',
    { files: head('clawperator-skill-type: script') },
    { reason: expect.stringContaining('replay or orchestrated') },
  ],
  ['an agent that is a text', { entry: { agent: 'codex' } }, { reason: 'agent must be an object' }],
  [
    'an agent without a name',
    { entry: { agent: { cli: '  ' } } },
    { reason: expect.stringContaining('agent.cli') },
  ],
  [
    'an agent with no time',
    { entry: { agent: { cli: 'x', timeoutMs: 0 } } },
    { reason: expect.stringContaining('agent.timeoutMs') },
  ],
  [
    'an input nobody may have',
    { entry: { contract: { ...contract, inputs: { 'a-b': 'string' } } } },
    { reason: expect.stringContaining('a-b') },
  ],
  [
    'a goal without a kind',
    { entry: { contract: { ...contract, goal: {} } } },
    { reason: expect.stringContaining('goal') },
  ],
  [
    'a matcher of an input that is none',
    {
      entry: {
        contract: { ...contract, verification: { kind: 'node_text_matches', matcher: '{share}%' } },
      },
    },
    { reason: expect.stringContaining('{share}') },
  ],
  [
    'kinds of input that do not exist',
    {
      entry: {
        contract: { ...contract, inputs: { a: 'float', b: 'integer[5,1]', c: 'integer[-5,1]' } },
      },
    },
    { invalidKeys: ['a', 'b'] },
  ],
  [
    'an agent without run.js',
    { entry: { agent: { cli: 'x' }, scripts: [`${folder}/SKILL.md`] } },
    { reason: expect.stringContaining('scripts/run.js') },
  ],
])('%s is found and told as it should be', async (_what, change, details) => {
  expect(await verdictOn(changed(change))).toEqual({
    valid: false,
    message: expect.stringMatching(`^Skill ${id} `),
    details,
  })
})

test.each([
  [
    'keys in another order',
    {
      entry: { contract: { goal: { kind: 'a', to: 1 }, inputs: {}, verification: null } },
      manifest: { contract: { inputs: {}, verification: null, goal: { to: 1, kind: 'a' } } },
    },
  ],
  ['a contract that is null', { entry: { contract: null }, manifest: {} }],
  [
    'keywords in other letters',
    { entry: { keywords: ['B', ' a', 'b'] }, manifest: { keywords: ['a', 'b'] } },
  ],
  ['paths with other slashes', { entry: { skillFile: `skills\\${id}\\SKILL.md` }, manifest: {} }],
  ['an agent only one has', { manifest: { agent: { cli: 'codex', cliPath: null, timeoutMs: 5 } } }],
  ['keys nobody knows', { manifest: { author: 'me' } }],
  [
    'a type in quotes',
    { files: head('clawperator-skill-type: "orchestrated"  # led by an agent') },
  ],
])('%s make no difference', async (_what, change) => {
  expect(await verdictOn(changed(change))).toMatchObject({ valid: true, skill: { id } })
})

test('a payload that is wrong is told only when it is looked at', async () => {
  const artifact = `${folder}/artifacts/it.recipe.json`
  const payload = {
    commandId: '{{COMMAND_ID}}',
    taskId: '{{TASK_ID}}',
    source: 'x',
    expectedFormat: 'android-ui-automator',
    timeoutMs: 1000,
    actions: [{ id: 'a', type: 'snapshot_ui', params: { format: 'ascii' } }],
  }
  const root = changed({
    entry: { artifacts: [artifact] },
    files: { 'artifacts/it.recipe.json': JSON.stringify(payload) },
  })
  expect(await verdictOn(root)).toMatchObject({ valid: true })
  expect(await verdictOn(root, true)).toEqual({
    valid: false,
    message: `Skill ${id}: artifact payload schema violation`,
    details: {
      artifact,
      path: 'actions.0.params',
      actionId: 'a',
      actionType: 'snapshot_ui',
      invalidKeys: ['format'],
      hint: expect.any(String),
      reason: expect.any(String),
    },
  })
})

test('an artifact may be a recipe of its own, and is then held to the rules of recipes', async () => {
  const artifact = `${folder}/artifacts/it.md`
  const root = changed({
    entry: { artifacts: [artifact] },
    files: { 'artifacts/it.md': '---\nrecipe_id: com.example.app.do\n---\n' },
  })
  expect(await verdictOn(root)).toMatchObject({ valid: true })
  expect(await verdictOn(root, true)).toMatchObject({
    valid: false,
    details: { artifact, violations: expect.any(Array) },
  })
})

test.each([
  ['a recipe that is begun and never ended', '---\nrecipe_id: a\n', false],
  ['a recipe with blanks behind its fence', '--- \nrecipe_id: a\n---\n', false],
  ['a recipe behind a byte order mark', '\uFEFF---\nrecipe_id: a\n---\n', false],
  ['a header of something else', '---\ntitle: a\n---\n\nrecipe_id: a\n', true],
  ['a line between paragraphs', 'Text\n\n---\n\nrecipe_id: a\n', true],
])('Markdown that is %s', async (_name, text, valid) => {
  const artifact = `${folder}/artifacts/it.md`
  const root = changed({ entry: { artifacts: [artifact] }, files: { 'artifacts/it.md': text } })
  expect(await verdictOn(root, true)).toMatchObject({ valid })
})

test('a file that leads out of the root is not there', async () => {
  const root = temporaryFolder()
  writeRegistry(root, [aSkill(root, id)])
  const secret = temporaryFolder()
  writeFile(secret, 'SKILL.md', '---\nclawperator-skill-type: replay\n---\n')
  unlinkSync(join(root, folder, 'SKILL.md'))
  symlinkSync(join(secret, 'SKILL.md'), join(root, folder, 'SKILL.md'))
  const daemon = await withRoots([root])
  expect((await validate(daemon, id)).error.details).toMatchObject({
    missingFiles: [join(root, folder, 'SKILL.md')],
  })
})

test('a word that is blocked on this machine keeps a skill from being valid, and is not repeated', async () => {
  const root = temporaryFolder()
  writeRegistry(root, [aSkill(root, id)])
  writeFile(
    root,
    `${folder}/SKILL.md`,
    `${readFile(root, `${folder}/SKILL.md`)}\nIn Springfield.\n`,
  )
  const daemon = await withRoots([root])
  expect(await validate(daemon, id)).toMatchObject({ valid: true })

  writeFile(daemon.home, 'blocked-terms.txt', '# places\nspringfield\n')
  const refused = await validate(daemon, id)
  expect(refused.error.details).toEqual({
    skillId: id,
    reason: 'a blocked term',
    places: [{ file: `${folder}/SKILL.md`, line: 6 }],
  })
  expect(JSON.stringify(refused).toLowerCase()).not.toContain('springfield')
})

test('a registry that cannot be read is one failure of its own', async () => {
  const root = temporaryFolder()
  writeFile(root, 'skills/skills-registry.json', 'nonsense')
  const daemon = await withRoots([root])
  const asked = await daemon.post('/api/skills/validate', {})
  expect(asked.json()).toMatchObject({
    error: {
      code: 'REGISTRY_READ_FAILED',
      details: { registryPath: join(root, 'skills', 'skills-registry.json') },
    },
  })
  const elsewhere = await daemon.post('/api/skills/validate', { root: '/somewhere/else' })
  expect(elsewhere.json()).toMatchObject({ error: { code: 'INVALID_REQUEST' } })
})

test('a manifest nested beyond all measure is the fault of its own skill only', async () => {
  const root = temporaryFolder()
  const deep = `${'['.repeat(50_000)}${']'.repeat(50_000)}`
  const base = aSkill(root, id)
  writeRegistry(root, [base, aSkill(root, 'com.example.app.other')])
  writeFile(root, `${folder}/skill.json`, JSON.stringify(base).replace('{', `{"contract":${deep},`))
  const daemon = await withRoots([root])
  const { error } = (await daemon.post('/api/skills/validate', { root })).json<Refusal>()
  expect(error.details).toMatchObject({
    validCount: 1,
    invalidCount: 1,
    failures: [{ skillId: id }],
  })
})
