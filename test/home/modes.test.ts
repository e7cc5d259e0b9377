import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { prepareHome } from '../../src/home/close-home.ts'
import { SkillPlaces } from '../../src/files/skill-places.ts'
import { listModes, startFilledDaemon } from './filled-home.ts'

function createFolder(mode: number): string {
  const folder = mkdtempSync(join(tmpdir(), 'apprentice-modes-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  chmodSync(folder, mode)
  return folder
}

function setUmask(mask: number): void {
  const before = process.umask(mask)
  onTestFinished(() => {
    process.umask(before)
  })
}

const OWNER_ONLY = new Set([0o400, 0o600, 0o700])

// This umask takes every bit from a file whose mode is not set after it was created.
test('whatever the umask, everything in the home belongs to its owner alone', async () => {
  const home = createFolder(0o755)
  setUmask(0o777)
  await startFilledDaemon({ home })
  const modes = listModes(home)
  const open = [...modes].filter(
    ([path, mode]) => !(path.endsWith('/') || path === '.' ? mode === 0o700 : OWNER_ONLY.has(mode)),
  )
  expect(open).toEqual([])
  const tops = new Set([...modes.keys()].map((path) => path.split('/')[0]))
  expect([...tops]).toEqual(
    expect.arrayContaining([
      'apprentice.db',
      'apprentice.db-wal',
      'daemon.lock',
      'documents',
      'evidence',
      'imports',
      'secrets',
      'skills',
      'system',
      'workspace',
    ]),
  )
})

test('a start closes a home that another program made and filled', () => {
  const home = createFolder(0o777)
  mkdirSync(join(home, 'skills', 'own'), { recursive: true, mode: 0o755 })
  writeFileSync(join(home, 'skills', 'own', 'run.sh'), '', { mode: 0o755 })
  writeFileSync(join(home, 'settings.json'), '{}', { mode: 0o644 })
  const outside = createFolder(0o755)
  symlinkSync(outside, join(home, 'workspace'))
  prepareHome(home)
  expect(Object.fromEntries(listModes(home))).toMatchObject({
    '.': 0o700,
    'skills/': 0o700,
    'skills/own/': 0o700,
    'skills/own/run.sh': 0o700,
    'settings.json': 0o600,
  })
  expect(statSync(outside).mode & 0o777).toBe(0o755)
})

test('a workspace outside the home stays readable for other users, also with a strict umask', async () => {
  const [home, around] = [createFolder(0o700), createFolder(0o755)]
  setUmask(0o077)
  const workspace = join(around, 'shared')
  await new SkillPlaces({ home, workspace }).put(
    'projected',
    'a-skill',
    [{ path: 'SKILL.md', content: 'text' }],
    'work',
  )
  expect(Object.fromEntries(listModes(around))).toEqual({
    '.': 0o755,
    'shared/': 0o755,
    'shared/skills/': 0o755,
    'shared/skills/a-skill/': 0o755,
    'shared/skills/a-skill/SKILL.md': 0o444,
  })
})
