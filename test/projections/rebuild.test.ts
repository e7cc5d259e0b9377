import { mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { mirrors, openRig } from './rig.ts'
import { fillAll } from './rows.ts'

test('every mirror has a file, no two share one, and the database agrees with all of them', async () => {
  const rig = openRig()
  await rig.change(fillAll)
  await (await rig.start()).settled()

  const files = Object.keys(rig.tree())
  const patterns = mirrors.map(({ path }) => path)
  const shapes = patterns.map((path) => new RegExp(`^${path.replaceAll(/<[a-z_]+>/g, '[^/]+')}$`))

  expect(patterns.filter((_, n) => !files.some((file) => shapes[n]?.test(file)))).toEqual([])
  expect(files.filter((file) => !shapes.some((shape) => shape.test(file)))).toEqual([])
  expect(new Set(patterns).size).toBe(patterns.length)
  expect(await rig.problems()).toEqual([])
})

test('a deleted tree comes back byte for byte', async () => {
  const rig = openRig()
  const first = await rig.start()
  await rig.change(fillAll)
  await rig.change(fillAll)
  await first.settled()
  const before = rig.tree()

  await rig.stop()
  rmSync(join(rig.home, 'system'), { recursive: true })
  await (await rig.start()).settled()

  expect(rig.tree()).toEqual(before)
})

test('any single file that is deleted comes back, and so do all of them emptied', async () => {
  const rig = openRig()
  await rig.change(fillAll)
  await (await rig.start()).settled()
  const before = rig.tree()

  for (const file of Object.keys(before)) {
    await rig.stop()
    rmSync(join(rig.home, 'system', file))
    await (await rig.start()).settled()
    expect(rig.tree(), file).toEqual(before)
  }
  await rig.stop()
  for (const file of Object.keys(before)) writeFileSync(join(rig.home, 'system', file), '')
  await (await rig.start()).settled()
  expect(rig.tree()).toEqual(before)
})

test('a document somebody edited is set right by the next start', async () => {
  const rig = openRig()
  const { session } = await rig.change(fillAll)
  await (await rig.start()).settled()
  const before = rig.tree()
  const edited = join(rig.home, 'system/learning/sessions', `${session}.json`)

  await rig.stop()
  writeFileSync(edited, '{"state":"approved"}')
  await (await rig.start()).settled()

  expect(rig.tree()).toEqual(before)
})

test('files that belong to no row go, unfinished ones too, and what others keep beside mirrors stays', async () => {
  const rig = openRig()
  await rig.change(fillAll)
  await (await rig.start()).settled()
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
  await (await rig.start()).settled()

  expect(rig.tree()).toEqual({
    ...before,
    'learning/installed/a-skill/SKILL.md': 'x',
    'learning/notes.txt': 'x',
  })
  expect(() => statSync(join(rig.home, 'system/learning/observations/0000'))).toThrow('ENOENT')
})

test('only the owner may enter the folders and read the files', async () => {
  const rig = openRig()
  const { session } = await rig.change(fillAll)
  await (await rig.start()).settled()
  const mode = (path: string) => statSync(join(rig.home, path)).mode & 0o777

  expect(mode('system')).toBe(0o700)
  expect(mode(`system/learning/observations/${session}`)).toBe(0o700)
  for (const file of Object.keys(rig.tree())) expect(mode(`system/${file}`), file).toBe(0o600)
})

test('a mirror of an older make is written anew', async () => {
  const rig = openRig()
  await rig.change(fillAll)
  await (await rig.start()).settled()
  const before = rig.tree()

  const newer = mirrors.map((mirror) => ({ ...mirror, version: mirror.version + 1 }))
  const projector = await rig.start({ mirrors: newer })
  await projector.settled()

  const logs = Object.keys(before).filter((file) => file.endsWith('.jsonl'))
  expect(rig.tree()).toEqual(before)
  expect(projector.written).toBe(logs.length)
})

test('secrets and remembered replies are in no file', async () => {
  const rig = openRig()
  await rig.change(fillAll)
  await (await rig.start()).settled()

  const all = Object.values(rig.tree()).join('')
  expect(all).not.toContain('the-salt')
  expect(all).not.toContain('secret answer')
  expect(rig.tree()['learning/idempotency.json']).toContain('reply_sha256')
})
