import { describe, expect, onTestFinished, test } from 'vitest'
import { Presence } from '../../../src/devices/presence/presence.ts'
import type { PresenceOptions } from '../../../src/devices/presence/presence.ts'
import type { DeviceState } from '../../../src/devices/presence/device-state.ts'
import { TcpDevices } from '../../../src/devices/presence/tcp-devices.ts'
import { startAdbdDevice } from '@apprentice/phone/wire/adbd-device.ts'
import { realAdbAvailable, startRealAdb } from '../../phone/wire/real-adb.ts'
import { eventually } from './outcomes.ts'
import { startServerProxy } from './server-proxy.ts'
import { startShellPhone } from './shell-phone.ts'

const SERIAL = '192.0.2.7:5600'

test('a lost device is reconnected with exponential backoff', async () => {
  const { tcp, attempts } = createTcpDevices()
  tcp.setServerState('up')
  tcp.update({ serial: SERIAL, state: 'device', previous: undefined, cause: 'listed' })
  expect(attempts).toEqual([])
  tcp.update({ serial: SERIAL, state: 'offline', previous: 'device', cause: 'listed' })
  await eventually(
    () => attempts.length,
    (count) => count >= 3,
  )
  tcp.update({ serial: SERIAL, state: 'device', previous: 'offline', cause: 'listed' })
  const count = attempts.length
  await pauseMs(120)
  expect(attempts).toHaveLength(count)
})

test('a device disconnected on purpose is not reconnected, unless it is pinned', async () => {
  const loose = createTcpDevices()
  const pinned = createTcpDevices([SERIAL])
  for (const { tcp } of [loose, pinned]) {
    tcp.setServerState('up')
    tcp.update({ serial: SERIAL, state: 'device', previous: undefined, cause: 'listed' })
    tcp.update({ serial: SERIAL, state: 'gone', previous: 'device', cause: 'listed' })
  }
  await eventually(
    () => pinned.attempts.length,
    (count) => count > 0,
  )
  await pauseMs(60)
  expect(loose.attempts).toEqual([])
})

test('devices are reconnected only while the server is up', async () => {
  const { tcp, attempts } = createTcpDevices()
  tcp.setServerState('up')
  tcp.update({ serial: SERIAL, state: 'device', previous: undefined, cause: 'listed' })
  tcp.setServerState('down')
  tcp.update({ serial: SERIAL, state: 'gone', previous: 'device', cause: 'server_down' })
  await pauseMs(60)
  expect(attempts).toEqual([])
  tcp.setServerState('up')
  const [first] = await eventually(
    () => attempts,
    (list) => list.length > 0,
  )
  expect(first).toBe(SERIAL)
})

test('devices that are not on TCP are ignored', async () => {
  const { tcp, attempts } = createTcpDevices()
  tcp.setServerState('up')
  for (const serial of ['R58M123ABC', 'emulator-5554', 'adb-x._adb-tls-connect._tcp']) {
    tcp.update({ serial, state: 'device', previous: undefined, cause: 'listed' })
    tcp.update({ serial, state: 'offline', previous: 'device', cause: 'listed' })
  }
  await pauseMs(60)
  expect(attempts).toEqual([])
})

describe.runIf(realAdbAvailable())('with a real adb server', () => {
  test('a device named in the options is connected, also to a restarted server', async () => {
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

  test('a device that left its network silently is reconnected', async () => {
    const { adb, face } = await realPhone()
    const network = await startServerProxy(face)
    onTestFinished(() => network.shut())
    const serial = adb.toSerial(network.port)
    await adb.connect(network.port)
    const { becomes } = await watch(adb.port, {})
    expect(await becomes(serial, 'device')).toBe('device')
    network.hold('pass')
    expect(await becomes(serial, 'unresponsive')).toBe('unresponsive')
    expect(await becomes(serial, 'device')).toBe('device')
  })
})

function createTcpDevices(pinned: readonly string[] = []) {
  const attempts: string[] = []
  const tcp = new TcpDevices(pinned, { firstMs: 5, maxMs: 40 }, async (serial) => {
    attempts.push(serial)
    throw new Error('not there')
  })
  onTestFinished(() => tcp.stop())
  return { tcp, attempts }
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
    onStateChange: (change) => seen.push(change),
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
  /** Waits for the next change to this state. */
  const becomes = async (serial: string, state: DeviceState) => {
    const find = () => seen.findIndex((each, at) => at >= from && each.serial === serial && each.state === state)
    from = 1 + (await eventually(find, (at) => at >= 0))
    return seen[from - 1]?.state
  }
  return { presence, becomes }
}

function pauseMs(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
