import { setTimeout as sleep } from 'node:timers/promises'
import * as fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { type AdbdDevice, type AdbdDeviceOptions, startAdbdDevice } from '@apprentice/phone/wire/adbd-device.ts'
import { encodePacket, PACKET_COMMAND } from '@apprentice/phone/wire/packet.ts'
import { eventually, openSockets } from './polling.ts'
import { openPackets, openConnected } from './packet-client.ts'
import { type TinyPhone, patternBytes, tinyPhone } from './tiny-phone.ts'
import { countRuns } from '../../kit/count-runs.ts'

const { connect, open, okay, write, close } = PACKET_COMMAND

test('the answer to CONNECT has the banner, features and limits of the phone', async () => {
  const { adbd } = await start()
  const client = await openPackets(adbd.port)
  client.send(connect, 0x01000001, 4096, 'host::')
  const answer = await client.next()
  expect(answer).toMatchObject({ command: connect, arg0: 0x01000001, arg1: 1024 * 1024 })
  expect(answer?.payload.toString()).toBe(
    'device::ro.product.name=tiny_product;ro.product.model=Tiny Phone (one);ro.product.device=tiny;features=shell_v2,cmd,stat_v2,ls_v2',
  )
})

test('the phone sends nothing and runs nothing before CONNECT', async () => {
  const { adbd, phone } = await start()
  const client = await openPackets(adbd.port)
  client.send(open, 1, 0, 'exec:true\0')
  await sleep(80)
  expect(client.waiting).toBe(0)
  expect(phone.ran).toEqual([])
})

test('each stream has one unacknowledged write, within the payload limit of both sides', async () => {
  const { adbd } = await start()
  const client = await openConnected(adbd.port, { maxPayload: 1000 })
  client.send(open, 9, 0, 'exec:bytes 2500\0')
  expect(await client.next()).toMatchObject({ command: okay, arg1: 9 })
  const parts: Buffer[] = []
  for (const length of [1000, 1000, 500]) {
    const packet = await client.next()
    expect(packet).toMatchObject({ command: write, arg1: 9 })
    expect(packet?.payload).toHaveLength(length)
    await sleep(30)
    expect(client.waiting).toBe(0)
    parts.push(packet?.payload ?? Buffer.alloc(0))
    client.send(okay, 9, packet?.arg0 ?? 0)
  }
  expect(Buffer.concat(parts).equals(patternBytes(2500))).toBe(true)
  expect(await client.next()).toMatchObject({ command: close, arg1: 9 })
})

test('input is acknowledged when the command consumes it', async () => {
  const { adbd } = await start()
  const client = await openConnected(adbd.port)
  client.send(open, 1, 0, 'exec:sleep 30\0')
  const asleep = await client.next()
  client.send(write, 1, asleep?.arg0 ?? 0, 'abc')
  await sleep(60)
  expect(client.waiting).toBe(0)
  client.send(open, 2, 0, 'exec:cat\0')
  const awake = await client.next()
  client.send(write, 2, awake?.arg0 ?? 0, 'abc')
  expect(await client.next()).toMatchObject({ command: okay, arg1: 2 })
  const echoed = await client.next()
  expect(echoed?.payload.toString()).toBe('abc')
})

test('a second write before the acknowledgement closes the stream but not the connection', async () => {
  const { adbd, phone } = await start()
  const client = await openConnected(adbd.port)
  client.send(open, 1, 0, 'exec:sleep 30\0')
  const opened = await client.next()
  client.send(write, 1, opened?.arg0 ?? 0, 'abc')
  client.send(write, 1, opened?.arg0 ?? 0, 'def')
  expect(await client.next()).toMatchObject({ command: close, arg1: 1 })
  await eventually(() => phone.running).toBe(0)
  client.send(open, 2, 0, 'exec:echo alive\0')
  expect(await client.next()).toMatchObject({ command: okay, arg1: 2 })
})

test('CLOSE is answered with CLOSE and ends the command, and unknown streams are ignored', async () => {
  const { adbd, phone } = await start()
  const client = await openConnected(adbd.port)
  for (const command of [okay, write, close]) client.send(command, 77, 78, 'x')
  client.send(open, 5, 0, 'shell,v2,raw:sleep 30\0')
  const opened = await client.next()
  expect(opened).toMatchObject({ command: okay, arg1: 5 })
  await eventually(() => phone.running).toBe(1)
  client.send(close, 5, opened?.arg0 ?? 0)
  expect(await client.next()).toMatchObject({ command: close, arg0: opened?.arg0, arg1: 5 })
  await eventually(() => phone.running).toBe(0)
  expect(client.waiting).toBe(0)
})

test('the client can close a request that hangs', async () => {
  const { adbd } = await start()
  const client = await openConnected(adbd.port)
  adbd.faults.set({ hangOpen: true })
  client.send(open, 5, 0, 'exec:true\0')
  await sleep(50)
  expect(client.waiting).toBe(0)
  client.send(close, 5, 0)
  expect(await client.next()).toMatchObject({ command: close, arg1: 5 })
})

test('an invalid header ends the connection and its commands', async () => {
  const { adbd, phone } = await start()
  const client = await openConnected(adbd.port)
  client.send(open, 1, 0, 'exec:sleep 30\0')
  await client.next()
  client.socket.write(Buffer.alloc(24, 0x20))
  expect(await client.next()).toBeUndefined()
  await eventually(() => phone.running).toBe(0)
  await eventually(() => adbd.connections).toBe(0)
})

