import { createHash } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { ContentFiles, openSkillFiles } from '../../src/files/content-files.ts'
import { canonicalRoot, projectedRoot, readAbility, readFolders } from '../install/install-kit.ts'
import { type Daemon, startDaemon } from '../kit/daemon.ts'
import { countRuns } from '../kit/count-runs.ts'
import { countStoredFiles, importAndStage, runStep } from './import-kit.ts'
import { buildBundle } from './zip-builder.ts'

function createFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'apprentice-contents-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

const listFiles = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => entry.name)
    .toSorted()

test('a content in any pieces is stored once, under its digest', async () => {
  const pieces = fc.array(fc.uint8Array({ maxLength: 50 }), { maxLength: 6 })
  await fc.assert(
    fc.asyncProperty(pieces, async (parts) => {
      const files = new ContentFiles(createFolder())
      const bytes = Buffer.concat(parts)
      const sha256 = createHash('sha256').update(bytes).digest('hex')
      const written = await files.writePieces(parts.map((part) => Buffer.from(part)))
      expect(written).toEqual({ sha256, bytes: bytes.length })
      expect(await files.write(bytes)).toBe(sha256)
      expect(await files.read(sha256)).toEqual(bytes)
      expect(listFiles(files.folder)).toEqual([sha256])
    }),
    { numRuns: countRuns(40) },
  )
})

test('a content whose pieces end in an error leaves no file', async () => {
  const files = new ContentFiles(createFolder())
  const broken = (function* () {
    yield Buffer.from('half')
    throw new Error('cut off')
  })()
  await expect(files.writePieces(broken)).rejects.toThrow('cut off')
  expect(listFiles(files.folder)).toEqual([])
})

async function installImported(): Promise<{ daemon: Daemon; import_id: string }> {
  const home = createFolder()
  const daemon = await startDaemon({ home })
  const { import_id } = await importAndStage(daemon)
  await runStep(daemon, 'install-private', { import_id })
  await expect.poll(() => readdirSync(join(home, 'imports', 'tmp'))).toEqual([])
  return { daemon, import_id }
}

test('all files of an imported skill are written again from the rows and the store alone', async () => {
  const { daemon } = await installImported()
  const before = readFolders(daemon)
  await daemon.stop()
  rmSync(canonicalRoot(daemon), { recursive: true })
  rmSync(projectedRoot(daemon), { recursive: true })
  rmSync(join(daemon.home, 'imports'), { recursive: true })
  const again = await startDaemon({ home: daemon.home })
  expect(readFolders(again)).toEqual(before)
  expect(readAbility(again, 'imported.tidy-notes')).toMatchObject({ usable_now: true })
})

test('a damaged file of the store is not installed', async () => {
  const { daemon } = await installImported()
  await daemon.stop()
  const store = openSkillFiles(daemon.home).folder
  for (const name of listFiles(store)) writeFileSync(join(store, name.slice(0, 2), name), 'changed')
  rmSync(projectedRoot(daemon), { recursive: true })
  const again = await startDaemon({ home: daemon.home })
  expect(existsSync(join(projectedRoot(again), 'tidy-notes', 'assets', 'picture.bin'))).toBe(false)
  expect(readAbility(again, 'imported.tidy-notes')).toMatchObject({ usable_now: false })
})

test('discarding an import keeps stored files that an installed skill needs', async () => {
  const { daemon } = await installImported()
  const before = countStoredFiles(daemon)
  const other = await importAndStage(daemon, [...buildBundle('other-one'), { name: 'assets/own.bin', content: 'own' }])
  expect(countStoredFiles(daemon)).toBeGreaterThan(before)
  await runStep(daemon, 'discard', { import_id: other.import_id })
  await expect.poll(() => countStoredFiles(daemon)).toBeLessThanOrEqual(before)
  const exported = await daemon.get('/api/abilities/imported.tidy-notes/export')
  expect(exported.statusCode).toBe(200)
})

test('files that an older version unpacked into a folder are stored at the next start', async () => {
  const { daemon, import_id } = await installImported()
  const canonical = join(canonicalRoot(daemon), 'tidy-notes')
  await daemon.stop()
  const unpacked = join(daemon.home, 'imports', 'staged', import_id)
  mkdirSync(unpacked, { recursive: true })
  cpSync(canonical, unpacked, { recursive: true })
  rmSync(join(daemon.home, 'skill-files'), { recursive: true })
  rmSync(projectedRoot(daemon), { recursive: true })
  const again = await startDaemon({ home: daemon.home })
  const picture = readFileSync(join(projectedRoot(again), 'tidy-notes', 'assets', 'picture.bin'))
  expect([...picture]).toEqual([0, 1, 2, 3, 250, 251])
  expect(existsSync(join(daemon.home, 'imports', 'staged'))).toBe(false)
})
