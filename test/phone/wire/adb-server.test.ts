import { setTimeout as sleep } from 'node:timers/promises'
import * as fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { type AdbServer, startAdbServer } from '@apprentice/phone/wire/adb-server.ts'
import { eventually, openSockets } from './polling.ts'
import { askHost, openHost, openPhone, readShell, shell } from './host-client.ts'
import { type TinyPhone, tinyPhone } from './tiny-phone.ts'

test('with two phones, a request that names none is refused in the words of adb', async () => {
  const { face } = await start(['one', 'two'])
  const ask = (request: string) => askHost(face.port, request)
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
  face.removeHost('one')
  face.removeHost('two')
  await expect(ask('host:get-state')).rejects.toThrow(/^no devices\/emulators found$/)
  expect(await ask('host:devices')).toBe('')
})

test('a tracking client is told every change, once', async () => {
  const { face } = await start(['one'])
  const tracker = await track(face.port)
  expect(await tracker.counted()).toBe('one\tdevice\n')
  face.addHost(tinyPhone({ serial: 'two' }))
  expect(await tracker.counted()).toBe('one\tdevice\ntwo\tdevice\n')
  face.setDeviceState('one', 'device')
  face.setDeviceState('one', 'offline')
  expect(await tracker.counted()).toBe('one\toffline\ntwo\tdevice\n')
  face.faultsFor('two').set({ unauthorized: true })
  expect(await tracker.counted()).toBe('one\toffline\ntwo\tunauthorized\n')
  face.faultsFor('two').clear()
  expect(await tracker.counted()).toBe('one\toffline\ntwo\tdevice\n')
  face.removeHost('one')
  expect(await tracker.counted()).toBe('two\tdevice\n')
})

test('a phone can vanish without a word to those who track', async () => {
  const { face } = await start(['one'])
  const tracker = await track(face.port)
  expect(await tracker.counted()).toBe('one\tdevice\n')
  const stream = await openPhone({ port: face.port, serial: 'one' }, 'shell,v2,raw:sleep 30')
  const waiting = await openHost(face.port)
  waiting.send('host-serial:one:wait-for-any-disconnect')
  expect(await waiting.status()).toBeUndefined()
  let told = false
  const next = tracker.counted().then((list) => {
    told = true
    return list
  })
  face.setDeviceState('one', 'offline', { quiet: true })
  expect((await readShell(stream)).code).toBeUndefined()
  expect(await waiting.status()).toBeUndefined()
  expect(await askHost(face.port, 'host:devices')).toBe('one\toffline\n')
  await sleep(50)
  expect(told).toBe(false)
  face.removeHost('one')
  expect(await next).toBe('')
})

test('a phone that is away is refused; when it is back it answers', async () => {
  const { face } = await start(['one'])
  const target = { port: face.port, serial: 'one' }
  face.setDeviceState('one', 'offline')
  await expect(openPhone(target, 'shell:true')).rejects.toThrow(/^device offline$/)
  face.setDeviceState('one', 'unauthorized')
  await expect(openPhone(target, 'shell:true')).rejects.toThrow(
    /^device unauthorized\.\nThis adb server's \$ADB_VENDOR_KEYS is not set\n/,
  )
  const waiting = await openHost(face.port)
  waiting.send('host:wait-for-any-device')
  expect(await waiting.status()).toBeUndefined()
  face.setDeviceState('one', 'device')
  expect(await waiting.status()).toBeUndefined()
  expect((await shell(target, 'exit 7')).code).toBe(7)
})

test('a phone that leaves between the switch and the service is offline', async () => {
  const { face, phones } = await start(['one'])
  const host = await openHost(face.port)
  host.send('host:transport:one')
  expect(await host.status()).toBeUndefined()
  face.removeHost('one')
  host.send('shell,v2,raw:true')
  expect(await host.status()).toBe('device offline (transport offline)')
  expect(phones[0]?.ran).toEqual([])
})

test('what is sent together with the switch is lost, as with adb itself', async () => {
  const { face, phones } = await start(['one'])
  const host = await openHost(face.port)
  host.socket.write('0012host:transport:one000Bexec:echo a')
  expect(await host.status()).toBeUndefined()
  await sleep(60)
  expect(phones[0]?.ran).toEqual([])
  host.send('exec:echo b')
  expect(await host.status()).toBeUndefined()
  expect((await host.reader.take(2))?.toString()).toBe('b\n')
})

test('faults of one phone leave the other alone; faults of the face meet both', async () => {
  const { face } = await start(['one', 'two'])
  const open = (serial: string) => openPhone({ port: face.port, serial }, 'exec:true')
  face.faultsFor('one').set({ refuseOpen: true })
  await expect(open('one')).rejects.toThrow(/^closed$/)
  ;(await open('two')).close()
  face.faultsFor('one').clear()
  face.faults.set({ refuseOpen: true })
  await expect(open('one')).rejects.toThrow(/^closed$/)
  await expect(open('two')).rejects.toThrow(/^closed$/)
})

