import { createHash } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { join, relative } from 'node:path'
import { expect, test } from 'vitest'
import { createTempFolder, readFile, startWithRoots, writeRegistry, writeSkill } from './skill-roots.ts'

/** Of each file that the generator of the peer wrote for these skills: the hash without timestamps and hashes. */
const PEER_FILES = {
  'skills-registry.json': '30d562f4890819f5',
  'generated/by-app/com.a.b.json': '469848567690c076',
  'generated/by-app/com.a.json': 'c80f2345fa14deb6',
  'generated/by-app/org.x.json': '896d34d8cd348c5f',
  'generated/by-prefix/33.json': '7875d7da7ce6d1f6',
  'generated/by-prefix/4f.json': 'caf7ae04008d3ccd',
  'generated/by-prefix/a5.json': '700387ce6b68ac57',
  'generated/manifest.json': 'ffc852308b5bc6e9',
  'generated/skills-index.jsonl': 'bc626ec934cbad40',
  'generated/skills-index.min.json': '306c0fae1f7a2e0f',
}

/** Fields in another order than usual, as people write them. */
const OTHER_FIELDS = {
  summary: 'Zählt „Dinge“ – schnell',
  keywords: ['zählen', 'dinge'],
  contract: {
    inputs: { unit_name: 'string' },
    goal: { kind: 'set' },
    verification: { kind: 'node_text_matches', matcher: '{unit_name}' },
  },
  agent: { cli: 'codex', cliPath: null, timeoutMs: 60_000 },
  // Keys that only others know.
  author: { name: 'Zoë', links: [] },
  'x-notes': ['a\u007Fb', '</script>', '\u2028', null, 1.5, {}],
}

function hashFiles(root: string): Record<string, string> {
  const folder = join(root, 'skills')
  const generated = readdirSync(join(folder, 'generated'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => relative(folder, join(parentPath, name)))
  return Object.fromEntries(
    ['skills-registry.json', ...generated].map((path) => {
      const text = readFile(root, `skills/${path}`).replaceAll(/"(generatedAt|sha256)": "[^"]*"/g, '"$1": ""')
      return [path, createHash('sha256').update(text).digest('hex').slice(0, 16)]
    }),
  )
}

test('indexes have the bytes of those that the generator of the peer writes, timestamps and their hashes aside', async () => {
  const root = createTempFolder()
  writeRegistry(root, [
    writeSkill(root, 'com.a.one'),
    writeSkill(root, 'com.a.b.two', { revision: 3, $comment: 'kept' }),
    writeSkill(root, 'org.x.three', OTHER_FIELDS),
  ])
  const daemon = await startWithRoots([root])
  const written = await daemon.post('/api/skills/indexes', { root })
  expect(written.statusCode, written.body).toBe(200)
  expect(hashFiles(root)).toEqual(PEER_FILES)
  const { roots } = (await daemon.get('/api/skills/indexes')).json<{ roots: { root: string; fresh: boolean }[] }>()
  expect(roots.find((one) => one.root === root)).toMatchObject({ fresh: true })
})
