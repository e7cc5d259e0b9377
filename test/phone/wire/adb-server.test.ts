import { setTimeout as sleep } from 'node:timers/promises'
import * as fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { type AdbServer, startAdbServer } from '@apprentice/phone/wire/adb-server.ts'
import { eventually, openSockets } from './polling.ts'
import { askHost, openHost, openPhone, readShell, shell } from './host-client.ts'
import { type TinyPhone, tinyPhone } from './tiny-phone.ts'
import { countRuns } from '../../kit/count-runs.ts'

test('with two phones, a request without a serial gets the error message of adb', async () => {
  const { server } = await start(['one', 'two'])
  const ask = (request: string) => askHost(server.port, request)
  await expect(ask('host:get-state')).rejects.toThrow(/^more than one device\/emulator$/)
  await expect(ask('host:transport-any')).rejects.toThrow(/^more than one device\/emulator$/)
  await expect(ask('host-local:get-state')).rejects.toThrow(/^more than one emulator$/)
  await expect(ask('host-usb:get-state')).rejects.toThrow(/^no devices found$/)
  await expect(ask('host-serial:three:get-state')).rejects.toThrow(/^device 'three' not found$/)
  await expect(ask('host:transport-id:9')).rejects.toThrow(/^no device with transport id '9'$/)
  await expect(ask('host:nonsense')).rejects.toThrow(/^unknown host service$/)
  await expect(ask('shell:true')).rejects.toThrow(/^device offline \(no transport\)$/)
  expect(await ask('host-serial:two:get-serialno')).toBe('two')
  expect(await ask('host-transport-id:2:get-serialno')).toBe('two')
  server.removeHost('one')
  server.removeHost('two')
  await expect(ask('host:get-state')).rejects.toThrow(/^no devices\/emulators found$/)
  expect(await ask('host:devices')).toBe('')
})

test('a tracking client receives every change once', async () => {
  const { server } = await start(['one'])
  const tracker = await track(server.port)
  expect(await tracker.counted()).toBe('one\tdevice\n')
  server.addHost(tinyPhone({ serial: 'two' }))
  expect(await tracker.counted()).toBe('one\tdevice\ntwo\tdevice\n')
  server.setDeviceState('one', 'device')
  server.setDeviceState('one', 'offline')
  expect(await tracker.counted()).toBe('one\toffline\ntwo\tdevice\n')
  server.faultsFor('two').set({ unauthorized: true })
  expect(await tracker.counted()).toBe('one\toffline\ntwo\tunauthorized\n')
  server.faultsFor('two').clear()
  expect(await tracker.counted()).toBe('one\toffline\ntwo\tdevice\n')
  server.removeHost('one')
  expect(await tracker.counted()).toBe('two\tdevice\n')
})

test('a quiet state change is not sent to tracking clients', async () => {
  const { server } = await start(['one'])
  const tracker = await track(server.port)
  expect(await tracker.counted()).toBe('one\tdevice\n')
  const stream = await openPhone({ port: server.port, serial: 'one' }, 'shell,v2,raw:sleep 30')
  const waiting = await openHost(server.port)
  waiting.send('host-serial:one:wait-for-any-disconnect')
  expect(await waiting.status()).toBeUndefined()
  let notified = false
  const next = tracker.counted().then((list) => {
    notified = true
    return list
  })
  server.setDeviceState('one', 'offline', { quiet: true })
  expect((await readShell(stream)).code).toBeUndefined()
  expect(await waiting.status()).toBeUndefined()
  expect(await askHost(server.port, 'host:devices')).toBe('one\toffline\n')
  await sleep(50)
  expect(notified).toBe(false)
  server.removeHost('one')
  expect(await next).toBe('')
})

test('a phone that is offline or unauthorized is refused until it is back', async () => {
  const { server } = await start(['one'])
  const target = { port: server.port, serial: 'one' }
  server.setDeviceState('one', 'offline')
  await expect(openPhone(target, 'shell:true')).rejects.toThrow(/^device offline$/)
  server.setDeviceState('one', 'unauthorized')
  await expect(openPhone(target, 'shell:true')).rejects.toThrow(
    /^device unauthorized\.\nThis adb server's \$ADB_VENDOR_KEYS is not set\n/,
  )
  const waiting = await openHost(server.port)
  waiting.send('host:wait-for-any-device')
  expect(await waiting.status()).toBeUndefined()
  server.setDeviceState('one', 'device')
  expect(await waiting.status()).toBeUndefined()
  expect((await shell(target, 'exit 7')).code).toBe(7)
})

test('a phone removed between transport and service requests is offline', async () => {
  const { server, phones } = await start(['one'])
  const host = await openHost(server.port)
  host.send('host:transport:one')
  expect(await host.status()).toBeUndefined()
  server.removeHost('one')
  host.send('shell,v2,raw:true')
  expect(await host.status()).toBe('device offline (transport offline)')
  expect(phones[0]?.ran).toEqual([])
})

test('bytes sent together with the transport request are dropped', async () => {
  const { server, phones } = await start(['one'])
  const host = await openHost(server.port)
  host.socket.write('0012host:transport:one000Bexec:echo a')
  expect(await host.status()).toBeUndefined()
  await sleep(60)
  expect(phones[0]?.ran).toEqual([])
  host.send('exec:echo b')
  expect(await host.status()).toBeUndefined()
  expect((await host.reader.take(2))?.toString()).toBe('b\n')
})

