import { describe, expect, onTestFinished, test } from 'vitest'
import { Presence } from '../../../src/devices/presence/presence.ts'
import type { PresenceOptions } from '../../../src/devices/presence/presence.ts'
import type { DeviceState } from '../../../src/devices/presence/sighting.ts'
import { TcpDevices } from '../../../src/devices/presence/tcp-devices.ts'
import { startAdbdDevice } from '@apprentice/phone/wire/adbd-device.ts'
import { realAdbAvailable, startRealAdb } from '../../phone/wire/real-adb.ts'
import { eventually } from './outcomes.ts'
import { startServerDoor } from './server-door.ts'
import { startShellPhone } from './shell-phone.ts'

const SERIAL = '192.0.2.7:5600'

test('a lost device is tried again with growing pauses until it is there', async () => {
  const { tcp, tries } = watchOne()
  tcp.server('up')
  tcp.seen({ serial: SERIAL, state: 'device', previous: undefined, cause: 'listed' })
  expect(tries).toEqual([])
  tcp.seen({ serial: SERIAL, state: 'offline', previous: 'device', cause: 'listed' })
  await eventually(
    () => tries.length,
    (count) => count >= 3,
  )
  tcp.seen({ serial: SERIAL, state: 'device', previous: 'offline', cause: 'listed' })
  const count = tries.length
  await pauseMs(120)
  expect(tries).toHaveLength(count)
})

test('a device somebody disconnected on purpose is left alone, one that must be kept is not', async () => {
  const loose = watchOne()
  const kept = watchOne([SERIAL])
  for (const { tcp } of [loose, kept]) {
    tcp.server('up')
    tcp.seen({ serial: SERIAL, state: 'device', previous: undefined, cause: 'listed' })
    tcp.seen({ serial: SERIAL, state: 'gone', previous: 'device', cause: 'listed' })
  }
  await eventually(
    () => kept.tries.length,
    (count) => count > 0,
  )
  await pauseMs(60)
  expect(loose.tries).toEqual([])
})

test('nothing is tried while the server is away; afterwards what it forgot is brought back', async () => {
  const { tcp, tries } = watchOne()
  tcp.server('up')
  tcp.seen({ serial: SERIAL, state: 'device', previous: undefined, cause: 'listed' })
  tcp.server('down')
  tcp.seen({ serial: SERIAL, state: 'gone', previous: 'device', cause: 'server_down' })
  await pauseMs(60)
  expect(tries).toEqual([])
  tcp.server('up')
  const [first] = await eventually(
    () => tries,
    (list) => list.length > 0,
  )
  expect(first).toBe(SERIAL)
})

test('devices that are not on TCP are never touched', async () => {
  const { tcp, tries } = watchOne()
  tcp.server('up')
  for (const serial of ['R58M123ABC', 'emulator-5554', 'adb-x._adb-tls-connect._tcp']) {
    tcp.seen({ serial, state: 'device', previous: undefined, cause: 'listed' })
    tcp.seen({ serial, state: 'offline', previous: 'device', cause: 'listed' })
  }
  await pauseMs(60)
  expect(tries).toEqual([])
})

describe.runIf(realAdbAvailable())('with a real adb server', () => {
  test('a device named in the options is connected, kept, and connected to the next server', async () => {
    const { adb, face, serial } = await realPhone()
    const { becomes } = await watch(adb.port, { tcpDevices: [serial] })
    expect(await becomes(serial, 'device')).toBe('device')
    await adb.disconnect(face.port)
    expect(await becomes(serial, 'gone')).toBe('gone')
    expect(await becomes(serial, 'device')).toBe('device')
    await adb.restart()
    expect(await becomes(serial, 'gone')).toBe('gone')
    expect(await becomes(serial, 'device')).toBe('device')
  })

  test('a device that left its network without a word is connected anew', async () => {
    const { adb, face } = await realPhone()
    const network = await startServerDoor(face)
    onTestFinished(() => network.shut())
    const serial = adb.toSerial(network.port)
    await adb.connect(network.port)
    const { becomes } = await watch(adb.port, {})
    expect(await becomes(serial, 'device')).toBe('device')
    network.hold('let through')
    expect(await becomes(serial, 'unresponsive')).toBe('unresponsive')
    expect(await becomes(serial, 'device')).toBe('device')
  })
})

function watchOne(kept: readonly string[] = []) {
  const tries: string[] = []
  const tcp = new TcpDevices(kept, { firstMs: 5, maxMs: 40 }, async (serial) => {
    tries.push(serial)
    throw new Error('not there')
  })
  onTestFinished(() => tcp.stop())
  return { tcp, tries }
}

async function realPhone() {
  const adb = await startRealAdb()
  const phone = await startShellPhone('one')
  const face = await startAdbdDevice({ host: phone })
  onTestFinished(async () => {
    await adb.stop()
    await face.close()
  })
  return { adb, face, serial: adb.toSerial(face.port) }
}

async function watch(port: number, options: Partial<PresenceOptions>) {
  const seen: { serial: string; state: DeviceState }[] = []
  const presence = new Presence({
    server: { host: '127.0.0.1', port },
    onSighting: (sighting) => seen.push(sighting),
    timing: {
      listIntervalMs: 200,
      probeIntervalMs: 200,
      probeTimeoutMs: 200,
      serverBackoff: { firstMs: 20, maxMs: 100 },
      connectBackoff: { firstMs: 50, maxMs: 300 },
    },
    ...options,
  })
  onTestFinished(() => presence.stop())
  await presence.start()
  let from = 0
  /** The next time the device is seen in this state, counted from the last one waited for. */
  const becomes = async (serial: string, state: DeviceState) => {
    const find = () =>
      seen.findIndex((each, at) => at >= from && each.serial === serial && each.state === state)
    from = 1 + (await eventually(find, (at) => at >= 0))
    return seen[from - 1]?.state
  }
  return { presence, becomes }
}

function pauseMs(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
