import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { type AdbdDeviceOptions, startAdbdDevice } from '@apprentice/phone/wire/adbd-device.ts'
import { eventually } from './polling.ts'
import { askHost, openPhone, readShell, shell } from './host-client.ts'
import { realAdbAvailable, startRealAdb } from './real-adb.ts'
import { patternBytes, tinyPhone } from './tiny-phone.ts'

describe.skipIf(!realAdbAvailable())('a real adb server and the adbd device', () => {
  test('an unknown key waits for approval, then its signature is accepted', async () => {
    const { adb, adbd, target, state } = await start({ auth: 'ask' })
    expect(await adb.connect(adbd.port)).toBe(`failed to authenticate to ${target.serial}`)
    await eventually(state).toBe(`${target.serial}\tunauthorized\n`)
    await expect(openPhone(target, 'shell:true')).rejects.toThrow(/^device unauthorized\.\n/)
    expect(adbd.approve()).toBe(1)
    await eventually(state).toBe(`${target.serial}\tdevice\n`)
    await adb.disconnect(adbd.port)
    expect(await adb.connect(adbd.port)).toBe(`connected to ${target.serial}`)
    expect((await shell(target, 'exit 7')).code).toBe(7)
    expect(adbd.approve()).toBe(0)
  })

  test('a known key is accepted and an unknown key stays unauthorized', async () => {
    const { adb, adbd, target, state } = await start({ auth: 'known' })
    expect(await adb.connect(adbd.port)).toBe(`failed to authenticate to ${target.serial}`)
    await eventually(state).toBe(`${target.serial}\tunauthorized\n`)
    expect(adbd.approve()).toBe(0)
    expect(await state()).toBe(`${target.serial}\tunauthorized\n`)
    const key = await readFile(join(adb.home, '.android', 'adbkey.pub'), 'utf8')
    const other = await startAdbdDevice({ host: tinyPhone(), auth: 'known', knownKeys: [key] })
    onTestFinished(() => other.close())
    expect(await adb.connect(other.port)).toBe(`connected to ${adb.toSerial(other.port)}`)
    await expect(startAdbdDevice({ host: tinyPhone(), knownKeys: ['no key'] })).rejects.toThrow('key')
  })

  test('an old phone with checksums and small packets works', async () => {
    const { adb, adbd, target, phone } = await start({ version: 0x01000000, maxPayload: 4096 })
    expect(await adb.connect(adbd.port)).toBe(`connected to ${target.serial}`)
    const input = patternBytes(100_000)
    const result = await shell(target, 'cat', input)
    expect(result.stdout.equals(input)).toBe(true)
    const source = join(adb.home, '.android', 'adbkey.pub')
    expect((await adb.cli(['push', source, '/sdcard/key'])).code).toBe(0)
    expect(phone.files.read('/sdcard/key')?.equals(await readFile(source))).toBe(true)
  })

  test('a killed server ends its commands on the phone, and a new server lists no phones', async () => {
    const { adb, adbd, target, phone, state } = await start()
    await adb.connect(adbd.port)
    const host = await openPhone(target, 'shell,v2,raw:sleep 30')
    await eventually(() => phone.running).toBe(1)
    await adb.kill()
    expect((await readShell(host)).code).toBeUndefined()
    await eventually(() => phone.running).toBe(0)
    await eventually(() => adbd.connections).toBe(0)
    await adb.restart()
    expect(await state()).toBe('')
    expect(await adb.connect(adbd.port)).toBe(`connected to ${target.serial}`)
    expect((await shell(target, 'exit 7')).code).toBe(7)
  })

  test('a stopped phone is offline, and online again after disconnect and connect', async () => {
    const { adb, adbd, target, state } = await start()
    await adb.connect(adbd.port)
    const host = await openPhone(target, 'shell,v2,raw:sleep 30')
    await adbd.stop()
    expect((await readShell(host)).code).toBeUndefined()
    expect(await state()).toBe(`${target.serial}\toffline\n`)
    await adbd.start()
    // The server also tries to reconnect by itself, and a disconnection during such an attempt has no effect.
    const connectAgain = async () => {
      await adb.disconnect(adbd.port)
      return adb.connect(adbd.port)
    }
    await eventually(connectAgain).toBe(`connected to ${target.serial}`)
    expect((await shell(target, 'exit 7')).code).toBe(7)
  })
})

async function start(options: Omit<AdbdDeviceOptions, 'host'> = {}) {
  const phone = tinyPhone()
  const adbd = await startAdbdDevice({ host: phone, ...options })
  onTestFinished(() => adbd.close())
  const adb = await startRealAdb()
  onTestFinished(() => adb.stop())
  const target = { port: adb.port, serial: adb.toSerial(adbd.port) }
  return { adb, adbd, phone, target, state: () => askHost(adb.port, 'host:devices') }
}
