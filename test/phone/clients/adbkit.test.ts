import { EventEmitter } from 'node:events'
import { Readable } from 'node:stream'
import * as library from '@devicefarmer/adbkit'
import type { Client, DeviceClient } from '@devicefarmer/adbkit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { realAdbAvailable } from '../wire/real-adb.ts'
import { startClientRig, type ClientRig } from './client-rig.ts'

const adbkit = ('Client' in (library as object) ? library : library.default) as { readonly Client: typeof Client }
const NOTES = 'org.apprentice.notes'

describe.skipIf(!realAdbAvailable())('adbkit', () => {
  let rig: ClientRig
  let client: Client
  let device: DeviceClient

  beforeAll(async () => {
    rig = await startClientRig()
    client = new adbkit.Client({ port: rig.adbPort, bin: '/bin/false' })
    device = client.getDevice(rig.serial)
  })
  afterAll(() => rig.stop())

  async function output(command: string): Promise<string> {
    const chunks: Buffer[] = []
    for await (const chunk of await device.shell(command)) chunks.push(chunk as Buffer)
    return Buffer.concat(chunks).toString()
  }

  test('lists devices, properties, features and packages', async () => {
    expect(await client.listDevices()).toMatchObject([{ id: rig.serial, type: 'device' }])
    expect(await device.getProperties()).toMatchObject({ 'ro.build.version.sdk': '34', 'sys.boot_completed': '1' })
    expect(await device.getFeatures()).toMatchObject({ 'android.hardware.touchscreen': true })
    expect(await device.getPackages()).toContain(NOTES)
    expect(await device.isInstalled(NOTES)).toBe(true)
    expect(await device.isInstalled('no.such')).toBe(false)
    expect(await device.getState()).toBe('device')
  })

  test('waits until the phone has started, with a loop of the shell', async () => {
    expect(await device.waitBootComplete()).toBe(true)
  })

  test('starts activities, and says why one cannot be started', async () => {
    await device.startActivity({
      component: `${NOTES}/.NoteListActivity`,
      action: 'android.intent.action.MAIN',
      category: 'android.intent.category.LAUNCHER',
      flags: 0x10000000,
      extras: { text: 'a b', count: 3, flag: true },
    })
    expect(rig.phone.foreground()).toMatchObject({ packageName: NOTES })
    await expect(device.startActivity({ component: `${NOTES}/.None` })).rejects.toThrow(/does not exist/)
    await expect(device.startService({ component: `${NOTES}/.Service`, user: 0 })).rejects.toThrow(
      'Not found; no service started',
    )
  })

  test('takes a picture, clears an app and fails to clear another', async () => {
    const chunks: Buffer[] = []
    for await (const chunk of await device.screencap()) chunks.push(chunk as Buffer)
    expect(Buffer.concat(chunks).subarray(1, 4).toString()).toBe('PNG')
    expect(await device.clear(NOTES)).toBe(true)
    await expect(device.clear('no.such')).rejects.toThrow('could not be cleared')
  })

  test('reads the binary log', async () => {
    await output('logcat -c; log -p w -t Adbkit "one line"')
    const reader: object = await device.openLogcat()
    if (!(reader instanceof EventEmitter)) throw new Error('no log')
    const entry = await new Promise<unknown>((resolve) => void reader.once('entry', resolve))
    expect(entry).toMatchObject({ priority: 5, tag: 'Adbkit', message: 'one line' })
  })

  test('pushes, lists, stats and pulls files', async () => {
    const push = await device.push(Readable.from([Buffer.from('pushed')]), '/sdcard/Download/a.txt', 0o644)
    await new Promise((resolve, reject) => void push.once('end', resolve).once('error', reject))
    expect(await device.stat('/sdcard/Download/a.txt')).toMatchObject({ size: 6 })
    expect((await device.readdir('/sdcard/Download')).map(({ name }) => name)).toEqual(['a.txt'])
    const chunks: Buffer[] = []
    for await (const chunk of await device.pull('/sdcard/Download/a.txt')) chunks.push(chunk as Buffer)
    expect(Buffer.concat(chunks).toString()).toBe('pushed')
  })

  test('reverses and forwards ports', async () => {
    expect(await device.reverse('tcp:8081', 'tcp:4000')).toBe(true)
    expect(await device.listReverses()).toMatchObject([{ remote: 'tcp:8081', local: 'tcp:4000' }])
    expect(await device.forward('tcp:0', 'localabstract:x').catch((error: Error) => error.message)).toBe(true)
    expect(await device.listForwards()).toMatchObject([{ serial: rig.serial, remote: 'localabstract:x' }])
  })

  test('root is refused as on a phone that was sold', async () => {
    await expect(device.root()).rejects.toThrow('adbd cannot run as root in production builds')
  })

  test('a script in the old shell has its own language', async () => {
    expect(await output('for i in 1 2; do echo $i; done | while read n; do echo "<$n>"; done')).toBe('<1>\n<2>\n')
  })
})
