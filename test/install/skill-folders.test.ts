import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { SkillFolders } from '../../src/files/skill-folders.ts'
import { folder } from './installing.ts'

function places(): { around: string; root: string; folders: SkillFolders } {
  const around = mkdtempSync(join(tmpdir(), 'apprentice-folders-'))
  onTestFinished(() => rmSync(around, { recursive: true, force: true }))
  const root = join(around, 'deep', 'skills')
  return {
    around,
    root,
    folders: new SkillFolders(root, { file: 0o444, folder: 0o755, staged: around }),
  }
}

const one = [
  { path: 'SKILL.md', content: 'one' },
  { path: 'tests/a.json', content: '1' },
]
const two = [
  { path: 'SKILL.md', content: 'two' },
  { path: 'capabilities/b.json', content: '2' },
]
const shown = (files: typeof one) =>
  Object.fromEntries(files.map(({ path, content }) => [`skill/${path}`, `444 ${content}`]))

test('a folder is replaced as a whole: whoever looks sees one, the other, or none', async () => {
  const { root, folders } = places()
  const seen = new Set<string>()
  const looking = setInterval(() => seen.add(namesIn(join(root, 'skill'))))
  onTestFinished(() => clearInterval(looking))
  for (let round = 0; round < 40; round += 1) {
    await folders.put('skill', round % 2 === 0 ? one : two, `mark-${round}`)
  }
  expect(folder(root)).toEqual(shown(two))
  await folders.remove('skill', 'mark-end')

  const whole = ['SKILL.md tests', 'SKILL.md capabilities']
  expect([...seen].filter((names) => names !== 'none' && !whole.includes(names))).toEqual([])
  expect(whole.filter((names) => seen.has(names))).toEqual(whole)
  expect(folder(root)).toEqual({})
})

function namesIn(path: string): string {
  try {
    return readdirSync(path)
      .toSorted((a, b) => Number(b === 'SKILL.md') - Number(a === 'SKILL.md'))
      .join(' ')
  } catch {
    return 'none'
  }
}

test('no name and no path leads out of the folder of skills', async () => {
  const { around, root, folders } = places()
  writeFileSync(join(around, 'kept'), 'kept')
  const part = fc.constantFrom(
    '..',
    '.',
    '',
    '/',
    'a',
    'a/b',
    '..\\x',
    '%2e%2e',
    '\0',
    'é',
    'a b',
    '~',
  )
  const bad = fc.array(part, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('/'))
  await fc.assert(
    fc.asyncProperty(bad, bad, async (slug, path) => {
      const isSlug = /^[a-z0-9][a-z0-9-]{1,63}$/.test(slug)
      const put = folders.put(slug, one, 'mark').then(
        () => true,
        () => false,
      )
      expect(await put, slug).toBe(isSlug)
      await expect(folders.remove('../kept', 'mark')).rejects.toThrow('Not the name')
      await folders.put('skill', [{ path, content: 'x' }], 'mark').catch(() => undefined)
      expect(
        Object.keys(folder(around)).filter(
          (name) => name !== 'kept' && !name.startsWith('deep/skills/'),
        ),
      ).toEqual([])
      expect(folder(around)['kept']).toBe('644 kept')
    }),
    { numRuns: 60 },
  )
  await expect(folders.put('skill', one, '../../x')).rejects.toThrow('Not a mark')
  expect(root.startsWith(around)).toBe(true)
})

test('what is there is told apart: missing, edited, or as it was written', async () => {
  const { root, folders } = places()
  await folders.put('skill', one, 'mark')
  expect(await folders.inspect('skill', one)).toEqual({ missing: [], edited: [] })
  rmSync(join(root, 'skill', 'SKILL.md'))
  rmSync(join(root, 'skill', 'tests', 'a.json'))
  writeFileSync(join(root, 'skill', 'tests', 'a.json'), '2')
  expect(await folders.inspect('skill', one)).toEqual({
    missing: ['SKILL.md'],
    edited: ['tests/a.json'],
  })
  await folders.mend('skill', one.slice(0, 1))
  expect(await folders.inspect('skill', one)).toEqual({ missing: [], edited: ['tests/a.json'] })
  expect([await folders.has('skill'), await folders.has('other')]).toEqual([true, false])
})

test('a half written folder of a crash is no hindrance', async () => {
  const { root, folders } = places()
  mkdirSync(join(root, '.apprentice-new-mark', 'tests'), { recursive: true })
  writeFileSync(join(root, '.apprentice-new-mark', 'SKILL.md.tmp'), 'ha')
  mkdirSync(join(root, '.apprentice-old-mark'))
  await folders.put('skill', one, 'mark')
  expect(folder(root)).toEqual(shown(one))
})
