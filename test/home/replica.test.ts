import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { BackupInvalid } from '../../src/commands/backup/manifest.ts'
import { Replica } from '../../src/commands/backup/replica.ts'
import { locatePiece, type PageCopy, readReplica } from '../../src/commands/backup/replica-manifest.ts'
import { restore } from '../../src/commands/backup/restore.ts'
import { createHome, runProgram, startProgram } from '../commands/program.ts'
import { type Daemon, startDaemon } from '../kit/daemon.ts'
import { startFilledDaemon } from './filled-home.ts'

const NOW = '2026-03-02T00:00:00.000Z'
const LATER = '2026-03-02T00:00:10.000Z'

async function openReplica(home: string, folder: string): Promise<Replica> {
  const replica = await Replica.open(home, folder, { withSecrets: false })
  onTestFinished(() => replica.close())
  return replica
}

const readPages = (folder: string): PageCopy => readReplica(folder).database as PageCopy

const addCategory = async (daemon: Daemon, title: string): Promise<void> => {
  expect((await daemon.post('/api/categories', { title })).statusCode).toBe(201)
}

async function readCategories(home: string): Promise<string[]> {
  const daemon = await startDaemon({ home })
  const reply = await daemon.get('/api/categories')
  await daemon.stop()
  return reply.json<{ categories: { title: string }[] }>().categories.map(({ title }) => title)
}

test('a home is restored from a replica with every file and the last commit', async () => {
  const { daemon } = await startFilledDaemon()
  const folder = createHome()
  const replica = await openReplica(daemon.home, folder)
  await replica.update(NOW)
  await addCategory(daemon, 'Later')
  const second = await replica.update(LATER)
  expect(second).toMatchObject({ files: 0 })
  const { base, changes, bytes } = readPages(folder)
  expect(changes).toHaveLength(1)
  expect(changes[0]?.bytes).toBeLessThan(bytes / 4)
  expect(base.bytes).toBeLessThanOrEqual(bytes)

  const home = createHome()
  const { files } = await restore(folder, home, { withSecrets: false, now: LATER })
  expect(files).toBeGreaterThan(10)
  for (const { path, sha256 } of readReplica(folder).files) {
    expect(readFileSync(join(home, path)).equals(readFileSync(locatePiece(folder, sha256))), path).toBe(true)
  }
  expect(existsSync(join(home, 'secrets', 'admin.token'))).toBe(false)
  expect(await readCategories(home)).toEqual(expect.arrayContaining(['Work', 'Later']))
})

test('an update copies only what has changed, and nothing if nothing has', async () => {
  const daemon = await startDaemon()
  await addCategory(daemon, 'First')
  const folder = createHome()
  const replica = await openReplica(daemon.home, folder)
  expect(await replica.update(NOW)).toMatchObject({ pages: readPages(folder).bytes / readPages(folder).page_size })
  expect(await replica.update(LATER)).toBeUndefined()
  expect(readReplica(folder).updated_at).toBe(NOW)
  mkdirSync(join(daemon.home, 'evidence'), { recursive: true })
  writeFileSync(join(daemon.home, 'evidence', 'picture'), 'a picture')
  expect(await replica.update(LATER)).toMatchObject({ pages: 0, files: 1, bytes: 9 })
  rmSync(join(daemon.home, 'evidence', 'picture'))
  expect(await replica.update(LATER)).toMatchObject({ pages: 0, files: 0, bytes: 0 })
  expect(readReplica(folder).files.map(({ path }) => path)).not.toContain('evidence/picture')
  const stored = readdirSync(join(folder, 'objects'), { recursive: true, withFileTypes: true })
  const named = [...readReplica(folder).files, readPages(folder).base].map(({ sha256 }) => sha256)
  expect(new Set(stored.filter((entry) => entry.isFile()).map(({ name }) => name))).toEqual(new Set(named))
})

test('changes that grow to half of the database are replaced by a whole copy', async () => {
  const daemon = await startDaemon()
  const folder = createHome()
  const replica = await openReplica(daemon.home, folder)
  await replica.update(NOW)
  const first = readPages(folder).base.sha256
  let largest = 0
  for (let round = 0; readPages(folder).base.sha256 === first; round += 1) {
    await addCategory(daemon, `Category ${round}`)
    await replica.update(LATER)
    largest = Math.max(largest, readPages(folder).changes.length)
  }
  expect(largest).toBeGreaterThan(2)
  expect(readPages(folder).changes).toEqual([])
  expect(existsSync(locatePiece(folder, first))).toBe(false)
})

test('a replica is continued after the process was ended in an update', async () => {
  const daemon = await startDaemon()
  const folder = createHome()
  const first = await Replica.open(daemon.home, folder, { withSecrets: false })
  await first.update(NOW)
  first.close()
  writeFileSync(join(folder, '.staging', 'piece'), 'cut off')
  const left = locatePiece(folder, 'f'.repeat(64))
  mkdirSync(join(left, '..'), { recursive: true })
  writeFileSync(left, 'never named')
  await addCategory(daemon, 'Later')
  const second = await openReplica(daemon.home, folder)
  expect(existsSync(left)).toBe(false)
  expect(await second.update(LATER)).toMatchObject({ files: 0 })
  expect(readPages(folder).changes).toHaveLength(1)
  const home = createHome()
  await restore(folder, home, { withSecrets: false, now: LATER })
  expect(await readCategories(home)).toContain('Later')
})