test('only old protocol versions verify checksums', async () => {
  for (const version of [0x01000000, 0x01000001]) {
    const { adbd, phone } = await start({ version })
    const client = await openConnected(adbd.port)
    const packet = encodePacket({
      command: open,
      arg0: 1,
      arg1: 0,
      payload: Buffer.from('exec:true\0'),
    })
    client.socket.write(packet)
    expect(await client.next()).toMatchObject({ command: okay })
    expect(await client.next()).toMatchObject({ command: close })
    packet.writeUInt32LE(1, 16)
    client.socket.write(packet)
    const answer = await client.next()
    expect(answer?.command).toBe(version === 0x01000000 ? undefined : okay)
    expect(phone.ran).toHaveLength(version === 0x01000000 ? 1 : 2)
  }
})

test('several adb servers can connect, and a second CONNECT closes the streams of its connection', async () => {
  const { adbd, phone } = await start()
  const first = await openConnected(adbd.port)
  const second = await openConnected(adbd.port)
  for (const client of [first, second]) {
    client.send(open, 1, 0, 'exec:sleep 30\0')
    expect(await client.next()).toMatchObject({ command: okay })
  }
  await eventually(() => phone.running).toBe(2)
  first.send(connect, 0x01000001, 4096, 'host::')
  expect(await first.next()).toMatchObject({ command: connect })
  await eventually(() => phone.running).toBe(1)
  expect(second.waiting).toBe(0)
})

test('an unapproved key gets a new challenge and invalid bytes do not authenticate', async () => {
  const { adbd } = await start({ auth: 'ask' })
  const client = await openPackets(adbd.port)
  client.send(connect, 0x01000001, 4096, 'host::')
  const first = await client.next()
  expect(first).toMatchObject({ command: PACKET_COMMAND.auth, arg0: 1 })
  expect(first?.payload).toHaveLength(20)
  client.send(PACKET_COMMAND.auth, 2, 0, patternBytes(256))
  const second = await client.next()
  expect(second).toMatchObject({ command: PACKET_COMMAND.auth, arg0: 1 })
  expect(second?.payload.equals(first?.payload ?? Buffer.alloc(0))).toBe(false)
  client.send(PACKET_COMMAND.auth, 3, 0, 'bm90IGEga2V5 me@here\0')
  client.send(open, 1, 0, 'exec:true\0')
  await sleep(50)
  expect(adbd.approve()).toBe(0)
  expect(client.waiting).toBe(0)
})

test('freeze delays packets in both directions and drops none', async () => {
  const { adbd, phone } = await start()
  const client = await openConnected(adbd.port)
  adbd.faults.set({ freeze: true })
  client.send(open, 1, 0, 'exec:echo thawed\0')
  await sleep(80)
  expect(client.waiting).toBe(0)
  expect(phone.ran).toEqual([])
  adbd.faults.clear()
  expect(await client.next()).toMatchObject({ command: okay })
  expect((await client.next())?.payload.toString()).toBe('thawed\n')
})

test('stop closes the port and start listens on it again', async () => {
  const { adbd } = await start()
  const client = await openConnected(adbd.port)
  await adbd.stop()
  expect(await client.next()).toBeUndefined()
  await expect(openPackets(adbd.port)).rejects.toThrow('ECONNREFUSED')
  await adbd.start()
  await openConnected(adbd.port)
})

test('close closes all sockets and ends all commands', async () => {
  const before = openSockets()
  const { adbd, phone } = await start()
  const clients = [await openConnected(adbd.port), await openConnected(adbd.port)]
  for (const client of clients) client.send(open, 1, 0, 'shell,v2,raw:sleep 30\0')
  await eventually(() => phone.running).toBe(2)
  await adbd.close()
  expect(adbd.connections).toBe(0)
  await eventually(() => phone.running).toBe(0)
  await eventually(openSockets).toBeLessThanOrEqual(before)
})

test('any bytes on one connection leave the phone usable for the next connection', async () => {
  const { adbd } = await start()
  const pieces = fc.oneof(
    fc.uint8Array({ maxLength: 80 }).map((bytes) => Buffer.from(bytes)),
    fc
      .record({
        command: fc.constantFrom(...Object.values(PACKET_COMMAND)),
        arg0: fc.nat(3),
        arg1: fc.nat(3),
        payload: fc
          .oneof(fc.constantFrom('sync:\0', 'shell,v2:\0', 'exec:cat\0', 'x'), fc.string())
          .map((text) => Buffer.from(text)),
      })
      .map(encodePacket),
  )
  await fc.assert(
    fc.asyncProperty(fc.array(pieces, { maxLength: 12 }), fc.boolean(), async (noise, connected) => {
      const client = connected ? await openConnected(adbd.port) : await openPackets(adbd.port)
      for (const bytes of noise) client.socket.write(bytes)
      client.socket.end()
      const next = await openConnected(adbd.port)
      next.send(open, 1, 0, 'exec:echo alive\0')
      expect(await next.next()).toMatchObject({ command: okay })
      expect((await next.next())?.payload.toString()).toBe('alive\n')
      next.socket.destroy()
      client.socket.destroy()
    }),
    { numRuns: countRuns(60) },
  )
  await eventually(() => adbd.connections).toBe(0)
})

async function start(options: Omit<AdbdDeviceOptions, 'host'> = {}): Promise<{ adbd: AdbdDevice; phone: TinyPhone }> {
  const phone = tinyPhone()
  const adbd = await startAdbdDevice({ host: phone, ...options })
  onTestFinished(() => adbd.close())
  return { adbd, phone }
}
