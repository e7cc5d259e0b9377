import { describe, expect, onTestFinished, test } from 'vitest'
import { AndroidDriver } from '../../../src/devices/driver/android-driver.ts'
import { Presence } from '../../../src/devices/presence/presence.ts'
import type { PresenceOptions } from '../../../src/devices/presence/presence.ts'
import type { DeviceStateChange } from '../../../src/devices/presence/device-state.ts'
import type { DeviceState } from '../../../src/devices/presence/device-state.ts'
import type { PhoneHost } from '@apprentice/phone/host/host.ts'
import { eventually, SOON, transportFailure } from './outcomes.ts'
import { rigKinds } from './rigs.ts'
import type { Rig } from './rigs.ts'
import { startShellPhone } from './shell-phone.ts'

const QUICK = {
  listIntervalMs: 300,
  // A slow answer on a busy machine must not count as unresponsive.
  listTimeoutMs: 1500,
  probeIntervalMs: 300,
  probeTimeoutMs: 1500,
  serverBackoff: { firstMs: 20, maxMs: 100 },
  connectBackoff: { firstMs: 50, maxMs: 300 },
}

describe.each(rigKinds)('over $name', (kind) => {
  test('present devices are reported first, once each', async () => {
    const phones = [await startShellPhone('one'), await startShellPhone('two')]
    const rig = await kind.start(phones)
    const { presence, changes } = watch(rig)
    await presence.start()
    const present = (serial: string) => ({
      serial,
      state: 'device',
      previous: undefined,
      cause: 'present',
    })
    const expected = phones.map((phone) => present(rig.serial(phone)))
    expect(changes.toSorted(bySerial)).toEqual(expected.toSorted(bySerial))
    await eventually(() => phones.every((phone) => phone.shellsOpened > 0), Boolean)
    expect(changes).toHaveLength(2)
  })

  test('a lost device is detected by its stream, and its return is reported', async () => {
    const phone = await startShellPhone('one')
    const other = await startShellPhone('two')
    const rig = await kind.start([phone, other])
    // Neither list nor probe run again within this test.
    const calm = { listIntervalMs: 600_000, probeIntervalMs: 600_000 }
    const { presence, changes, getState, becomes } = watch(rig, { timing: { ...QUICK, ...calm } })
    await presence.start()
    await eventually(
      () => phone.shellsOpened,
      (opened) => opened > 0,
    )
    await rig.vanish(phone)
    await eventually(
      () => getState(phone),
      (state) => state !== 'device',
    )
    expect(['gone', 'offline']).toContain(getState(phone))
    await rig.comeBack(phone)
    expect(await becomes(phone, 'device')).toBe('device')
    expect(getState(other)).toBe('device')
    expect(changes.filter(({ serial }) => serial === rig.serial(other))).toHaveLength(1)
    const { stdout } = await presence.shell(rig.serial(phone)).run('echo back', SOON)
    expect(stdout.toString()).toBe('back\n')
  })

  test('a device that drops its streams and stays is not reported as gone for good', async () => {
    const phone = await startShellPhone('one')
    const rig = await kind.start([phone])
    const { presence, becomes } = watch(rig)
    await presence.start()
    await eventually(
      () => phone.shellsOpened,
      (opened) => opened > 0,
    )
    const before = phone.shellsOpened
    await rig.cut(phone)
    await eventually(
      () => phone.shellsOpened,
      (opened) => opened > before,
    )
    expect(await becomes(phone, 'device')).toBe('device')
  })

  test('a flapping device ends in its actual state', async () => {
    const phone = await startShellPhone('one')
    const rig = await kind.start([phone])
    const { presence, becomes } = watch(rig)
    await presence.start()
    for (let round = 0; round < 4; round += 1) {
      await rig.vanish(phone)
      await pauseMs(60)
      await rig.comeBack(phone)
      await pauseMs(60)
    }
    expect(await becomes(phone, 'device')).toBe('device')
    const shell = presence.shell(rig.serial(phone))
    await eventually(
      () => shell.run('echo', SOON).then(({ exitCode }) => exitCode, String),
      (exitCode) => exitCode === 0,
    )
  })

  test('an unauthorized device is reported, and so is its authorization', async () => {
    const phone = await startShellPhone('one')
    const rig = await kind.start([phone])
    const { presence, becomes } = watch(rig)
    await presence.start()
    await rig.faults(phone, { unauthorized: true })
    await rig.cut(phone)
    expect(await becomes(phone, 'unauthorized')).toBe('unauthorized')
    await rig.faults(phone, 'none')
    expect(await becomes(phone, 'device')).toBe('device')
  })

  test('a device that does not answer is unresponsive until it answers again', async () => {
    const phone = await startShellPhone('one')
    const rig = await kind.start([phone])
    const { presence, getState, becomes } = watch(rig)
    await presence.start()
    await eventually(
      () => phone.shellsOpened,
      (opened) => opened > 0,
    )
    await rig.faults(phone, { freeze: true })
    await eventually(
      () => getState(phone),
      (state) => state !== 'device',
    )
    await rig.faults(phone, 'none')
    expect(await becomes(phone, 'device')).toBe('device')
  })

  test('a device without shell_v2 is watched too', async () => {
    const phone = await startShellPhone('one')
    const rig = await kind.start([phone])
    await rig.faults(phone, { noShellV2: true })
    const { presence, getState } = watch(rig)
    await presence.start()
    await rig.vanish(phone)
    await eventually(
      () => getState(phone),
      (state) => state === 'gone' || state === 'offline',
    )
    expect(phone.shellsOpened).toBe(0)
  })

  test('a dead server makes all devices gone, its return restores them', async () => {
    const phones = [await startShellPhone('one'), await startShellPhone('two')]
    const rig = await kind.start(phones)
    const { presence, changes, servers, getState } = watch(rig)
    await presence.start()
    await rig.killServer()
    await eventually(
      () => phones.map((phone) => getState(phone)),
      (states) => states.every((state) => state === 'gone'),
    )
    expect(changes.filter(({ cause }) => cause === 'server_down')).toHaveLength(2)
    expect(presence.serverUp).toBe(false)
    await rig.restartServer()
    await eventually(
      () => phones.map((phone) => getState(phone)),
      (states) => states.every((state) => state === 'device'),
    )
    expect(servers).toEqual(['up', 'down', 'up'])
  })

  test('a server that does not answer counts as down until it answers', async () => {
    const phone = await startShellPhone('one')
    const rig = await kind.start([phone])
    const { presence, servers, becomes } = watch(rig)
    await presence.start()
    rig.proxy.hold()
    expect(await becomes(phone, 'gone')).toBe('gone')
    rig.proxy.release()
    expect(await becomes(phone, 'device')).toBe('device')
    expect(servers).toEqual(['up', 'down', 'up'])
  })

  test('a server that is down at the start is retried', async () => {
    const phone = await startShellPhone('one')
    const rig = await kind.start([phone])
    await rig.proxy.shut()
    const { presence, changes, servers, becomes } = watch(rig)
    await presence.start()
    expect(changes).toEqual([])
    expect(servers).toEqual(['down'])
    await rig.proxy.open()
    expect(await becomes(phone, 'device')).toBe('device')
  })

  test('after stop nothing is reported and no socket remains', async () => {
    const phone = await startShellPhone('one')
    const rig = await kind.start([phone])
    const { presence, changes } = watch(rig)
    await presence.start()
    await eventually(
      () => phone.shellsOpened,
      (opened) => opened > 0,
    )
    const hung = transportFailure(presence.shell(rig.serial(phone)).run('sleep 60', SOON))
    presence.stop()
    expect((await hung).kind).toBe('aborted')
    const count = changes.length
    await rig.vanish(phone)
    await eventually(
      () => rig.proxy.connections,
      (open) => open === 0,
    )
    expect(changes).toHaveLength(count)
  })

  test('connected devices are listed, and a call to an absent one fails', async () => {
    const phone = await startShellPhone('one')
    const rig = await kind.start([phone])
    const { presence } = watch(rig)
    await presence.start()
    expect(presence.devices()).toEqual([{ serial: rig.serial(phone), state: 'device' }])
    const absent = { server: rig.server, serial: 'absent' }
    const tapped = new AndroidDriver(presence.shell('absent'), absent).tap({ x: 1, y: 1 }, SOON)
    expect((await transportFailure(tapped)).kind).toBe('device_not_found')
  })

  function watch(rig: Rig, extra: Partial<PresenceOptions> = {}) {
    const changes: DeviceStateChange[] = []
    const servers: string[] = []
    const presence = new Presence({
      server: rig.server,
      timing: QUICK,
      onStateChange: (change) => changes.push(change),
      onServer: (state) => servers.push(state),
      ...extra,
    })
    onTestFinished(() => presence.stop())
    const getState = (phone: PhoneHost) => presence.devices().find(({ serial }) => serial === rig.serial(phone))?.state
    const becomes = (phone: PhoneHost, expected: DeviceState) =>
      eventually(
        () => getState(phone),
        (state) => state === expected,
      )
    return { presence, changes, servers, getState, becomes }
  }
})

function bySerial(a: { serial: string }, b: { serial: string }): number {
  return a.serial.localeCompare(b.serial)
}

function pauseMs(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
