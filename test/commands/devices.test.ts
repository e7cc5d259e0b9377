import { spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createClient } from '@apprentice/contracts/client.ts'
import type { RedisAddress } from '../../src/config/redis-address.ts'
import { ProgressLine } from '../../src/commands/terminal/progress-line.ts'
import type { PhoneInUse } from '../../src/device-runtime/devices/phone-in-use.ts'
import { openHostedPhone } from '../kit/hosted-phone.ts'
import { phoneOfTheRun, throughHost, type WhenOver } from '../kit/phone-of-the-run.ts'
import { createHome, type ProgramResult, runProgram, serve } from './program.ts'

const SETTINGS_APP = 'com.android.settings'
const OPEN_SETTINGS = { id: 'open', type: 'open_app', params: { applicationId: SETTINGS_APP } }
const CLICK_MISSING = {
  id: 'gone',
  type: 'click',
  params: { matcher: { textEquals: 'Nowhere' }, retry: { maxAttempts: 1 } },
}
const GO_HOME = { id: 'home', type: 'press_key', params: { key: 'home' } }
const LOOK = { id: 'look', type: 'snapshot_ui' }

interface DeviceRig {
  readonly home: string
  readonly serial: string
  /** Makes the daemon read the facts of the phone again. */
  readonly askPhone: () => Promise<unknown>
  readonly cli: (...args: readonly string[]) => Promise<ProgramResult>
  /** Runs the program with a document on its standard input; returns what it prints. */
  readonly pipe: (document: unknown, ...args: readonly string[]) => Promise<string>
  /** Writes the document to a file and returns its path. */
  readonly file: (document: unknown) => string
}

async function startDeviceRig(whenOver: WhenOver): Promise<DeviceRig> {
  const home = createHome(whenOver)
  const hosted = throughHost ? await openHostedPhone(undefined, whenOver) : undefined
  const phone = hosted?.phone ?? (await phoneOfTheRun(undefined, whenOver))
  const redis: Record<string, string> = hosted === undefined ? {} : { APPRENTICE_REDIS: formatRedis(hosted.redis) }
  const { url } = await serve(home, phone === undefined ? {} : { ...buildAdbEnvironment(phone), ...redis }, whenOver)
  const serial = phone?.simulated?.serial ?? 'SIMULATED01'
  const secret = readFileSync(join(home, 'secrets', 'admin.token'), 'utf8').trim()
  await hosted?.connect({ url, call: createClient({ baseUrl: url, token: secret }) })
  const authorization = `Bearer ${secret}`
  return {
    home,
    serial,
    askPhone: () => fetch(`${url}/api/devices/${serial}`, { headers: { authorization } }),
    cli: (...args) => runProgram([...args, '--url', url], { APPRENTICE_HOME: home }),
    pipe: (document, ...args) => {
      const env = { APPRENTICE_HOME: home }
      const child = spawn(process.execPath, [MAIN_FILE, ...args, '--url', url], { env })
      child.stdin.end(JSON.stringify(document))
      return text(child.stdout)
    },
    file: (document) => {
      const path = join(home, 'payload.json')
      writeFileSync(path, JSON.stringify(document))
      return path
    },
  }
}

const formatRedis = ({ url, prefix }: RedisAddress) => `${url}?prefix=${prefix}`

const buildAdbEnvironment = ({ server }: PhoneInUse) => ({
  APPRENTICE_PHONE: 'adb',
  ADB_SERVER_SOCKET: `tcp:${server.host}:${server.port}`,
})

const MAIN_FILE = join(import.meta.dirname, '..', '..', 'dist', 'main.js')

let rig: DeviceRig
const endings: Parameters<WhenOver>[0][] = []

beforeAll(async () => {
  rig = await startDeviceRig((end) => endings.push(end))
})

afterAll(async () => {
  for (const end of endings.toReversed()) await end()
})

test('devices are listed, and a simulated one is labelled', async () => {
  const { cli, serial, askPhone } = rig
  const listed = async () => {
    await askPhone()
    return JSON.parse((await cli('devices', '--json')).stdout) as object
  }
  await expect
    .poll(listed, { timeout: 40_000 })
    .toMatchObject({ devices: [{ serial, simulated: true, facts: { model: expect.any(String) } }] })
  const [head = '', line = ''] = (await cli('devices')).stdout.split('\n')
  expect(head).toMatch(/^SERIAL +STATE +MODEL +ANDROID +BATTERY +SCREENS +LEASE +QUEUE +KIND/)
  expect(line.startsWith(`${serial} `)).toBe(true)
  expect(line).toMatch(/^\S+ +device .*free +0 +simulated/)
  const nobody = await cli('snapshot', '--serial', 'nobody')
  expect([nobody.code, nobody.stdout]).toEqual([1, ''])
  expect(nobody.stderr).toContain('DEVICE_NOT_FOUND')
})

