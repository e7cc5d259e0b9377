import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { type AdbdDeviceOptions, startAdbdDevice } from '@apprentice/phone/wire/adbd-device.ts'
import { eventually } from './polling.ts'
import { askHost, openPhone, readShell, shell } from './host-client.ts'
import { realAdbAvailable, startRealAdb } from './real-adb.ts'
import { patternBytes, tinyPhone } from './tiny-phone.ts'

describe.skipIf(!realAdbAvailable())('a real adb server and the adbd face', () => {
  test('an unknown key waits for approval, then is known by its signature alone', async () => {
    const { adb, face, target, state } = await start({ auth: 'ask' })
    expect(await adb.connect(face.port)).toBe(`failed to authenticate to ${target.serial}`)
    await eventually(state).toBe(`${target.serial}\tunauthorized\n`)
    await expect(openPhone(target, 'shell:true')).rejects.toThrow(/^device unauthorized\.\n/)
    expect(face.approve()).toBe(1)
    await eventually(state).toBe(`${target.serial}\tdevice\n`)
    await adb.disconnect(face.port)
    expect(await adb.connect(face.port)).toBe(`connected to ${target.serial}`)
    expect((await shell(target, 'exit 7')).code).toBe(7)
    expect(face.approve()).toBe(0)
  })

  test('a key known from the start gets in, another one never does', async () => {
    const { adb, face, target, state } = await start({ auth: 'known' })
    expect(await adb.connect(face.port)).toBe(`failed to authenticate to ${target.serial}`)
    await eventually(state).toBe(`${target.serial}\tunauthorized\n`)
    expect(face.approve()).toBe(0)
    expect(await state()).toBe(`${target.serial}\tunauthorized\n`)
    const key = await readFile(join(adb.home, '.android', 'adbkey.pub'), 'utf8')
    const friend = await startAdbdDevice({ host: tinyPhone(), auth: 'known', knownKeys: [key] })
    onTestFinished(() => friend.close())
    expect(await adb.connect(friend.port)).toBe(`connected to ${adb.toSerial(friend.port)}`)
    await expect(startAdbdDevice({ host: tinyPhone(), knownKeys: ['no key'] })).rejects.toThrow('key')
  })

  test('an old phone with checksums and small packets works as well', async () => {
    const { adb, face, target, phone } = await start({ version: 0x01000000, maxPayload: 4096 })
    expect(await adb.connect(face.port)).toBe(`connected to ${target.serial}`)
    const input = patternBytes(100_000)
    const result = await shell(target, 'cat', input)
    expect(result.stdout.equals(input)).toBe(true)
    const source = join(adb.home, '.android', 'adbkey.pub')
    expect((await adb.cli(['push', source, '/sdcard/key'])).code).toBe(0)
    expect(phone.files.read('/sdcard/key')?.equals(await readFile(source))).toBe(true)
  })

  test('the death of the server ends its commands on the phone; a new one knows no phones', async () => {
    const { adb, face, target, phone, state } = await start()
    await adb.connect(face.port)
    const host = await openPhone(target, 'shell,v2,raw:sleep 30')
    await eventually(() => phone.running).toBe(1)
    await adb.kill()
    expect((await readShell(host)).code).toBeUndefined()
    await eventually(() => phone.running).toBe(0)
    await eventually(() => face.connections).toBe(0)
    await adb.restart()
    expect(await state()).toBe('')
    expect(await adb.connect(face.port)).toBe(`connected to ${target.serial}`)
    expect((await shell(target, 'exit 7')).code).toBe(7)
  })

  test('a phone that leaves is offline at once and back after disconnect and connect', async () => {
    const { adb, face, target, state } = await start()
    await adb.connect(face.port)
    const host = await openPhone(target, 'shell,v2,raw:sleep 30')
    await face.stop()
    expect((await readShell(host)).code).toBeUndefined()
    expect(await state()).toBe(`${target.serial}\toffline\n`)
    await face.start()
    await adb.disconnect(face.port)
    expect(await adb.connect(face.port)).toBe(`connected to ${target.serial}`)
    expect((await shell(target, 'exit 7')).code).toBe(7)
  })
})

async function start(options: Omit<AdbdDeviceOptions, 'host'> = {}) {
  const phone = tinyPhone()
  const face = await startAdbdDevice({ host: phone, ...options })
  onTestFinished(() => face.close())
  const adb = await startRealAdb()
  onTestFinished(() => adb.stop())
  const target = { port: adb.port, serial: adb.toSerial(face.port) }
  return { adb, face, phone, target, state: () => askHost(adb.port, 'host:devices') }
}
