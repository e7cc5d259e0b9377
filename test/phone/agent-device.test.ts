import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { createPhone, type Phone } from '@apprentice/phone/phone.ts'
import { startAdbdDevice } from '@apprentice/phone/wire/adbd-device.ts'
import { expect, onTestFinished, test } from 'vitest'
import { PINNED_HELPERS } from '../../src/devices/driver/pinned-helpers.ts'
import { prepareDevice } from '../../src/devices/snapshot-helper/preparation.ts'
import { DeviceShell } from '../../src/devices/shell/device-shell.ts'
import { AdbClient } from '../../src/devices/adb/adb-client.ts'
import { FastSource } from '../../src/devices/snapshot-helper/fast-source.ts'
import { findAgentDevice, findNewerNode } from '../../src/setup/newer-node.mjs'
import { run } from './phone-shell.ts'
import { realAdbAvailable, startRealAdb } from './wire/real-adb.ts'

const CACHE = join(import.meta.dirname, '../../node_modules', '.cache', 'apprentice')
const node = findNewerNode(CACHE)
const folder = findAgentDevice(CACHE)
const isMissing = node === undefined || folder === undefined || !realAdbAvailable()
if (isMissing)
  console.warn('agent-device, Node 22 or adb is not installed: agent-device is not tested (npm test installs it)')

const NOTES = 'org.apprentice.notes'
const BUILT_IN = 'com.android.inputmethod.latin/.LatinIME'
const MINUTES = 60_000

/** The simulated phone behind a real adb server. */
async function connectPhone() {
  const phone = createPhone()
  const adbd = await startAdbdDevice({ host: phone })
  onTestFinished(() => adbd.close())
  const adb = await startRealAdb()
  onTestFinished(() => adb.stop())
  await adb.connect(adbd.port)
  return { phone, adb, serial: adb.toSerial(adbd.port) }
}

/** The real command line of agent-device, with a home of its own. Its daemon ends by itself when it is idle. */
async function installCli(adbPort: number) {
  const home = await mkdtemp(join(tmpdir(), 'agent-device-'))
  const env = {
    PATH: process.env['PATH'] ?? '',
    HOME: home,
    ANDROID_ADB_SERVER_PORT: String(adbPort),
    AGENT_DEVICE_NO_UPDATE_NOTIFIER: '1',
    AGENT_DEVICE_DAEMON_IDLE_TIMEOUT_MS: '2000',
  }
  const program = join(folder ?? '', 'bin', 'agent-device.mjs')
  const cli = async (...args: readonly string[]): Promise<string> => {
    const { stdout } = await promisify(execFile)(node ?? '', [program, ...args], { env, cwd: home, timeout: MINUTES })
    return stdout
  }
  onTestFinished(async () => {
    await cli('close').catch(() => {})
    await rm(home, { recursive: true, force: true, maxRetries: 20, retryDelay: 200 })
  })
  return { home, cli }
}

const readTitle = (phone: Phone) => phone.screenNodes().find(({ resourceId }) => resourceId.endsWith(':id/title'))?.text

test.skipIf(isMissing)(
  'agent-device opens, snapshots, presses, fills, scrolls and replays on the simulated phone',
  { timeout: 5 * MINUTES },
  async () => {
    const { phone, adb, serial } = await connectPhone()
    const { home, cli } = await installCli(adb.port)
    const script = join(home, 'note.ad')
    const target = ['--platform', 'android', '--serial', serial]
    await cli('open', NOTES, ...target, '--relaunch', '--test-ime', `--save-script=${script}`)
    const snapshot = await cli('snapshot', '-i', '--json')
    expect(snapshot).toContain('New note')
    expect(snapshot).not.toContain('uiautomator-dump')
    await cli('press', 'label="New note"', '--settle')
    expect(phone.foreground()?.activity).toBe(`${NOTES}.NoteEditorActivity`)
    await cli('fill', `id="${NOTES}:id/title"`, 'ë Ö 😀 你好', '--settle', '--no-record')
    expect(readTitle(phone)).toBe('ë Ö 😀 你好')
    await cli('fill', `id="${NOTES}:id/title"`, 'Buy stamps', '--settle')
    expect(readTitle(phone)).toBe('Buy stamps')
    await cli('press', 'label="Save"', '--settle')
    expect(JSON.stringify(phone.state(NOTES).saved)).toContain('Buy stamps')
    const touches = phone.touches()
    await cli('scroll', 'down', '--settle')
    expect(phone.touches()).toBe(touches + 1)
    await cli('close')
    expect((await run(phone, 'settings get secure default_input_method')).stdout.trim()).toBe(BUILT_IN)
    expect((await run(phone, 'uiautomator dump /dev/tty')).stdout).toContain('</hierarchy>')

    phone.resetApp(NOTES)
    expect(JSON.stringify(phone.state(NOTES).saved)).not.toContain('Buy stamps')
    await cli('replay', script, ...target)
    expect(JSON.stringify(phone.state(NOTES).saved)).toContain('Buy stamps')
  },
)

test.skipIf(isMissing)('the APKs of the package have the pinned hashes, and the helper in them is used', async () => {
  const { phone, adb, serial } = await connectPhone()
  const apks = await Promise.all(PINNED_HELPERS.map(({ path }) => readFile(join(folder ?? '', path))))
  const device = { server: { host: '127.0.0.1', port: adb.port }, serial }
  const shell = new DeviceShell(new AdbClient(device.server), serial)
  onTestFinished(() => shell.close())
  const state = await prepareDevice({ runner: shell, device }, apks, { timeoutMs: MINUTES })
  expect(state).toEqual({ preparedVersion: '0.21.5', installed: { snapshot: 21_005, keyboard: 21_005 } })
  const source = new FastSource(shell, device)
  await run(phone, `am start -n ${NOTES}/.NoteListActivity`)
  expect(await source.dump({ timeoutMs: MINUTES })).toMatchObject({ outcome: 'ok' })
  expect(source.state.source).toBe('helper')
  await source.reset()
})
