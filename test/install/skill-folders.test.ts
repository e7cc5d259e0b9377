import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { openSkillFiles } from '../../src/files/content-files.ts'
import { SkillFolders } from '../../src/files/skill-folders.ts'
import { readFolder } from './install-kit.ts'
import { countRuns } from '../kit/count-runs.ts'

function createFolders(): { around: string; root: string; folders: SkillFolders } {
  const around = mkdtempSync(join(tmpdir(), 'apprentice-folders-'))
  onTestFinished(() => rmSync(around, { recursive: true, force: true }))
  const root = join(around, 'deep', 'skills')
  return {
    around,
    root,
    folders: new SkillFolders(root, { file: 0o444, folder: 0o755, stored: openSkillFiles(around) }),
  }
}

const FIRST = [
  { path: 'SKILL.md', content: 'one' },
  { path: 'tests/a.json', content: '1' },
]
const SECOND = [
  { path: 'SKILL.md', content: 'two' },
  { path: 'capabilities/b.json', content: '2' },
]
const toExpected = (files: typeof FIRST) =>
  Object.fromEntries(files.map(({ path, content }) => [`skill/${path}`, `444 ${content}`]))

test('a folder is replaced as a whole: readers see the old one, the new one or none', async () => {
  const { root, folders } = createFolders()
  const seen = new Set<string>()
  const watching = setInterval(() => seen.add(listNames(join(root, 'skill'))))
  onTestFinished(() => clearInterval(watching))
  for (let round = 0; round < 40; round += 1) {
    await folders.put('skill', round % 2 === 0 ? FIRST : SECOND, `mark-${round}`)
  }
  expect(readFolder(root)).toEqual(toExpected(SECOND))
  await folders.remove('skill', 'mark-end')

  const whole = ['SKILL.md tests', 'SKILL.md capabilities']
  expect([...seen].filter((names) => names !== 'none' && !whole.includes(names))).toEqual([])
  expect(whole.filter((names) => seen.has(names))).toEqual(whole)
  expect(readFolder(root)).toEqual({})
})

function listNames(path: string): string {
  try {
    return readdirSync(path)
      .toSorted((a, b) => Number(b === 'SKILL.md') - Number(a === 'SKILL.md'))
      .join(' ')
  } catch {
    return 'none'
  }
}

test('no slug or path leads out of the root folder', async () => {
  const { around, root, folders } = createFolders()
  writeFileSync(join(around, 'outside'), 'outside')
  const part = fc.constantFrom('..', '.', '', '/', 'a', 'a/b', '..\\x', '%2e%2e', '\0', 'é', 'a b', '~')
  const bad = fc.array(part, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('/'))
  await fc.assert(
    fc.asyncProperty(bad, bad, async (slug, path) => {
      const isSlug = /^[a-z0-9][a-z0-9-]{1,63}$/.test(slug)
      const put = folders.put(slug, FIRST, 'mark').then(
        () => true,
        () => false,
      )
      expect(await put, slug).toBe(isSlug)
      await expect(folders.remove('../outside', 'mark')).rejects.toThrow('Not the slug')
      await folders.put('skill', [{ path, content: 'x' }], 'mark').catch(() => undefined)
      expect(
        Object.keys(readFolder(around)).filter((name) => name !== 'outside' && !name.startsWith('deep/skills/')),
      ).toEqual([])
      expect(readFolder(around)['outside']).toBe('644 outside')
    }),
    { numRuns: countRuns(60) },
  )
  await expect(folders.put('skill', FIRST, '../../x')).rejects.toThrow('Not a work id')
  expect(root.startsWith(around)).toBe(true)
})

test('an inspection distinguishes missing, edited and intact files', async () => {
  const { root, folders } = createFolders()
  await folders.put('skill', FIRST, 'mark')
  expect(await folders.inspect('skill', FIRST)).toEqual({ missing: [], edited: [] })
  rmSync(join(root, 'skill', 'SKILL.md'))
  rmSync(join(root, 'skill', 'tests', 'a.json'))
  writeFileSync(join(root, 'skill', 'tests', 'a.json'), '2')
  expect(await folders.inspect('skill', FIRST)).toEqual({
    missing: ['SKILL.md'],
    edited: ['tests/a.json'],
  })
  await folders.mend('skill', FIRST.slice(0, 1))
  expect(await folders.inspect('skill', FIRST)).toEqual({ missing: [], edited: ['tests/a.json'] })
  expect([await folders.has('skill'), await folders.has('other')]).toEqual([true, false])
})

test('temporary folders of a crash do not prevent a write', async () => {
  const { root, folders } = createFolders()
  mkdirSync(join(root, '.apprentice-new-mark', 'tests'), { recursive: true })
  writeFileSync(join(root, '.apprentice-new-mark', 'SKILL.md.tmp'), 'ha')
  mkdirSync(join(root, '.apprentice-old-mark'))
  await folders.put('skill', FIRST, 'mark')
  expect(readFolder(root)).toEqual(toExpected(FIRST))
})
