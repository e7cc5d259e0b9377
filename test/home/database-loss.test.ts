import { hash } from 'node:crypto'
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, onTestFinished, test } from 'vitest'
import { DatabaseLost } from '../../src/daemon/database-loss.ts'
import { ContentFiles, openEvidenceFiles } from '../../src/files/content-files.ts'
import { readGeneration } from '../../src/home/generation.ts'
import { type Daemon, startDaemon } from '../kit/daemon.ts'

function createHome(): string {
  const home = mkdtempSync(join(tmpdir(), 'apprentice-loss-'))
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  return home
}

const start = (home: string) => startDaemon({ home, config: { sync: 'full' } })
const addCategory = (daemon: Daemon, title: string) => daemon.post('/api/categories', { title })

/** The folders of stored files that only the rows of a database explain. */
const STORED = ['evidence', 'skill-files', 'imports', 'reports', 'connector-files', 'documents']

/** A home with a category, projections and a stored file of each kind, after its daemon has stopped. */
async function createUsedHome(): Promise<string> {
  const home = createHome()
  const daemon = await start(home)
  await addCategory(daemon, 'First')
  await daemon.waitForProjections()
  await daemon.stop()
  for (const name of STORED) await new ContentFiles(join(home, name)).write(Buffer.from(`a file of ${name}`))
  return home
}

/** The files of a home as a killed daemon leaves them. */
function copyHome(home: string): string {
  const copy = createHome()
  cpSync(home, copy, { recursive: true })
  return copy
}

/** Every file with the hash of its content, except the lock and empty files of SQLite, which every opening makes. */
function readHome(home: string): Record<string, string> {
  const entries = readdirSync(home, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  const files = entries.map((entry) => join(entry.parentPath, entry.name))
  const kept = files.filter((file) => !/daemon\.|-shm$/.test(file) && statSync(file).size > 0)
  return Object.fromEntries(kept.map((file) => [file.slice(home.length + 1), hash('sha256', readFileSync(file))]))
}

/** Starts a daemon that must refuse and change nothing. Returns its message. */
async function readRefusal(home: string): Promise<string> {
  const before = readHome(home)
  const refusal = await start(home).then(
    () => undefined,
    (error: unknown) => error,
  )
  expect(refusal).toBeInstanceOf(DatabaseLost)
  expect(readHome(home)).toEqual(before)
  return (refusal as Error).message
}

test('a home whose database was removed or emptied is refused and stays as it is', async () => {
  const home = await createUsedHome()
  const emptied = copyHome(home)
  truncateSync(join(emptied, 'apprentice.db'), 0)
  // `startDaemon` puts a migrated, empty database into a home without one.
  rmSync(join(home, 'apprentice.db'))
  await start(home).catch(() => undefined)
  expect(await readRefusal(home)).toMatch(
    /had a database with \d+ commits, and apprentice\.db is empty\. .*system \(\d+ files\), evidence \(1 files\)/,
  )
  expect(await readRefusal(emptied)).toMatch(/apprentice\.db is empty\./)
})

test('without its generation file a home with projections still needs its database', async () => {
  const home = await createUsedHome()
  rmSync(join(home, 'apprentice.db'))
  rmSync(join(home, 'generation.json'))
  await start(home).catch(() => undefined)
  expect(await readRefusal(home)).toMatch(/^The folder system belongs to a database, and apprentice\.db is empty\./)
  rmSync(join(home, 'system'), { recursive: true })
  for (const name of STORED) {
    const message = await readRefusal(home)
    expect(message).toMatch(new RegExp(`^The folder ${name} belongs to a database`))
    expect(message).toContain(`${name} (1 files)`)
    rmSync(join(home, name), { recursive: true })
  }
  // Nothing is left that a database would explain.
  await (await start(home)).stop()
})

test('after a kill the log is needed, unless another program has folded it in', async () => {
  const home = createHome()
  const daemon = await start(home)
  await addCategory(daemon, 'First')
  const killed = copyHome(home)
  const folded = copyHome(home)
  await daemon.stop()

  rmSync(join(killed, 'apprentice.db-wal'))
  expect(await readRefusal(killed)).toMatch(/apprentice\.db is empty|with its log has only \d+ of them/)

  const other = new Database(join(folded, 'apprentice.db'))
  other.pragma('wal_checkpoint(TRUNCATE)')
  other.close()
  expect(readdirSync(folded)).not.toContain('apprentice.db-wal')
  const again = await start(folded)
  expect((await again.get('/api/categories')).body).toContain('First')
})

test('an older copy of the database, and the database of another home, are refused', async () => {
  const home = await createUsedHome()
  const older = copyHome(home)
  const daemon = await start(home)
  await addCategory(daemon, 'Second')
  await daemon.stop()
  const newer = copyHome(home)
  cpSync(join(older, 'apprentice.db'), join(home, 'apprentice.db'))
  expect(await readRefusal(home)).toMatch(/apprentice\.db with its log has only \d+ of them\./)
  cpSync(join(newer, 'apprentice.db'), join(home, 'apprentice.db'))
  const again = await start(home)
  expect((await again.get('/api/categories')).body).toContain('Second')
  await again.stop()
  cpSync(join(await createUsedHome(), 'apprentice.db'), join(home, 'apprentice.db'))
  expect(await readRefusal(home)).toMatch(/apprentice\.db is another one\./)
})

test('an accepted loss keeps projections and stored files aside and starts another generation', async () => {
  const home = await createUsedHome()
  const before = readHome(home)
  const lost = copyHome(home)
  rmSync(join(home, 'apprentice.db'))
  const daemon = await startDaemon({ home, acceptLoss: true, config: { sync: 'full' } })
  expect((await daemon.get('/api/categories')).body).not.toContain('First')
  await daemon.waitForProjections()
  expect(await openEvidenceFiles(home).sweep(() => false)).toBe(1)
  await daemon.stop()
  const [folder = ''] = readdirSync(join(home, 'lost'))
  const kept = readHome(join(home, 'lost', folder))
  const expected = Object.entries(before).filter(([path]) =>
    ['system', ...STORED].includes(path.split('/', 1)[0] ?? ''),
  )
  expect(expected.length).toBeGreaterThan(3 + STORED.length)
  expect(kept).toMatchObject(Object.fromEntries(expected))
  expect(readGeneration(home)?.generation).toBe(2)

  await (await start(home)).stop()
  cpSync(join(lost, 'apprentice.db'), join(home, 'apprentice.db'))
  expect(await readRefusal(home)).toMatch(/apprentice\.db is another one\./)
})

test('a damaged generation file is refused until the loss is accepted', async () => {
  const home = await createUsedHome()
  writeFileSync(join(home, 'generation.json'), '{')
  expect(await readRefusal(home)).toMatch(/generation\.json is damaged\./)
  const daemon = await startDaemon({ home, acceptLoss: true })
  expect((await daemon.get('/api/categories')).body).toContain('First')
})

test('after a quiet moment the database file alone is current and the log is empty', async () => {
  const home = createHome()
  const daemon = await start(home)
  await addCategory(daemon, 'First')
  await daemon.waitForProjections()
  await expect.poll(() => statSync(join(home, 'apprentice.db-wal')).size, { interval: 100 }).toBe(0)
  const copy = createHome()
  cpSync(join(home, 'apprentice.db'), join(copy, 'apprentice.db'))
  const alone = await start(copy)
  expect((await alone.get('/api/categories')).body).toContain('First')
})
