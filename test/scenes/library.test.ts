import { cpSync, mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { MAX_PACKAGES, ScenePackageRoot } from '../../src/files/scene-packages.ts'
import type { SceneCatalog } from '../../src/knowledge/scenes/catalog.ts'
import { SceneLibrary } from '../../src/skill-runtime/scene-library.ts'
import { type SceneOptions, writePackage, writeSceneToml } from './make-scene.ts'

function makeRoot(): string {
  const root = mkdtempSync(join(tmpdir(), 'apprentice-scenes-'))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  return root
}

function write(folder: string, options: SceneOptions = {}, changes: Readonly<Record<string, string>> = {}): void {
  for (const [path, text] of Object.entries({ ...writePackage(options), ...changes })) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
}

function openLibrary(...roots: (string | [root: string, packages: string])[]) {
  const changes: SceneCatalog[] = []
  const library = new SceneLibrary(
    roots.map((one) => (typeof one === 'string' ? new ScenePackageRoot(one, '') : new ScenePackageRoot(...one))),
    { onChanged: (catalog) => changes.push(catalog) },
  )
  onTestFinished(() => library.close())
  const ids = async () => (await library.catalog()).scenes.map(({ id }) => id)
  const refusals = async () => (await library.catalog()).refusals.map(({ root: _, ...refusal }) => refusal)
  return { library, changes, ids, refusals }
}

test('the packages of several roots are registered in the order of their ids', async () => {
  const [one, two] = [makeRoot(), makeRoot()]
  write(join(one, 'aaa'), { id: 'zebra' })
  write(join(two, 'skills', 'ant'), { id: 'ant' })
  write(join(two, 'skills', '.hidden'), { id: 'hidden' })
  mkdirSync(join(two, 'skills', 'no-scene'))
  writeFileSync(join(two, 'skills', 'skills-registry.json'), '{}')
  const { library, ids, refusals } = openLibrary(one, [two, 'skills'], join(one, 'missing'))
  expect(await ids()).toEqual(['ant', 'zebra'])
  expect(await refusals()).toEqual([])
  const ant = (await library.catalog()).find('ant')
  expect(ant).toMatchObject({ root: two, folder: 'skills/ant', script_sha256: expect.stringMatching(/^[0-9a-f]{64}$/) })
  expect(ant && library.locate(ant)).toBe(join(two, 'skills', 'ant'))
  expect(ant && (await library.read(ant, 'scripts/collect.js'))).toMatchObject({ sha256: ant?.script_sha256 })
  expect(ant && (await library.read(ant, '../no-scene'))).toEqual({ problem: 'leads out of the package' })
})

test('two packages with the same id are both refused, and each refusal names both places', async () => {
  const [one, two] = [makeRoot(), makeRoot()]
  write(join(one, 'first'), { id: 'same' })
  write(join(two, 'skills', 'second'), { id: 'same', version: '2.0.0' })
  write(join(two, 'skills', 'other'), { id: 'other' })
  const expected = [
    { manifest: 'first/scene.toml', file: 'scene.toml', key: 'scene.id', scene_id: 'same', reason: expect.any(String) },
    {
      manifest: 'skills/second/scene.toml',
      file: 'scene.toml',
      key: 'scene.id',
      scene_id: 'same',
      reason: expect.any(String),
    },
  ]
  for (const roots of [
    [one, [two, 'skills']],
    [[two, 'skills'], one],
  ] as Parameters<typeof openLibrary>[]) {
    const { ids, refusals } = openLibrary(...roots)
    expect(await ids()).toEqual(['other'])
    const found = await refusals()
    expect(found).toEqual(expected)
    for (const { reason } of found) {
      expect(reason).toContain('first/scene.toml')
      expect(reason).toContain('skills/second/scene.toml')
    }
  }
})

test('a refused package with the id of another refuses that one too', async () => {
  const root = makeRoot()
  write(join(root, 'valid'), { id: 'same' })
  write(join(root, 'later'), { id: 'same' }, { 'scene.toml': writeSceneToml({ id: 'same' }).replace('"1"', '"2"') })
  const { ids, refusals } = openLibrary(root)
  expect(await ids()).toEqual([])
  expect((await refusals()).map(({ manifest, key }) => [manifest, key])).toEqual([
    ['later/scene.toml', 'scene.id'],
    ['later/scene.toml', 'manifest.schema_version'],
    ['valid/scene.toml', 'scene.id'],
  ])
})

test('an unknown version refuses its scene only', async () => {
  const root = makeRoot()
  write(join(root, 'fine'), { id: 'fine' })
  write(join(root, 'later'), { id: 'later' }, { 'scene.toml': writeSceneToml({ id: 'later' }).replace('"1"', '"2"') })
  const { ids, refusals } = openLibrary(root)
  expect(await ids()).toEqual(['fine'])
  expect(await refusals()).toMatchObject([{ scene_id: 'later', key: 'manifest.schema_version' }])
})

const refused = (file: string, key: string | undefined, reason: string) => ({
  file,
  ...(key === undefined ? {} : { key }),
  reason: expect.stringContaining(reason),
})
const STAND_IN = writeSceneToml().replace('[bootstrap]', '[bootstrap]\nstand_in = "page"')

test.each([
  ['no SKILL.toml', (at: string) => rmSync(join(at, 'SKILL.toml')), refused('SKILL.toml', undefined, 'does not exist')],
  [
    'a missing script',
    (at: string) => rmSync(join(at, 'scripts'), { recursive: true }),
    refused('SKILL.toml', 'tools.command', 'scripts/collect.js, which does not exist'),
  ],
  [
    'a script that is a link to the outside',
    (at: string) => {
      rmSync(join(at, 'scripts/collect.js'))
      writeFileSync(join(at, '../outside.js'), '')
      symlinkSync('../../outside.js', join(at, 'scripts/collect.js'))
    },
    refused('SKILL.toml', 'tools.command', 'leads out of the package'),
  ],
  [
    'a folder of scripts that is a link to the outside',
    (at: string) => {
      renameSync(join(at, 'scripts'), join(at, '../outside'))
      symlinkSync('../outside', join(at, 'scripts'))
    },
    refused('SKILL.toml', 'tools.command', 'leads out of the package'),
  ],
  [
    'a manifest that is a link to the outside',
    (at: string) => {
      renameSync(join(at, 'scene.toml'), join(at, '../outside.toml'))
      symlinkSync('../outside.toml', join(at, 'scene.toml'))
    },
    refused('scene.toml', undefined, 'leads out of the package'),
  ],
  [
    'a large script',
    (at: string) => writeFileSync(join(at, 'scripts/collect.js'), ' '.repeat(1024 * 1024 + 1)),
    refused('SKILL.toml', 'tools.command', 'larger than 1024 KiB'),
  ],
  [
    'a script that is no text',
    (at: string) => writeFileSync(join(at, 'scripts/collect.js'), Buffer.from([0xff, 0xfe, 0xfd])),
    refused('SKILL.toml', 'tools.command', 'is not UTF-8'),
  ],
  [
    'a dictionary that is no JSON',
    (at: string) => writeFileSync(join(at, 'references/orgs.json'), 'x'),
    refused('scene.toml', 'params.0.resolver_config.dictionary_ref', 'not valid JSON'),
  ],
  [
    'a stand-in that does not exist',
    (at: string) => writeFileSync(join(at, 'scene.toml'), STAND_IN),
    refused('scene.toml', 'bootstrap.stand_in', 'page, which does not exist'),
  ],
  [
    'a stand-in that is a link to the outside',
    (at: string) => {
      writeFileSync(join(at, 'scene.toml'), STAND_IN)
      mkdirSync(join(at, '../outside'))
      symlinkSync('../outside', join(at, 'page'))
    },
    refused('scene.toml', 'bootstrap.stand_in', 'leads out of the package'),
  ],
])('%s refuses the package', async (_name, change, expected) => {
  const root = makeRoot()
  write(join(root, 'packages', 'report'))
  change(join(root, 'packages', 'report'))
  const { ids, refusals } = openLibrary(join(root, 'packages'))
  const [found, ...more] = await refusals()
  expect(found).toMatchObject({ manifest: 'report/scene.toml', ...expected })
  expect(more).toEqual([])
  expect(await ids()).toEqual([])
})

test('packages over the limit of a root are refused, and each says so', async () => {
  const root = makeRoot()
  for (let at = 0; at <= MAX_PACKAGES; at += 1) {
    const folder = join(root, `p${String(at).padStart(4, '0')}`)
    mkdirSync(folder)
    writeFileSync(join(folder, 'scene.toml'), '')
  }
  const { refusals } = openLibrary(root)
  const found = await refusals()
  expect(found).toHaveLength(MAX_PACKAGES + 1)
  expect(found.filter(({ reason }) => reason.startsWith('is not read'))).toMatchObject([
    { manifest: 'p2000/scene.toml' },
  ])
})

test('changes of files are read without a restart, and only changes are reported', async () => {
  const root = makeRoot()
  const { library, ids, changes } = openLibrary([root, 'skills'])
  expect(await ids()).toEqual([])
  mkdirSync(join(root, 'skills'))
  write(join(root, 'skills', 'one'), { id: 'one' })
  await vi.waitFor(async () => expect(await ids()).toEqual(['one']), { timeout: 10_000 })

  const version = async () => (await library.catalog()).find('one')?.manifest.scene.version
  writeFileSync(join(root, 'skills/one/scene.toml'), writeSceneToml({ id: 'one', version: '2.0.0' }))
  await vi.waitFor(async () => expect(await version()).toBe('2.0.0'))

  const script = (await library.catalog()).find('one')?.script_sha256
  writeFileSync(join(root, 'skills/one/scripts/collect.js'), '// another\n')
  await vi.waitFor(async () => expect((await library.catalog()).find('one')?.script_sha256).not.toBe(script))

  writeFileSync(join(root, 'skills/one/scene.toml'), 'broken')
  await vi.waitFor(async () => expect(await ids()).toEqual([]))
  rmSync(join(root, 'skills/one/scene.toml'))
  await vi.waitFor(async () => expect((await library.catalog()).refusals).toEqual([]))
  writeFileSync(join(root, 'skills/one/scene.toml'), writeSceneToml({ id: 'one', version: '3.0.0' }))
  await vi.waitFor(async () => expect(await version()).toBe('3.0.0'))

  // A folder that is replaced as a whole.
  cpSync(join(root, 'skills/one'), join(root, 'next'), { recursive: true })
  writeFileSync(join(root, 'next/scene.toml'), writeSceneToml({ id: 'one', version: '4.0.0' }))
  renameSync(join(root, 'skills/one'), join(root, 'old'))
  renameSync(join(root, 'next'), join(root, 'skills/one'))
  await vi.waitFor(async () => expect(await version()).toBe('4.0.0'))
  writeFileSync(join(root, 'skills/one/scene.toml'), writeSceneToml({ id: 'one', version: '5.0.0' }))
  await vi.waitFor(async () => expect(await version()).toBe('5.0.0'))

  rmSync(join(root, 'skills/one'), { recursive: true })
  await vi.waitFor(async () => expect(await ids()).toEqual([]))
  const reported = changes.length
  const catalog = await library.catalog()
  expect(await library.catalog()).toBe(catalog)
  expect(changes).toHaveLength(reported)
})

test('a change is reported without a request', async () => {
  const root = makeRoot()
  write(join(root, 'one'), { id: 'one' })
  const { library, changes } = openLibrary(root)
  await library.catalog()
  expect(changes).toHaveLength(1)
  write(join(root, 'two'), { id: 'two' })
  await vi.waitFor(() => expect(changes.at(-1)?.scenes.map(({ id }) => id)).toEqual(['one', 'two']), { timeout: 5000 })
})