test('a folder is refused if it is no replica, in use, inside the home, or of another database', async () => {
  const daemon = await startDaemon()
  const folder = createHome()
  const replica = await Replica.open(daemon.home, folder, { withSecrets: false })
  await expect(Replica.open(daemon.home, folder, { withSecrets: false })).rejects.toThrow('Another process')
  await replica.update(NOW)
  replica.close()
  const other = await startDaemon()
  await expect(Replica.open(other.home, folder, { withSecrets: false })).rejects.toThrow('another database')
  await expect(Replica.open(daemon.home, join(daemon.home, 'copy'), { withSecrets: false })).rejects.toThrow('outside')
  const full = createHome()
  writeFileSync(join(full, 'notes.txt'), 'mine')
  await expect(Replica.open(daemon.home, full, { withSecrets: false })).rejects.toThrow('must be empty')
  expect(readdirSync(full)).toEqual(['notes.txt'])
})

test('a replica is not replaced by a database that lacks its last commits', async () => {
  const home = createHome()
  const file = join(home, 'apprentice.db')
  const first = await startDaemon({ home })
  await first.stop()
  const old = readFileSync(file)
  const second = await startDaemon({ home })
  await addCategory(second, 'Later')
  await second.stop()
  const folder = createHome()
  const replica = await Replica.open(home, folder, { withSecrets: false })
  await replica.update(NOW)
  replica.close()
  writeFileSync(file, old)
  await expect(Replica.open(home, folder, { withSecrets: false })).rejects.toThrow('lacks')
  const restored = createHome()
  await restore(folder, restored, { withSecrets: false, now: LATER })
  expect(await readCategories(restored)).toContain('Later')
})

test.each(['base', 'changes', 'file'] as const)(
  'a replica with a damaged %s is refused and replaces nothing',
  async (part) => {
    const daemon = await startDaemon()
    const folder = createHome()
    const replica = await openReplica(daemon.home, folder)
    writeFileSync(join(daemon.home, 'settings.json'), '{}')
    await replica.update(NOW)
    await addCategory(daemon, 'Later')
    await replica.update(LATER)
    const { base, changes } = readPages(folder)
    const [file] = readReplica(folder).files
    const { sha256 = '' } = { base, changes: changes[0], file }[part] ?? {}
    const damaged = locatePiece(folder, sha256)
    const bytes = readFileSync(damaged)
    bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1
    writeFileSync(damaged, bytes)
    const home = createHome()
    await expect(restore(folder, home, { withSecrets: false, now: LATER })).rejects.toBeInstanceOf(BackupInvalid)
    expect(readdirSync(home)).toEqual([])
  },
)

test('`apprentice replicate` keeps a folder up to date while the daemon writes, until it is ended', async () => {
  const daemon = await startDaemon()
  const folder = createHome()
  const env = { APPRENTICE_HOME: daemon.home, HOME: createHome() }
  const { code, stdout } = await runProgram(['replicate', '--to', folder, '--once', '--json'], env)
  expect(code).toBe(0)
  expect(JSON.parse(stdout)).toMatchObject({ changed: true, files: expect.any(Number) as number })
  const running = startProgram(['replicate', '--to', folder, '--every', '0.1', '--json'], env)
  await addCategory(daemon, 'Later')
  await expect.poll(() => readPages(folder).changes.length, { timeout: 60_000 }).toBeGreaterThan(0)
  expect(await running.terminate()).toMatchObject({ code: 0, stderr: '' })
  expect(statSync(folder).mode & 0o077).toBe(0)
  const home = createHome()
  await restore(folder, home, { withSecrets: false, now: LATER })
  expect(await readCategories(home)).toContain('Later')
})

/** A program in the place of Litestream that copies the database file once. */
const LITESTREAM = `#!/bin/sh
if [ "$1" = restore ]; then cp "$LITESTREAM_COPY" "$3"; exit; fi
cat "$3" > "$LITESTREAM_COPY.config"
trap 'exit 0' TERM
while :; do sleep 0.1; done
`

test('with Litestream the files are in a folder, and the database is restored from its address', async () => {
  const daemon = await startDaemon()
  await addCategory(daemon, 'Kept')
  const bin = createHome()
  writeFileSync(join(bin, 'litestream'), LITESTREAM, { mode: 0o755 })
  const copy = join(bin, 'copy')
  const env = {
    APPRENTICE_HOME: daemon.home,
    HOME: bin,
    PATH: `${bin}:${process.env['PATH'] ?? ''}`,
    LITESTREAM_COPY: copy,
  }
  const url = 's3://bucket/apprentice'
  expect(await runProgram(['replicate', '--to', url], env)).toMatchObject({ code: 1, stdout: '' })
  const folder = createHome()
  const running = startProgram(['replicate', '--to', url, '--files', folder, '--every', '0.1'], env)
  await expect
    .poll(() => existsSync(join(folder, 'replica.json')) && existsSync(`${copy}.config`), { timeout: 60_000 })
    .toBe(true)
  expect(JSON.parse(readFileSync(`${copy}.config`, 'utf8'))).toEqual({
    dbs: [{ path: join(daemon.home, 'apprentice.db'), replicas: [{ url }] }],
  })
  expect((await running.terminate()).code).toBe(0)
  expect(readReplica(folder).database).toMatchObject({ litestream: url })
  await daemon.stop()
  writeFileSync(copy, readFileSync(join(daemon.home, 'apprentice.db')))
  const home = createHome()
  expect(await runProgram(['restore', folder], { ...env, APPRENTICE_HOME: home })).toMatchObject({ code: 0 })
  expect(await readCategories(home)).toContain('Kept')
  const without = await runProgram(['replicate', '--to', url, '--files', createHome()], {
    ...env,
    PATH: '/nonexistent',
  })
  expect(without).toMatchObject({ code: 1 })
  expect(without.stderr).toContain('Litestream is not installed')
})
