import { mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { expect, test } from 'vitest'
import { projections, openRig } from './rig.ts'
import { fillAll } from './rows.ts'

test('every projection has its own files, and all files match the database', async () => {
  const rig = openRig()
  await rig.change(fillAll)
  await (await rig.start()).waitUntilSettled()

  const files = Object.keys(rig.tree())
  const patterns = projections.map(({ path }) => path)
  const shapes = patterns.map((path) => new RegExp(`^${path.replaceAll(/<[a-z_]+>/g, '[^/]+')}$`))

  expect(patterns.filter((_, n) => !files.some((file) => shapes[n]?.test(file)))).toEqual([])
  expect(files.filter((file) => !shapes.some((shape) => shape.test(file)))).toEqual([])
  expect(new Set(patterns).size).toBe(patterns.length)
  expect(await rig.problems()).toEqual([])
})

test('a deleted tree is rebuilt with the same bytes', async () => {
  const rig = openRig()
  const first = await rig.start()
  await rig.change(fillAll)
  await rig.change(fillAll)
  await first.waitUntilSettled()
  const before = rig.tree()

  await rig.stop()
  rmSync(join(rig.home, 'system'), { recursive: true })
  await (await rig.start()).waitUntilSettled()

  expect(rig.tree()).toEqual(before)
})

test('any deleted file and all emptied files are rebuilt', async () => {
  const rig = openRig()
  await rig.change(fillAll)
  await (await rig.start()).waitUntilSettled()
  const before = rig.tree()

  for (const file of Object.keys(before)) {
    await rig.stop()
    rmSync(join(rig.home, 'system', file))
    await (await rig.start()).waitUntilSettled()
    expect(rig.tree(), file).toEqual(before)
  }
  await rig.stop()
  for (const file of Object.keys(before)) writeFileSync(join(rig.home, 'system', file), '')
  await (await rig.start()).waitUntilSettled()
  expect(rig.tree()).toEqual(before)
})

test('a projector that is stopped at once has written every document that needs no event', async () => {
  const rig = openRig()
  await rig.start()
  await rig.stop()

  expect(await rig.problems()).toEqual([])
})

test('an edited document is corrected by the next start', async () => {
  const rig = openRig()
  const { session } = await rig.change(fillAll)
  await (await rig.start()).waitUntilSettled()
  const before = rig.tree()
  const edited = join(rig.home, 'system/learning/sessions', `${session}.json`)

  await rig.stop()
  writeFileSync(edited, '{"state":"approved"}')
  await (await rig.start()).waitUntilSettled()

  expect(rig.tree()).toEqual(before)
})

test('a start removes files without a row and interrupted replacements, and keeps foreign files', async () => {
  const rig = openRig()
  await rig.change(fillAll)
  await (await rig.start()).waitUntilSettled()
  const before = rig.tree()
  await rig.stop()
  const put = (path: string) => {
    mkdirSync(join(rig.home, 'system', path, '..'), { recursive: true })
    writeFileSync(join(rig.home, 'system', path), 'x')
  }

  put('learning/sessions/stray.json')
  put('learning/observations/0000/events.jsonl')
  put('learning/archived/.0123456789abcdef.tmp')
  put('learning/.0123456789abcdef.tmp')
  put('learning/installed/a-skill/SKILL.md')
  put('learning/notes.txt')
  await (await rig.start()).waitUntilSettled()

  expect(rig.tree()).toEqual({
    ...before,
    'learning/installed/a-skill/SKILL.md': 'x',
    'learning/notes.txt': 'x',
  })
  expect(() => statSync(join(rig.home, 'system/learning/observations/0000'))).toThrow('ENOENT')
})

test('only the owner can enter the folders and read the files', async () => {
  const rig = openRig()
  await rig.change(fillAll)
  await (await rig.start()).waitUntilSettled()
  const mode = (path: string) => statSync(join(rig.home, path)).mode & 0o777

  expect(mode('system')).toBe(0o700)
  const entries = readdirSync(join(rig.home, 'system'), { recursive: true, withFileTypes: true })
  expect(entries.length).toBeGreaterThan(projections.length)
  for (const entry of entries) {
    const path = relative(rig.home, join(entry.parentPath, entry.name))
    expect(mode(path), path).toBe(entry.isDirectory() ? 0o700 : 0o600)
  }
})

test('after a version change logs are written again, and documents only if they differ', async () => {
  const rig = openRig()
  await rig.change(fillAll)
  await (await rig.start()).waitUntilSettled()
  const before = rig.tree()

  const newer = projections.map((one) => ({ ...one, version: one.version + 1 }))
  const projector = await rig.start({ projections: newer })
  await projector.waitUntilSettled()

  const logs = Object.keys(before).filter((file) => file.endsWith('.jsonl'))
  expect(rig.tree()).toEqual(before)
  expect(projector.writeCount).toBe(logs.length)
})

test('no file contains secrets or stored replies', async () => {
  const rig = openRig()
  await rig.change(fillAll)
  await (await rig.start()).waitUntilSettled()

  const all = Object.values(rig.tree()).join('')
  expect(all).not.toContain('the-salt')
  expect(all).not.toContain('secret answer')
  expect(rig.tree()['learning/idempotency.json']).toContain('reply_sha256')
})
