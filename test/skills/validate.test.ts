import { symlinkSync, unlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { SkillValidation } from '../../src/knowledge/skill-format/validation.ts'
import { SkillLibrary } from '../../src/skill-runtime/skill-library.ts'
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

interface ErrorReply {
  error: { code: string; message: string; details: Record<string, unknown> }
}

const validate = async (daemon: Daemon, skillId: string, body: object = {}) =>
  (await daemon.post(`/api/skills/${skillId}/validate`, body)).json<ErrorReply>()

test('a valid skill is returned with the absolute paths of its files', async () => {
  const root = createCorpusRoot()
  const daemon = await startWithRoots([root])
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
      reason: 'skill has no pre-compiled artifacts; payload is generated at runtime by the skill script',
    },
  })
  expect(await validate(daemon, 'com.example.nobody')).toMatchObject({
    error: { code: 'SKILL_NOT_FOUND' },
  })
})

const SKILL_ID = 'com.example.app.do-it'
const FOLDER = `skills/${SKILL_ID}`
const CONTRACT = { inputs: { percent: 'integer[0,100]' }, goal: null, verification: null }

/** Writes a valid skill with one change in the registry, the manifest or a file. */
function createChangedRoot({
  entry = {},
  manifest = entry,
  files = {},
}: {
  entry?: Record<string, unknown>
  manifest?: Record<string, unknown>
  files?: Record<string, string>
}): string {
  const root = createTempFolder()
  const base = writeSkill(root, SKILL_ID)
  writeRegistry(root, [{ ...base, ...entry }])
  writeFile(root, `${FOLDER}/skill.json`, JSON.stringify({ ...base, ...manifest }))
  for (const [path, content] of Object.entries(files)) writeFile(root, `${FOLDER}/${path}`, content)
  return root
}

async function validateRoot(root: string, dryRun = false): Promise<SkillValidation> {
  const library = new SkillLibrary([root], { clock: () => new Date(0), onChanged: () => undefined })
  onTestFinished(() => library.close())
  return library.validate((await library.catalog()).get(SKILL_ID), { dryRun })
}

const formatHeader = (line: string) => ({ 'SKILL.md': `---\nname: x\n${line}\n---\nText\n` })