test('actions run, each step is printed, and the exit code follows the result', async () => {
  const { cli, file, pipe, serial } = rig
  const done = await pipe({ execution: { actions: [OPEN_SETTINGS, LOOK] } }, 'exec', '-')
  expect(done.split('\n').slice(0, 2)).toEqual(['ok   1/2 open_app open', 'ok   2/2 snapshot_ui look'])
  expect(done).toMatch(/done on \S+; execution [0-9a-f-]{36}\n$/)
  expect(done).toContain(`done on ${serial};`)

  const failed = await cli('exec', file([OPEN_SETTINGS, CLICK_MISSING, LOOK]))
  expect(failed.code).toBe(1)
  const lines = failed.stdout.split('\n')
  expect(lines[0]).toBe('ok   1/3 open_app open')
  expect(lines[1]).toMatch(/^FAIL 2\/3 click gone {2}NODE_NOT_FOUND/)
  expect(lines[2]).toBe('skip 3/3 snapshot_ui look')

  const json = await cli('exec', file([CLICK_MISSING]), '--json', '--serial', serial)
  expect(json.code).toBe(1)
  expect(JSON.parse(json.stdout)).toMatchObject({
    execution: { state: 'failed', envelope: { status: 'failed' } },
  })
})

test('a payload can be validated and planned without running it', async () => {
  const { cli, file } = rig
  await cli('exec', file([GO_HOME]))
  const valid = await cli('exec', file([OPEN_SETTINGS]), '--validate')
  expect([valid.code, valid.stdout]).toEqual([0, 'The payload is valid.\n'])
  const plan = await cli('exec', file([OPEN_SETTINGS]), '--dry-run')
  expect(JSON.parse(plan.stdout)).toMatchObject({ actionCount: 1, actions: [{ type: 'open_app' }] })
  const wrong = await cli('exec', file([{ id: 'x', type: 'open_app' }]), '--validate')
  expect([wrong.code, wrong.stderr]).toEqual([
    1,
    'apprentice: open_app requires params.applicationId (EXECUTION_VALIDATION_FAILED)\n',
  ])
  const seen = await cli('snapshot')
  expect(seen.stdout).toContain('launcher')
  expect(seen.stdout).not.toContain(SETTINGS_APP)
})

test('the screen is printed as an outline and as XML, and saved as a PNG', async () => {
  const { cli, file, home } = rig
  await cli('exec', file([OPEN_SETTINGS]))
  const seen = await cli('snapshot')
  expect(seen.code).toBe(0)
  expect(seen.stdout).toMatch(/^com\.android\.settings.* revision \d+ {2}fingerprint [0-9a-f]{16}/)
  expect(seen.stdout).toMatch(/"Battery" #android:id\/title \(1 of \d+\)/)
  expect(seen.stdout).toMatch(/\[.*scroll.*\]/)
  const xml = await cli('snapshot', '--xml')
  expect(xml.stdout).toContain('<hierarchy rotation="0">')

  const picture = join(home, 'screen.png')
  const saved = await cli('screenshot', '-o', picture)
  expect(saved.code).toBe(0)
  expect(saved.stdout).toMatch(/screen\.png {2}1080 x 2400, \d+ bytes\n$/)
  const png = readFileSync(picture)
  expect(png.subarray(0, 8)).toEqual(Buffer.from('\u0089PNG\r\n\u001A\n', 'latin1'))
  expect(png.subarray(-8, -4).toString('latin1')).toBe('IEND')
  expect(png.readUInt32BE(16)).toBe(1080)
})

test('an execution continues after the wait, and the same commandId is not executed twice', async () => {
  const { cli, file, serial } = rig
  const nap = { id: 'nap', type: 'sleep', params: { durationMs: 2500 } }
  const path = file({ commandId: 'nap-1', actions: [nap] })
  const unfinished = await cli('exec', path, '--wait', '100')
  expect(unfinished.code).toBe(0)
  expect(unfinished.stdout).toMatch(/^(running|queued) on \S+; execution/)
  expect(unfinished.stdout).toContain(` on ${serial};`)
  expect(unfinished.stderr).toMatch(/waiting for the device|step 1 of 1: (starting|sleep)/)
  const settled = await cli('exec', path)
  expect(settled.stdout).toContain('ok   1/1 sleep nap')
  const repeated = await cli('exec', path)
  expect(repeated.stderr).toContain('was run before')
  const again = await cli('exec', path, '--again', '--wait', '0')
  expect(again.stderr).not.toContain('was run before')
  expect(readExecutionId(again)).toMatch(/^[0-9a-f-]{36}$/)
  expect(readExecutionId(again)).not.toBe(readExecutionId(repeated))
})

const readExecutionId = ({ stdout }: ProgramResult) => stdout.trim().split('execution ')[1]

test('progress is one line on a terminal, and one line per change otherwise', () => {
  const written = (isTTY: boolean): string => {
    const words: string[] = []
    const out = { isTTY, columns: 30, write: (text: string) => words.push(text) > 0 }
    // Only these parts of a stream are used.
    const progress = new ProgressLine(out as unknown as NodeJS.WriteStream)
    progress.show('step 1', '0.1 s')
    progress.show('step 1', '0.2 s')
    progress.show('step 2 '.repeat(9), '0.3 s')
    progress.clear()
    return words.join('')
  }
  expect(written(false)).toBe(`step 1\n${'step 2 '.repeat(9)}\n`)
  const lines = written(true).split('\r\u001B[2K')
  expect(lines).toEqual(['', 'step 1  0.1 s', 'step 1  0.2 s', 'step 2 '.repeat(9).slice(0, 29), ''])
})
