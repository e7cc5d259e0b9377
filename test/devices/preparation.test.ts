import { createPhone, type Phone } from '@apprentice/phone/phone.ts'
import { startAdbServer } from '@apprentice/phone/wire/adb-server.ts'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { type Daemon, startDaemon } from '../kit/daemon.ts'
import { buildHelperApks, IME_PACKAGE, pinBuiltApks, type HelperApks } from '../kit/helper-apks.ts'
import { run } from '../phone/phone-shell.ts'

const SERIAL = 'sim-1'
const URL = `/api/devices/${SERIAL}`
const BUILT_IN = 'com.android.inputmethod.latin/.LatinIME'

let apks: HelperApks
beforeAll(async () => {
  apks = await buildHelperApks()
})

async function startWithPhone(prepare?: (phone: Phone) => Promise<unknown>) {
  const phone = createPhone({ serial: SERIAL })
  await prepare?.(phone)
  const face = await startAdbServer({ hosts: [phone] })
  onTestFinished(() => face.close())
  const daemon = await startDaemon({ config: { phone: 'adb', adb: { host: '127.0.0.1', port: face.port } } })
  daemon.system.devices.pinnedHelpers = pinBuiltApks(apks)
  await expect.poll(async () => (await daemon.get(URL)).statusCode).toBe(200)
  return { phone, daemon }
}

function prepare(daemon: Daemon, given: readonly Buffer[], token?: string) {
  const payload = { apks: given.map((apk) => apk.toString('base64')) }
  return daemon.request({
    method: 'PUT',
    url: `${URL}/preparation`,
    payload,
    ...(token === undefined ? {} : { token }),
  })
}

const takeSnapshot = (daemon: Daemon) => daemon.post(`${URL}/snapshot`, { timeout_ms: 20_000 })

describe('helpers on a device', () => {
  test('a prepared device is read by the helper; its state is in its facts, events and state of preparation', async () => {
    const { daemon } = await startWithPhone()
    const prepared = await prepare(daemon, [apks.snapshot, apks.ime])
    expect(prepared.statusCode, prepared.body).toBe(200)
    expect(prepared.json()).toMatchObject({
      prepared_version: '0.21.5',
      installed: { snapshot: 21_005, keyboard: 21_005 },
    })
    expect((await takeSnapshot(daemon)).statusCode).toBe(200)
    expect((await daemon.get(`${URL}/preparation`)).json()).toMatchObject({
      screens: { source: 'helper', helper: { readings: 1 }, failures: {} },
    })
    expect((await daemon.get(URL)).json()).toMatchObject({ facts: { helpers: '0.21.5' } })
    expect(daemon.events().map(({ kind }) => kind)).toContain('device.prepared')
  })

  test('when the helper fails, the reading is still answered and the reason is shown', async () => {
    const { phone, daemon } = await startWithPhone()
    await prepare(daemon, [apks.snapshot])
    phone.faults.set('helperKilled', 1)
    expect((await takeSnapshot(daemon)).statusCode).toBe(200)
    expect((await daemon.get(`${URL}/preparation`)).json()).toMatchObject({
      screens: { source: 'dump', failures: { unreachable: 1 }, last_failure: { kind: 'unreachable' } },
    })
  })

  test('unprepare leaves nothing on the phone', async () => {
    const { phone, daemon } = await startWithPhone()
    await prepare(daemon, [apks.snapshot, apks.ime])
    await takeSnapshot(daemon)
    const left = await daemon.delete(`${URL}/preparation`)
    expect(left.json()).toMatchObject({ installed: {} })
    expect(left.json()).not.toHaveProperty('prepared_version')
    expect((await run(phone, 'pm list packages com.callstack; settings list global')).stdout).not.toMatch(
      /callstack|apprentice_/,
    )
    await takeSnapshot(daemon)
    expect((await daemon.get(`${URL}/preparation`)).json()).toMatchObject({ screens: { source: 'dump' } })
    expect(daemon.events().map(({ kind }) => kind)).toContain('device.unprepared')
  })

  test('an APK with another hash, and one that the phone refuses, are not installed', async () => {
    const { phone, daemon } = await startWithPhone()
    const other = await prepare(daemon, [(await buildHelperApks(9)).snapshot])
    expect(other.json()).toMatchObject({
      error: { code: 'DEVICE_PREPARATION_FAILED', details: { kind: 'INVALID_ARGUMENT' } },
    })
    phone.faults.set('installRefused', 1)
    const refused = await prepare(daemon, [apks.snapshot])
    expect(refused.json()).toMatchObject({ error: { details: { kind: 'INSTALL_FAILED' } } })
    expect((await daemon.get(`${URL}/preparation`)).json()).toMatchObject({ installed: {} })
    expect(daemon.events().map(({ kind }) => kind)).not.toContain('device.prepared')
  })

  test('only an administrator installs, and a lease of another user is respected', async () => {
    const { daemon } = await startWithPhone()
    const writer = await daemon.tokenFor('ada', 'write')
    expect((await prepare(daemon, [apks.snapshot], writer)).statusCode).toBe(403)
    await daemon.post(`${URL}/lease`, { ttl_ms: 60_000 }, writer)
    expect((await prepare(daemon, [apks.snapshot])).json()).toMatchObject({ error: { code: 'DEVICE_LEASED' } })
  })

  test('a keyboard that a killed daemon left selected is restored when the device is seen', async () => {
    const { phone } = await startWithPhone(async (fresh) => {
      await run(fresh, `settings put secure apprentice_previous_keyboard ${BUILT_IN}`)
      const stdin = (async function* () {
        yield await Promise.resolve(apks.ime)
      })()
      await run(fresh, `pm install -S ${apks.ime.length}`, { stdin })
      await run(
        fresh,
        `ime enable ${IME_PACKAGE}/.TestInputMethodService; ime set ${IME_PACKAGE}/.TestInputMethodService`,
      )
      expect((await run(fresh, 'settings get secure default_input_method')).stdout).toContain(IME_PACKAGE)
    })
    await expect
      .poll(async () => (await run(phone, 'settings get secure default_input_method')).stdout.trim())
      .toBe(BUILT_IN)
    await expect
      .poll(async () => (await run(phone, 'settings get secure apprentice_previous_keyboard')).stdout.trim())
      .toBe('null')
  })

  test('the report has versions, times and a tree, but no serial, no words and no names of apps', async () => {
    const { phone, daemon } = await startWithPhone()
    await prepare(daemon, [apks.snapshot])
    await run(phone, 'am start -n org.apprentice.notes/.NoteListActivity')
    const report = await daemon.get(`${URL}/report`)
    expect(report.statusCode, report.body).toBe(200)
    const found = report.json<{ tree: string; dump_ms: number[]; helper_ms: number[] }>()
    expect(found).toMatchObject({ simulated: true, facts: { sdk: 34 }, prepared_version: '0.21.5', failures: [] })
    expect([found.dump_ms.length, found.helper_ms.length]).toEqual([5, 5])
    expect(/package="app\.number1"/.test(found.tree)).toBe(true)
    expect(/resource-id="app\.number1:id\/new_note"/.test(found.tree)).toBe(true)
    expect(/Birthday|Groceries|Ada|org\.apprentice|sim-1/.test(report.body)).toBe(false)
    expect((await takeSnapshot(daemon)).statusCode).toBe(200)
  })
})