test.each([
  ['scripts that are not a list', { entry: { scripts: 'x' } }, { missingFields: ['scripts'] }],
  ['a missing path', { entry: { path: 5 } }, { missingFields: ['path'] }],
  ['artifacts that are not a list', { entry: { artifacts: {} } }, { reason: 'artifacts must be a list' }],
  ['keywords that are not a list', { entry: { keywords: 'x' } }, { reason: 'keywords must be a list' }],
  [
    'a path outside the root',
    { entry: { scripts: [`${FOLDER}/../../../x.js`] } },
    { reason: expect.stringContaining('outside the root') },
  ],
  ['a skill.json that is not JSON', { files: { 'skill.json': '{' } }, { reason: expect.stringContaining('not JSON') }],
  ['a skill.json that is a list', { files: { 'skill.json': '[]' } }, { reason: expect.stringContaining('object') }],
  [
    'other texts in the registry',
    { entry: { summary: 'Else', intent: 'else' }, manifest: {} },
    { mismatchFields: ['intent', 'summary'] },
  ],
  [
    'scripts in another order',
    {
      entry: { scripts: [`${FOLDER}/scripts/run.js`, `${FOLDER}/SKILL.md`] },
      manifest: { scripts: [`${FOLDER}/SKILL.md`, `${FOLDER}/scripts/run.js`] },
    },
    { mismatchFields: ['scripts'] },
  ],
  ['a contract only one has', { manifest: { contract: CONTRACT } }, { mismatchFields: ['contract'] }],
  ['keywords only one has', { manifest: { keywords: ['a'] } }, { mismatchFields: ['keywords'] }],
  ['no type', { files: formatHeader('x: y') }, { missingFields: ['clawperator-skill-type'] }],
  [
    'a type in the text',
    { files: { 'SKILL.md': 'clawperator-skill-type: replay\n' } },
    { missingFields: ['clawperator-skill-type'] },
  ],
  [
    'the type of the legacy exception',
    { files: formatHeader('clawperator-skill-type: script') },
    { reason: expect.stringContaining('replay or orchestrated') },
  ],
  ['an agent that is a text', { entry: { agent: 'codex' } }, { reason: 'agent must be an object' }],
  ['an agent without a name', { entry: { agent: { cli: '  ' } } }, { reason: expect.stringContaining('agent.cli') }],
  [
    'an agent with no time',
    { entry: { agent: { cli: 'x', timeoutMs: 0 } } },
    { reason: expect.stringContaining('agent.timeoutMs') },
  ],
  [
    'an invalid input name',
    { entry: { contract: { ...CONTRACT, inputs: { 'a-b': 'string' } } } },
    { reason: expect.stringContaining('a-b') },
  ],
  [
    'a goal without a kind',
    { entry: { contract: { ...CONTRACT, goal: {} } } },
    { reason: expect.stringContaining('goal') },
  ],
  [
    'a matcher with an unknown input',
    {
      entry: {
        contract: { ...CONTRACT, verification: { kind: 'node_text_matches', matcher: '{share}%' } },
      },
    },
    { reason: expect.stringContaining('{share}') },
  ],
  [
    'unknown input types',
    {
      entry: {
        contract: { ...CONTRACT, inputs: { a: 'float', b: 'integer[5,1]', c: 'integer[-5,1]' } },
      },
    },
    { invalidKeys: ['a', 'b'] },
  ],
  [
    'an agent without run.js',
    { entry: { agent: { cli: 'x' }, scripts: [`${FOLDER}/SKILL.md`] } },
    { reason: expect.stringContaining('scripts/run.js') },
  ],
])('%s: invalid, with details', async (_description, change, details) => {
  expect(await validateRoot(createChangedRoot(change))).toEqual({
    valid: false,
    message: expect.stringMatching(`^Skill ${SKILL_ID} `),
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
  ['keywords in another case and order', { entry: { keywords: ['B', ' a', 'b'] }, manifest: { keywords: ['a', 'b'] } }],
  ['paths with other slashes', { entry: { skillFile: `skills\\${SKILL_ID}\\SKILL.md` }, manifest: {} }],
  ['an agent only one has', { manifest: { agent: { cli: 'codex', cliPath: null, timeoutMs: 5 } } }],
  ['unknown keys', { manifest: { author: 'me' } }],
  ['a type in quotes', { files: formatHeader('clawperator-skill-type: "orchestrated"  # led by an agent') }],
])('%s: valid', async (_description, change) => {
  expect(await validateRoot(createChangedRoot(change))).toMatchObject({
    valid: true,
    skill: { id: SKILL_ID },
  })
})

test('an invalid payload is reported only in a dry run', async () => {
  const artifact = `${FOLDER}/artifacts/it.recipe.json`
  const payload = {
    commandId: '{{COMMAND_ID}}',
    taskId: '{{TASK_ID}}',
    source: 'x',
    expectedFormat: 'android-ui-automator',
    timeoutMs: 1000,
    actions: [{ id: 'a', type: 'snapshot_ui', params: { format: 'ascii' } }],
  }
  const root = createChangedRoot({
    entry: { artifacts: [artifact] },
    files: { 'artifacts/it.recipe.json': JSON.stringify(payload) },
  })
  expect(await validateRoot(root)).toMatchObject({ valid: true })
  expect(await validateRoot(root, true)).toEqual({
    valid: false,
    message: `Skill ${SKILL_ID}: artifact payload schema violation`,
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

test('a recipe artifact is checked by the rules of recipes in a dry run', async () => {
  const artifact = `${FOLDER}/artifacts/it.md`
  const root = createChangedRoot({
    entry: { artifacts: [artifact] },
    files: { 'artifacts/it.md': '---\nrecipe_id: com.example.app.do\n---\n' },
  })
  expect(await validateRoot(root)).toMatchObject({ valid: true })
  expect(await validateRoot(root, true)).toMatchObject({
    valid: false,
    details: { artifact, violations: expect.any(Array) },
  })
})

test.each([
  ['a recipe without an end of its header', '---\nrecipe_id: a\n', false],
  ['a recipe with blanks after its fence', '--- \nrecipe_id: a\n---\n', false],
  ['a recipe after a byte order mark', '\uFEFF---\nrecipe_id: a\n---\n', false],
  ['a header of something else', '---\ntitle: a\n---\n\nrecipe_id: a\n', true],
  ['a line between paragraphs', 'Text\n\n---\n\nrecipe_id: a\n', true],
])('Markdown artifact: %s', async (_name, text, valid) => {
  const artifact = `${FOLDER}/artifacts/it.md`
  const root = createChangedRoot({
    entry: { artifacts: [artifact] },
    files: { 'artifacts/it.md': text },
  })
  expect(await validateRoot(root, true)).toMatchObject({ valid })
})

test('a symbolic link to a file outside the root counts as missing', async () => {
  const root = createTempFolder()
  writeRegistry(root, [writeSkill(root, SKILL_ID)])
  const secret = createTempFolder()
  writeFile(secret, 'SKILL.md', '---\nclawperator-skill-type: replay\n---\n')
  unlinkSync(join(root, FOLDER, 'SKILL.md'))
  symlinkSync(join(secret, 'SKILL.md'), join(root, FOLDER, 'SKILL.md'))
  const daemon = await startWithRoots([root])
  expect((await validate(daemon, SKILL_ID)).error.details).toMatchObject({
    missingFiles: [join(root, FOLDER, 'SKILL.md')],
  })
})

test('a blocked term makes a skill invalid and is not repeated in the reply', async () => {
  const root = createTempFolder()
  writeRegistry(root, [writeSkill(root, SKILL_ID)])
  writeFile(root, `${FOLDER}/SKILL.md`, `${readFile(root, `${FOLDER}/SKILL.md`)}\nIn Springfield.\n`)
  const daemon = await startWithRoots([root])
  expect(await validate(daemon, SKILL_ID)).toMatchObject({ valid: true })

  writeFile(daemon.home, 'blocked-terms.txt', '# places\nspringfield\n')
  const refused = await validate(daemon, SKILL_ID)
  expect(refused.error.details).toEqual({
    skillId: SKILL_ID,
    reason: 'a blocked term',
    places: [{ file: `${FOLDER}/SKILL.md`, line: 6 }],
  })
  expect(JSON.stringify(refused).toLowerCase()).not.toContain('springfield')
})

test('an unreadable registry and an unknown root are errors of their own', async () => {
  const root = createTempFolder()
  writeFile(root, 'skills/skills-registry.json', 'nonsense')
  const daemon = await startWithRoots([root])
  const reply = await daemon.post('/api/skills/validate', {})
  expect(reply.json()).toMatchObject({
    error: {
      code: 'REGISTRY_READ_FAILED',
      details: { registryPath: join(root, 'skills', 'skills-registry.json') },
    },
  })
  const elsewhere = await daemon.post('/api/skills/validate', { root: '/somewhere/else' })
  expect(elsewhere.json()).toMatchObject({ error: { code: 'INVALID_REQUEST' } })
})

test('a deeply nested manifest makes only its own skill invalid', async () => {
  const root = createTempFolder()
  const deep = `${'['.repeat(50_000)}${']'.repeat(50_000)}`
  const base = writeSkill(root, SKILL_ID)
  writeRegistry(root, [base, writeSkill(root, 'com.example.app.other')])
  writeFile(root, `${FOLDER}/skill.json`, JSON.stringify(base).replace('{', `{"contract":${deep},`))
  const daemon = await startWithRoots([root])
  const { error } = (await daemon.post('/api/skills/validate', { root })).json<ErrorReply>()
  expect(error.details).toMatchObject({
    validCount: 1,
    invalidCount: 1,
    failures: [{ skillId: SKILL_ID }],
  })
})
