import { createPhone, type FaultName, type Phone } from '@apprentice/phone/phone.ts'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { AndroidDriver } from '../../../src/devices/driver/android-driver.ts'
import { restoreNotedKeyboard } from '../../../src/devices/driver/input-method.ts'
import { FastSource } from '../../../src/devices/snapshot-helper/fast-source.ts'
import { prepareDevice, unprepareDevice } from '../../../src/devices/snapshot-helper/preparation.ts'
import { DeviceShell } from '../../../src/devices/shell/device-shell.ts'
import { parseHierarchy } from '../../../src/screen/tree/hierarchy.ts'
import { buildHelperApks, IME_PACKAGE, pinBuiltApks, type HelperApks } from '../../kit/helper-apks.ts'
import { run } from '../../phone/phone-shell.ts'
import { eventually, SOON } from './outcomes.ts'
import { rigKinds, type RigKind } from './rigs.ts'

const NOTES = 'org.apprentice.notes'
const BUILT_IN = 'com.android.inputmethod.latin/.LatinIME'

let apks: HelperApks
beforeAll(async () => {
  apks = await buildHelperApks()
})

async function connect(kind: RigKind) {
  const phone = createPhone({ serial: 'sim-1' })
  const rig = await kind.start([phone])
  const device = { server: rig.server, serial: rig.serial(phone) }
  const shell = new DeviceShell(rig.client, device.serial)
  onTestFinished(() => shell.close())
  const source = new FastSource(shell, device)
  onTestFinished(() => source.reset())
  const target = { runner: shell, device, helpers: pinBuiltApks(apks) }
  return { rig, phone, shell, source, device, target, driver: new AndroidDriver(shell, device, source) }
}

async function connectPrepared(kind: RigKind) {
  const connected = await connect(kind)
  await prepareDevice(connected.target, [apks.snapshot, apks.ime], SOON)
  return connected
}

/** The nodes of a dump, without what the helper does not tell. */
function describeNodes(xml: string) {
  const read = parseHierarchy(xml)
  if (!read.ok) throw new Error(read.message)
  const { hierarchy } = read
  const nodes = hierarchy.nodes.map(({ path, attributes }) => {
    const { NAF: _naf, 'long-clickable': _long, ...rest } = attributes
    return { path, ...rest }
  })
  return { rotation: hierarchy.rotation, nodes }
}

async function readBoth(phone: Phone, source: FastSource) {
  const fast = await source.dump(SOON)
  const { source: used } = source.state
  await source.reset()
  const slow = await run(phone, 'uiautomator dump /dev/tty')
  if (fast.outcome !== 'ok') throw new Error(fast.text)
  return { used, fast: describeNodes(fast.xml), slow: describeNodes(slow.stdout) }
}

