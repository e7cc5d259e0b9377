import { randomBytes } from 'node:crypto'
import { createServer } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { AdbClient } from '../../../src/devices/adb/adb-client.ts'
import { pullFile, pushFile } from '../../../src/devices/shell/adb-files.ts'
import { DeviceShell } from '../../../src/devices/shell/device-shell.ts'
import { toTransportFailure } from '../../../src/devices/adb/transport-failure.ts'
import { eventually, SOON, transportFailure } from './outcomes.ts'
import { rigKinds } from './rigs.ts'
import type { RigKind } from './rigs.ts'
import { startServerProxy } from './server-proxy.ts'
import { startShellPhone } from './shell-phone.ts'

test.each([
  ["device 'x' not found", 'device_not_found'],
  ['no devices/emulators found', 'device_not_found'],
  ['device offline', 'device_offline'],
  ['device offline (transport offline)', 'device_offline'],
  ["device unauthorized.\nThis adb server's $ADB_VENDOR_KEYS is not set", 'device_unauthorized'],
  ['device still connecting', 'device_connecting'],
  ['device still authorizing', 'device_connecting'],
  ['closed', 'stream_refused'],
  ['unknown host service', 'protocol_error'],
] as const)('the refusal %j is classified', (text, kind) => {
  expect(toTransportFailure(text, 'x')).toMatchObject({ kind, serial: 'x', commandSent: false })
})

test('a missing server fails at once, and none is started', async () => {
  const proxy = await startServerProxy({ port: 1 })
  await proxy.shut()
  const client = new AdbClient({ host: '127.0.0.1', port: proxy.port })
  const shell = new DeviceShell(client, 'x')
  onTestFinished(() => shell.close())
  const device = { server: client.server, serial: 'x' }
  const calls = [
    () => client.listDevices(SOON),
    () => client.version(SOON),
    () => shell.run('echo', SOON),
    () => pullFile(device, '/data/x', SOON),
  ]
  for (const call of calls) {
    expect(await transportFailure(call())).toMatchObject({ kind: 'server_down', retryable: true })
  }
})