test('faults of one phone do not affect the other, and faults of the server affect both', async () => {
  const { server } = await start(['one', 'two'])
  const open = (serial: string) => openPhone({ port: server.port, serial }, 'exec:true')
  server.faultsFor('one').set({ refuseOpen: true })
  await expect(open('one')).rejects.toThrow(/^closed$/)
  ;(await open('two')).close()
  server.faultsFor('one').clear()
  server.faults.set({ refuseOpen: true })
  await expect(open('one')).rejects.toThrow(/^closed$/)
  await expect(open('two')).rejects.toThrow(/^closed$/)
})

test('a frozen server sends no answers until the fault is cleared', async () => {
  const { server } = await start(['one'])
  const tracker = await track(server.port)
  expect(await tracker.counted()).toBe('one\tdevice\n')
  server.faults.set({ freeze: true })
  let answered = false
  const version = askHost(server.port, 'host:version').finally(() => {
    answered = true
  })
  server.removeHost('one')
  await sleep(80)
  expect(answered).toBe(false)
  server.faults.clear()
  expect(await version).toBe('0029')
  expect(await tracker.counted()).toBe('')
})

test('the simulated server refuses host:kill', async () => {
  const { server } = await start(['one'])
  await expect(askHost(server.port, 'host:kill')).rejects.toThrow('cannot be killed')
  expect(await askHost(server.port, 'host:version')).toBe('0029')
})

test('stop closes the port and all connections, and start listens on the port again', async () => {
  const { server } = await start(['one'])
  const tracker = await track(server.port)
  expect(await tracker.counted()).toBe('one\tdevice\n')
  await server.stop()
  expect(await tracker.counted()).toBe('eof')
  await expect(openHost(server.port)).rejects.toThrow('ECONNREFUSED')
  await server.start()
  expect(await askHost(server.port, 'host:devices')).toBe('one\tdevice\n')
})

test('cut with reset resets the client connection', async () => {
  const { server } = await start(['one'])
  const stream = await openPhone({ port: server.port, serial: 'one' }, 'shell,v2,raw:sleep 30')
  const broken = new Promise<string>((resolve) => {
    stream.socket.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? ''))
  })
  server.cut({ reset: true })
  expect(await broken).toBe('ECONNRESET')
})

test('a duplicate serial and an unknown serial are errors', async () => {
  const { server } = await start(['one'])
  expect(() => server.addHost(tinyPhone({ serial: 'one' }))).toThrow('the serial one is taken')
  expect(() => server.removeHost('two')).toThrow('two')
  expect(() => server.setDeviceState('two', 'offline')).toThrow('two')
  expect(() => server.faultsFor('two')).toThrow('two')
})

test('close closes all sockets and ends all commands', async () => {
  const before = openSockets()
  const { server, phones } = await start(['one'])
  await track(server.port)
  await openHost(server.port)
  await openPhone({ port: server.port, serial: 'one' }, 'shell,v2,raw:sleep 30')
  await eventually(() => phones[0]?.running).toBe(1)
  await server.close()
  expect(server.connections).toBe(0)
  await eventually(() => phones[0]?.running).toBe(0)
  await eventually(openSockets).toBeLessThanOrEqual(before)
})

test('finished services leave no connection open', async () => {
  const { server } = await start(['one'])
  const target = { port: server.port, serial: 'one' }
  const results = await Promise.all(Array.from({ length: 20 }, () => shell(target, 'exit 7')))
  expect(results.every((result) => result.code === 7)).toBe(true)
  await eventually(() => server.connections).toBe(0)
})

test('a connection is closed when the client does not close its side', async () => {
  const { server } = await start(['one'])
  const host = await openHost(server.port)
  host.socket.allowHalfOpen = true
  host.send('host:version')
  expect(await host.status()).toBeUndefined()
  await eventually(() => server.connections).toBe(0)
})

test('any bytes of one client leave the server usable for the next client', async () => {
  const { server, phones } = await start(['one'])
  const framed = (text: string) => `${text.length.toString(16).padStart(4, '0')}${text}`
  const fragments = fc.constantFrom(
    framed('host:transport:one'),
    framed('host:tport:any'),
    framed('shell,v2,raw:cat'),
    framed('sync:'),
    framed('host:track-devices'),
    'STAT\xff\xff\xff\xff',
    'ffff',
    '000',
  )
  const noise = fc.array(
    fc.oneof(
      fragments.map((text) => Buffer.from(text, 'latin1')),
      fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.from(bytes)),
    ),
    { maxLength: 8 },
  )
  await fc.assert(
    fc.asyncProperty(noise, fc.boolean(), async (chunks, patient) => {
      const host = await openHost(server.port)
      for (const chunk of chunks) {
        host.socket.write(chunk)
        if (patient) await sleep(1)
      }
      expect(await askHost(server.port, 'host:devices')).toBe('one\tdevice\n')
      host.close()
    }),
    { numRuns: countRuns(60) },
  )
  await eventually(() => server.connections).toBe(0)
  await eventually(() => phones[0]?.running).toBe(0)
})

async function start(serials: readonly string[]): Promise<{ server: AdbServer; phones: TinyPhone[] }> {
  const phones = serials.map((serial) => tinyPhone({ serial }))
  const server = await startAdbServer({ hosts: phones })
  onTestFinished(() => server.close())
  return { server, phones }
}

async function track(port: number) {
  const host = await openHost(port)
  host.send('host:track-devices')
  expect(await host.status()).toBeUndefined()
  return host
}