describe.each(rigKinds)('over $name', (kind) => {
  test('the helper gives the same readings as a dump: lists, dialogs, a keyboard, a turned screen', async () => {
    const { phone, source } = await connectPrepared(kind)
    const screens = [
      'am start -n com.android.settings/.Settings',
      'input swipe 500 1800 500 600',
      `am start -n ${NOTES}/.NoteListActivity`,
      `am start -n ${NOTES}/.NoteEditorActivity; input tap 540 360`,
      'settings put system user_rotation 1',
    ]
    for (const command of screens) {
      await run(phone, command)
      const { used, fast, slow } = await readBoth(phone, source)
      expect(used, command).toBe('helper')
      expect(fast, command).toEqual(slow)
    }
    phone.popUp({ title: 'Update', message: 'Now?', buttons: [{ text: 'Later' }] })
    const { fast, slow } = await readBoth(phone, source)
    expect(fast).toEqual(slow)
  })

  test('a screen with a switch is dumped, and the helper is used again on a screen without', async () => {
    const { phone, source, driver } = await connectPrepared(kind)
    await source.dump(SOON)
    expect(source.state.source).toBe('helper')
    await driver.openApp('com.android.settings', SOON)
    const row = phone.screenNodes().find(({ text }) => text === 'Connected devices')
    await driver.tap({ x: 500, y: row?.bounds.top ?? 0 }, SOON)
    const dump = await source.dump(SOON)
    expect(dump.outcome === 'ok' && dump.xml.includes('checkable="true"')).toBe(true)
    expect(source.state).toMatchObject({ source: 'dump', failures: { check_states: 1 } })
    await source.dump(SOON)
    expect(source.state.failures).toEqual({ check_states: 1 })
    await driver.keyevent('home', SOON)
    await source.dump(SOON)
    expect(source.state.source).toBe('dump')
    await source.dump(SOON)
    expect(source.state.source).toBe('helper')
  })

  test.each([
    ['helperKilled', 'unreachable'],
    ['helperPortClosed', 'unreachable'],
    ['helperTruncated', 'invalid_answer'],
    ['helperFailed', 'reported_error'],
    ['helperBlind', 'no_active_window'],
  ] as const)('%s: the screen is dumped in the same call, and the report says %s', async (fault: FaultName, reason) => {
    const { phone, source } = await connectPrepared(kind)
    phone.faults.set(fault, 1)
    expect(await source.dump(SOON)).toMatchObject({ outcome: 'ok' })
    expect(source.state).toMatchObject({ source: 'dump', failures: { [reason]: 1 }, lastFailure: { kind: reason } })
  })

  test('after a failure the helper rests, and a new connection tries it at once', async () => {
    const { phone, source } = await connectPrepared(kind)
    phone.faults.set('helperFailed')
    await source.dump(SOON)
    await source.dump(SOON)
    expect(source.state.failures).toEqual({ reported_error: 1 })
    phone.faults.clear()
    await source.reset()
    await source.dump(SOON)
    expect(source.state.source).toBe('helper')
  })

  test('the helper does not run on without readings, so that others can read screens', async () => {
    const { phone, shell, device, target } = await connect(kind)
    await prepareDevice(target, [apks.snapshot], SOON)
    const source = new FastSource(shell, device, { idleMs: 50 })
    await source.dump(SOON)
    expect(source.state.source).toBe('helper')
    await eventually(
      () => run(phone, 'uiautomator dump /dev/tty'),
      ({ stdout }) => stdout.includes('</hierarchy>'),
    )
  })

  test('the helper is used only on a phone that was prepared, in the pinned version', async () => {
    const { phone, source, shell, target } = await connect(kind)
    await source.dump(SOON)
    expect(source.state).toMatchObject({ source: 'dump', failures: {} })
    const others = await buildHelperApks(20_000)
    await expect(prepareDevice(target, [others.snapshot], SOON)).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
    expect((await run(phone, 'pm list packages com.callstack')).stdout).toBe('')
    await prepareDevice({ ...target, helpers: pinBuiltApks(others) }, [], SOON)
    await source.reset()
    await source.dump(SOON)
    expect(source.state.source).toBe('dump')
    expect((await shell.run('settings get global apprentice_helpers', SOON)).stdout.toString()).toBe('0.21.5\n')
  })

  test('a refused installation is reported, and nothing is marked as prepared', async () => {
    const { phone, target } = await connect(kind)
    phone.faults.set('installRefused', 1)
    await expect(prepareDevice(target, [apks.snapshot], SOON)).rejects.toMatchObject({
      code: 'INSTALL_FAILED',
      detail: expect.stringContaining('INSTALL_FAILED_USER_RESTRICTED'),
    })
    phone.faults.set('helperFailed', 1)
    await expect(prepareDevice(target, [apks.snapshot], SOON)).rejects.toMatchObject({ detail: 'reported_error' })
    expect((await run(phone, 'settings get global apprentice_helpers')).stdout).toBe('null\n')
  })

  test('unprepare removes the helpers and the mark, and restores the keyboard', async () => {
    const { phone, target } = await connectPrepared(kind)
    await leaveHelperKeyboard(phone)
    expect(await unprepareDevice(target, SOON)).toEqual({ preparedVersion: undefined, installed: {} })
    expect((await run(phone, 'pm list packages com.callstack')).stdout).toBe('')
    expect((await run(phone, 'settings list global')).stdout).not.toContain('apprentice')
    expect((await run(phone, 'settings list secure')).stdout).not.toContain('apprentice')
    expect((await run(phone, 'settings get secure default_input_method')).stdout.trim()).toBe(BUILT_IN)
  })

  test('text that has no keys arrives exactly, and the keyboard is as before', async () => {
    const { phone, driver } = await connectPrepared(kind)
    await openTitle(phone)
    await driver.enterText('ë Ö 😀 你好 "$(id)"', SOON)
    expect(phone.screenNodes().find(({ focused }) => focused)?.text).toBe('ë Ö 😀 你好 "$(id)"')
    expect((await run(phone, 'settings get secure default_input_method')).stdout.trim()).toBe(BUILT_IN)
    expect((await run(phone, 'settings list secure')).stdout).not.toContain('apprentice')
  })

  test('a keyboard that is refused types nothing, and text with keys is still typed', async () => {
    const { phone, driver } = await connectPrepared(kind)
    await openTitle(phone)
    phone.faults.set('keyboardRefused', 1)
    await expect(driver.enterText('ë', SOON)).rejects.toMatchObject({ code: 'TEXT_UNSUPPORTED' })
    expect((await run(phone, 'settings get secure default_input_method')).stdout.trim()).toBe(BUILT_IN)
    await driver.enterText('plain', SOON)
    expect(phone.screenNodes().find(({ focused }) => focused)?.text).toBe('plain')
  })

  test('without the helper such text is refused before anything is typed', async () => {
    const { phone, driver } = await connect(kind)
    await openTitle(phone)
    await expect(driver.enterText('a ë', SOON)).rejects.toMatchObject({ code: 'TEXT_UNSUPPORTED', detail: 'U+00EB' })
    expect(phone.screenNodes().find(({ focused }) => focused)?.text).toBe('Title')
  })

  test('a process that ends while it types leaves a note, from which the next one restores the keyboard', async () => {
    const { phone, shell, driver, device, rig } = await connectPrepared(kind)
    await openTitle(phone)
    phone.faults.hangCommand(/am broadcast/)
    const typing = driver.enterText('Ö', SOON)
    typing.catch(() => {})
    await eventually(
      () => phone.faults.hungCommands,
      (count) => count > 0,
    )
    shell.close()
    await expect(typing).rejects.toMatchObject({ kind: 'aborted' })
    phone.faults.clear()
    expect((await run(phone, 'settings get secure default_input_method')).stdout).toContain(IME_PACKAGE)
    const next = new DeviceShell(rig.client, device.serial)
    onTestFinished(() => next.close())
    expect(await restoreNotedKeyboard(next, SOON)).toBe(true)
    expect((await run(phone, 'settings get secure default_input_method')).stdout.trim()).toBe(BUILT_IN)
  })

  test('a keyboard that a killed process left selected is restored from the note on the phone', async () => {
    const { phone, shell, driver } = await connectPrepared(kind)
    expect(await restoreNotedKeyboard(shell, SOON)).toBe(false)
    await leaveHelperKeyboard(phone)
    expect(await restoreNotedKeyboard(shell, SOON)).toBe(true)
    expect((await run(phone, 'settings get secure default_input_method')).stdout.trim()).toBe(BUILT_IN)
    await leaveHelperKeyboard(phone)
    await openTitle(phone)
    await driver.enterText('Ö', SOON)
    expect((await run(phone, 'settings get secure default_input_method')).stdout.trim()).toBe(BUILT_IN)
  })
})

/** What is left when the process ends after it switched the keyboard. */
async function leaveHelperKeyboard(phone: Phone): Promise<void> {
  const service = `${IME_PACKAGE}/.TestInputMethodService`
  await run(
    phone,
    `settings put secure apprentice_previous_keyboard ${BUILT_IN}; ime enable ${service}; ime set ${service}`,
  )
  expect((await run(phone, 'settings get secure default_input_method')).stdout.trim()).toBe(service)
}

async function openTitle(phone: Phone): Promise<void> {
  await run(phone, `am start -n ${NOTES}/.NoteEditorActivity`)
  const { left = 0, top = 0 } = phone.screenNodes().find(({ text }) => text === 'Title')?.bounds ?? {}
  await run(phone, `input tap ${left + 50} ${top + 50}`)
}