test('a peer that does not speak adb is a protocol error', async () => {
  const server = createServer((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  const client = new AdbClient({ host: '127.0.0.1', port })
  expect((await transportFailure(client.version(SOON))).kind).toBe('protocol_error')
  expect((await transportFailure(client.listDevices(SOON))).kind).toBe('protocol_error')
})

describe.each(rigKinds)('over $name', (kind) => {
  test('devices are listed in their state', async () => {
    const { rig, phone, serial } = await onePhone(kind)
    expect(await rig.client.listDevices(SOON)).toEqual([{ serial, state: 'device' }])
    expect(await rig.client.version(SOON)).toBeGreaterThan(30)
    await rig.faults(phone, { unauthorized: true })
    await rig.cut(phone)
    await eventually(
      async () => (await rig.client.listDevices(SOON))[0]?.state,
      (state) => state === 'unauthorized',
    )
  })

  test('an unknown serial is not found', async () => {
    const { rig } = await onePhone(kind)
    const stranger = new DeviceShell(rig.client, 'stranger:1')
    onTestFinished(() => stranger.close())
    const failure = await transportFailure(stranger.run('echo', SOON))
    expect(failure).toMatchObject({ kind: 'device_not_found', serial: 'stranger:1' })
  })

  test('an unauthorized device works once it is authorized', async () => {
    const { rig, phone, shell } = await onePhone(kind)
    await rig.faults(phone, { unauthorized: true })
    await rig.cut(phone)
    const failure = await eventually(
      () => transportFailure(shell.run('echo', SOON)),
      ({ kind: found }) => found === 'device_unauthorized',
    )
    expect(failure.retryable).toBe(false)
    await rig.faults(phone, 'none')
    await eventually(
      () => shell.run('echo', SOON).then(({ exitCode }) => exitCode, String),
      (exitCode) => exitCode === 0,
    )
  })

  test('an offline device is reported as offline', async () => {
    const { rig, phone, shell } = await onePhone(kind)
    await rig.faults(phone, { muteConnect: true })
    await rig.cut(phone)
    const failure = await eventually(
      () => transportFailure(shell.run('echo', SOON)),
      ({ kind: found }) => found === 'device_offline' || found === 'device_connecting',
    )
    expect(failure.retryable).toBe(true)
  })

  test('a server that dies during a command is a failure', async () => {
    const { rig, phone, shell } = await onePhone(kind)
    const call = shell.run('echo part; sleep 60', SOON)
    await eventually(
      () => phone.running,
      (running) => running > 0,
    )
    await rig.proxy.shut()
    expect(await transportFailure(call)).toMatchObject({ kind: 'device_lost', commandSent: true })
    await eventually(
      () => transportFailure(shell.run('echo', SOON)),
      ({ kind: found }) => found === 'server_down',
    )
    await rig.proxy.open()
    expect((await shell.run('echo back', SOON)).stdout.toString()).toBe('back\n')
  })

  test('a reset connection is a failure', async () => {
    const { rig, phone, shell } = await onePhone(kind)
    const call = shell.run('echo part; sleep 60', SOON)
    await eventually(
      () => phone.running,
      (running) => running > 0,
    )
    rig.proxy.reset()
    expect(await transportFailure(call)).toMatchObject({ kind: 'device_lost', commandSent: true })
    await eventually(
      () => shell.run('echo', SOON).then(({ exitCode }) => exitCode, String),
      (exitCode) => exitCode === 0,
    )
  })

  test('files arrive byte for byte in both directions', async () => {
    const { rig, device } = await onePhone(kind)
    for (const size of [0, 1, 70_000, 1_500_000]) {
      const data = randomBytes(size)
      await pushFile(device, '/data/local/tmp/file', data, SOON)
      expect((await pullFile(device, '/data/local/tmp/file', SOON)).equals(data)).toBe(true)
    }
    await eventually(
      () => rig.proxy.connections,
      (open) => open === 0,
    )
  })

  test('a missing or forbidden file is an operation failure, not a transport failure', async () => {
    const { device, rig } = await onePhone(kind)
    await expect(pullFile(device, '/data/none', SOON)).rejects.toMatchObject({
      name: 'OperationFailure',
      code: 'FILE_NOT_FOUND',
    })
    await expect(pushFile(device, '/system/x', Buffer.from('x'), SOON)).rejects.toMatchObject({
      name: 'OperationFailure',
      code: 'TRANSFER_FAILED',
    })
    await eventually(
      () => rig.proxy.connections,
      (open) => open === 0,
    )
  })

  test.each([
    ['cut', { dropAfter: 100_000 }],
    ['closed', { truncateAfter: 100_000 }],
  ] as const)('a pull that is %s half-way is a lost device', async (_name, fault) => {
    const { rig, phone, device } = await onePhone(kind)
    await pushFile(device, '/data/local/tmp/file', randomBytes(1_000_000), SOON)
    await rig.faults(phone, fault)
    const failure = await transportFailure(pullFile(device, '/data/local/tmp/file', SOON))
    expect(failure.kind).toBe('device_lost')
    await rig.faults(phone, 'none')
    await eventually(
      () =>
        pullFile(device, '/data/local/tmp/file', SOON).then(
          ({ length }) => length,
          () => 0,
        ),
      (length) => length === 1_000_000,
    )
  })

  test('a transfer that hangs ends with its time limit and leaves no socket open', async () => {
    const { rig, phone, device } = await onePhone(kind)
    await pushFile(device, '/data/local/tmp/file', Buffer.from('x'), SOON)
    await rig.faults(phone, { freeze: true })
    const limits = { timeoutMs: 250 }
    const pull = transportFailure(pullFile(device, '/data/local/tmp/file', limits))
    const push = transportFailure(pushFile(device, '/data/x', randomBytes(200_000), limits))
    expect((await pull).kind).toBe('deadline')
    expect((await push).kind).toBe('deadline')
    await eventually(
      () => rig.proxy.connections,
      (open) => open === 0,
    )
  })
})

async function onePhone(kind: RigKind) {
  const phone = await startShellPhone('phone-1')
  const rig = await kind.start([phone])
  const serial = rig.serial(phone)
  const shell = new DeviceShell(rig.client, serial)
  onTestFinished(() => shell.close())
  return { rig, phone, serial, shell, device: { server: rig.server, serial } }
}
