import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { askHost } from './host-client.ts'
import { type CliResult, realAdbAvailable, runCli } from './real-adb.ts'
import { type Rig, attachments } from './rig.ts'
import { patternBytes } from './tiny-phone.ts'

describe.skipIf(!realAdbAvailable()).each(attachments)('the adb tool through $attachment', ({ rig: start }) => {
  test('devices lists the phone and the server version is accepted', async () => {
    const { adb, rig } = await setUp(start)
    const result = await adb(['devices', '-l'])
    expect(result.stderr).toBe('')
    expect(result.stdout.toString()).toContain(
      `${rig.target.serial.padEnd(22)} device product:tiny_product model:Tiny_Phone__one_`,
    )
    const state = await adb(['get-state'])
    expect(state.stdout.toString()).toBe('device\n')
    expect(await askHost(rig.target.port, 'host:version')).toBe('0029')
  })

  test('shell returns exit codes, stdout and stderr', async () => {
    const { adb } = await setUp(start)
    const codes: (number | null)[] = []
    for (const command of ['true', 'false', 'exit 7', 'nosuchcommand']) {
      codes.push((await adb(['shell', command])).code)
    }
    expect(codes).toEqual([0, 1, 7, 127])
    const result = await adb(['shell', 'echo out; warn careful'])
    expect(result.stdout.toString()).toBe('out\n')
    expect(result.stderr).toBe('careful\n')
  })

  test('shell forwards stdin, also to an interactive shell', async () => {
    const { adb } = await setUp(start)
    const input = patternBytes(100_000)
    expect((await adb(['shell', 'cat'], input)).stdout.equals(input)).toBe(true)
    const lines = await adb(['shell', '-T'], Buffer.from('echo one\nexit 5\n'))
    expect(lines.stdout.toString()).toBe('one\n')
    expect(lines.code).toBe(5)
  })

  test('exec-out returns binary output unchanged', async () => {
    const { adb } = await setUp(start)
    const result = await adb(['exec-out', 'bytes', '1000000'])
    expect(result.stdout.equals(patternBytes(1_000_000))).toBe(true)
  })

  test.each([0, 25, 3_000_000])('push and pull of %i bytes', async (size) => {
    const { adb, folder, rig } = await setUp(start)
    const data = patternBytes(size)
    await writeFile(join(folder, 'up'), data)
    const push = await adb(['push', join(folder, 'up'), '/sdcard/file'])
    expect(push.code).toBe(0)
    expect(rig.phone.files.read('/sdcard/file')?.equals(data)).toBe(true)
    const pull = await adb(['pull', '/sdcard/file', join(folder, 'down')])
    expect(pull.code).toBe(0)
    expect((await readFile(join(folder, 'down'))).equals(data)).toBe(true)
  })

  test('ls, features and pull of a folder', async () => {
    const { adb, folder, rig } = await setUp(start)
    rig.phone.files.write('/sdcard/a', Buffer.from('1'), { mode: 0o644, mtime: 7 })
    rig.phone.files.write('/sdcard/b', Buffer.from('22'), { mode: 0o600, mtime: 8 })
    const list = await adb(['ls', '/sdcard'])
    expect(list.stdout.toString()).toBe('000081a4 00000001 00000007 a\n00008180 00000002 00000008 b\n')
    const features = (await adb(['features'])).stdout.toString().trim().split('\n')
    expect(features.toSorted()).toEqual([...rig.phone.features].toSorted())
    expect((await adb(['pull', '/sdcard', join(folder, 'all')])).code).toBe(0)
    expect(await readFile(join(folder, 'all', 'b'), 'utf8')).toBe('22')
  })

  test('a missing file and a missing phone are errors', async () => {
    const { adb, folder } = await setUp(start)
    const pull = await adb(['pull', '/sdcard/none', join(folder, 'none')])
    expect(pull.code).toBe(1)
    expect(pull.stderr + pull.stdout.toString()).toContain('No such file or directory')
    const other = await adb(['-s', 'other', 'shell', 'true'])
    expect(other.code).toBe(1)
    expect(other.stderr).toContain("device 'other' not found")
  })

  test('a phone without features works', async () => {
    const { adb, folder } = await setUp(start, { features: [] })
    expect((await adb(['shell', 'echo old'])).stdout.toString()).toBe('old\n')
    await writeFile(join(folder, 'up'), 'text')
    expect((await adb(['push', join(folder, 'up'), '/sdcard/up'])).code).toBe(0)
    expect((await adb(['pull', '/sdcard/up', join(folder, 'down')])).code).toBe(0)
    expect(await readFile(join(folder, 'down'), 'utf8')).toBe('text')
  })
})

interface Setup {
  readonly rig: Rig
  readonly folder: string
  readonly adb: (args: readonly string[], input?: Buffer) => Promise<CliResult>
}

async function setUp(
  start: (typeof attachments)[number]['rig'],
  options: Parameters<typeof start>[0] = {},
): Promise<Setup> {
  const rig = await start(options)
  const folder = await mkdtemp(join(tmpdir(), 'adb-cli-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return {
    rig,
    folder,
    adb: (args, input) => runCli({ port: rig.target.port, home: folder, args }, input),
  }
}