test('a frozen server answers nobody until it thaws', async () => {
  const { face } = await start(['one'])
  const tracker = await track(face.port)
  expect(await tracker.counted()).toBe('one\tdevice\n')
  face.faults.set({ freeze: true })
  let answered = false
  const version = askHost(face.port, 'host:version').finally(() => {
    answered = true
  })
  face.removeHost('one')
  await sleep(80)
  expect(answered).toBe(false)
  face.faults.clear()
  expect(await version).toBe('0029')
  expect(await tracker.counted()).toBe('')
})

test('the embedded server does not let itself be killed', async () => {
  const { face } = await start(['one'])
  await expect(askHost(face.port, 'host:kill')).rejects.toThrow('stays up')
  expect(await askHost(face.port, 'host:version')).toBe('0029')
})

test('stop is the death of the server, start its return on the same port', async () => {
  const { face } = await start(['one'])
  const tracker = await track(face.port)
  expect(await tracker.counted()).toBe('one\tdevice\n')
  await face.stop()
  expect(await tracker.counted()).toBe('eof')
  await expect(openHost(face.port)).rejects.toThrow('ECONNREFUSED')
  await face.start()
  expect(await askHost(face.port, 'host:devices')).toBe('one\tdevice\n')
})

test('cut with reset is a reset for the client', async () => {
  const { face } = await start(['one'])
  const stream = await openPhone({ port: face.port, serial: 'one' }, 'shell,v2,raw:sleep 30')
  const broken = new Promise<string>((resolve) => {
    stream.socket.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? ''))
  })
  face.cut({ reset: true })
  expect(await broken).toBe('ECONNRESET')
})

test('two phones with one serial, and talk of an unknown one, are mistakes', async () => {
  const { face } = await start(['one'])
  expect(() => face.addHost(tinyPhone({ serial: 'one' }))).toThrow('taken')
  expect(() => face.removeHost('two')).toThrow('two')
  expect(() => face.setDeviceState('two', 'offline')).toThrow('two')
  expect(() => face.faultsFor('two')).toThrow('two')
})

test('after close no socket is left and no command runs', async () => {
  const before = openSockets()
  const { face, phones } = await start(['one'])
  await track(face.port)
  await openHost(face.port)
  await openPhone({ port: face.port, serial: 'one' }, 'shell,v2,raw:sleep 30')
  await eventually(() => phones[0]?.running).toBe(1)
  await face.close()
  expect(face.connections).toBe(0)
  await eventually(() => phones[0]?.running).toBe(0)
  await eventually(openSockets).toBeLessThanOrEqual(before)
})

test('finished conversations leave no connection open', async () => {
  const { face } = await start(['one'])
  const target = { port: face.port, serial: 'one' }
  const results = await Promise.all(Array.from({ length: 20 }, () => shell(target, 'exit 7')))
  expect(results.every((result) => result.code === 7)).toBe(true)
  await eventually(() => face.connections).toBe(0)
})

test('a client that never closes its side is let go', async () => {
  const { face } = await start(['one'])
  const host = await openHost(face.port)
  host.socket.allowHalfOpen = true
  host.send('host:version')
  expect(await host.status()).toBeUndefined()
  await eventually(() => face.connections).toBe(0)
})

test('whatever a client sends, the next one is served', async () => {
  const { face, phones } = await start(['one'])
  const framed = (text: string) => `${text.length.toString(16).padStart(4, '0')}${text}`
  const words = fc.constantFrom(
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
      words.map((text) => Buffer.from(text, 'latin1')),
      fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.from(bytes)),
    ),
    { maxLength: 8 },
  )
  await fc.assert(
    fc.asyncProperty(noise, fc.boolean(), async (chunks, patient) => {
      const host = await openHost(face.port)
      for (const chunk of chunks) {
        host.socket.write(chunk)
        if (patient) await sleep(1)
      }
      expect(await askHost(face.port, 'host:devices')).toBe('one\tdevice\n')
      host.close()
    }),
    { numRuns: 60 },
  )
  await eventually(() => face.connections).toBe(0)
  await eventually(() => phones[0]?.running).toBe(0)
})

async function start(
  serials: readonly string[],
): Promise<{ face: AdbServer; phones: TinyPhone[] }> {
  const phones = serials.map((serial) => tinyPhone({ serial }))
  const face = await startAdbServer({ hosts: phones })
  onTestFinished(() => face.close())
  return { face, phones }
}

async function track(port: number) {
  const host = await openHost(port)
  host.send('host:track-devices')
  expect(await host.status()).toBeUndefined()
  return host
}
