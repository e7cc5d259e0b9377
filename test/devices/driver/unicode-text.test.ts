import { describe, expect, onTestFinished, test } from 'vitest'
import { AndroidDriver } from '../../../src/devices/driver/android-driver.ts'
import { DeviceShell } from '../../../src/devices/shell/device-shell.ts'
import { eventually, SOON, transportFailure } from './outcomes.ts'
import { rigKinds } from './rigs.ts'
import type { RigKind } from './rigs.ts'
import { startShellPhone } from './shell-phone.ts'

const ADB_KEYBOARD = 'com.android.adbkeyboard/.AdbIME'
const OWN_KEYBOARD = 'com.google.android.inputmethod.latin/com.android.inputmethod.latin.LatinIME'

describe.each(rigKinds)('over $name', (kind) => {
  test('text without keys is typed by the ADB keyboard, and the previous keyboard is restored', async () => {
    const { phone, driver } = await phoneWith(kind, { am: 'echo "Broadcast completed: result=0"' })
    const text = 'Grüße 日本 😀 "quoted" $(id)\nline'
    await driver.enterText(text, SOON)
    const [broadcast] = await phone.calls('am')
    expect(broadcast?.slice(0, 5)).toEqual(['broadcast', '-a', 'ADB_INPUT_B64', '--es', 'msg'])
    expect(Buffer.from(broadcast?.[5] ?? '', 'base64').toString('utf8')).toBe(text)
    expect(await phone.calls('input')).toEqual([])
    expect(await keyboardSwitches(phone)).toEqual([ADB_KEYBOARD, OWN_KEYBOARD])
  })

  test('the previous keyboard is restored after a failure', async () => {
    const { phone, driver } = await phoneWith(kind, { am: 'echo "Error: no such user"; exit 1' })
    await expect(driver.enterText('日本', SOON)).rejects.toMatchObject({ code: 'COMMAND_FAILED' })
    expect(await keyboardSwitches(phone)).toEqual([ADB_KEYBOARD, OWN_KEYBOARD])
  })

  test('the previous keyboard is restored within the time limit if the device hangs', async () => {
    const { phone, driver } = await phoneWith(kind, { am: 'sleep 60' })
    const failure = await transportFailure(driver.enterText('日本', { timeoutMs: 3000 }))
    expect(failure).toMatchObject({ kind: 'deadline', commandSent: true })
    expect(await keyboardSwitches(phone)).toEqual([ADB_KEYBOARD, OWN_KEYBOARD])
  })

  test('the previous keyboard is restored after an abort', async () => {
    const { phone, driver } = await phoneWith(kind, { am: 'sleep 60' })
    const abort = new AbortController()
    const call = driver.enterText('日本', { timeoutMs: 20_000, signal: abort.signal })
    const failure = transportFailure(call)
    await eventually(
      () => phone.calls('am'),
      (calls) => calls.length > 0,
    )
    abort.abort()
    expect((await failure).kind).toBe('aborted')
    expect(await keyboardSwitches(phone)).toEqual([ADB_KEYBOARD, OWN_KEYBOARD])
  })

  test('without an ADB keyboard the text is refused before anything is typed or switched', async () => {
    const { phone, driver } = await phoneWith(kind, { ime: `echo ${OWN_KEYBOARD}` })
    await expect(driver.enterText('plain and 日本', SOON)).rejects.toMatchObject({
      name: 'OperationFailure',
      code: 'TEXT_UNSUPPORTED',
      detail: 'U+65E5',
    })
    expect(await phone.calls('input')).toEqual([])
    expect(await keyboardSwitches(phone)).toEqual([])
  })

  test('the keyboard is not switched if it could not be restored', async () => {
    const { phone, driver } = await phoneWith(kind, { settings: 'echo null' })
    await expect(driver.enterText('日本', SOON)).rejects.toMatchObject({ code: 'TEXT_UNSUPPORTED' })
    expect(await keyboardSwitches(phone)).toEqual([])
  })
})

async function phoneWith(kind: RigKind, scripts: Readonly<Record<string, string>>) {
  const phone = await startShellPhone('phone-1', {
    ime: `if [ "$1" = list ]; then echo ${OWN_KEYBOARD}; echo ${ADB_KEYBOARD}; fi`,
    settings: `echo ${OWN_KEYBOARD}`,
    input: '',
    am: '',
    ...scripts,
  })
  const rig = await kind.start([phone])
  const serial = rig.serial(phone)
  const shell = new DeviceShell(rig.client, serial)
  onTestFinished(() => shell.close())
  return { phone, driver: new AndroidDriver(shell, { server: rig.server, serial }) }
}

async function keyboardSwitches(phone: Awaited<ReturnType<typeof startShellPhone>>) {
  const calls = await phone.calls('ime')
  return calls.filter(([verb]) => verb === 'set').map(([, keyboard]) => keyboard)
}
