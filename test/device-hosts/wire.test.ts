import { hash } from 'node:crypto'
import { expect, test } from 'vitest'
import { parseRedisAddress } from '../../src/config/redis-address.ts'
import { ReceivedContents } from '../../src/device-hosts/daemon/received-contents.ts'
import { packContents, unpackContents } from '../../src/device-hosts/wire/contents.ts'
import { printError, readError } from '../../src/device-hosts/wire/errors.ts'
import { Seal } from '../../src/device-hosts/wire/seal.ts'
import { Receiver } from '../../src/device-hosts/wire/sender.ts'
import { formatFullSerial, parseFullSerial } from '../../src/device-hosts/wire/serials.ts'
import { OperationFailure } from '../../src/devices/adb/operation-failure.ts'
import { TransportFailure } from '../../src/devices/adb/transport-failure.ts'
import { hashSecret } from '../../src/http/access.ts'

const CONNECTION = 'connection-1'
const [own, other] = [hashSecret('own token'), hashSecret('other token')]
const seal = (token = own, connection = CONNECTION, direction: 'to_host' | 'to_daemon' = 'to_daemon') =>
  new Seal(token, connection, direction)

test('a message is opened only with the key, the connection, the direction and the place it was written for', () => {
  const sealed = seal().close('text', '1')
  expect(sealed).not.toContain('text')
  expect(Buffer.from(sealed, 'base64').toString('latin1')).not.toContain('text')
  expect(seal().open(sealed, '1')).toBe('text')
  expect(seal(other).open(sealed, '1')).toBeUndefined()
  expect(seal(own, 'connection-2').open(sealed, '1')).toBeUndefined()
  expect(seal(own, CONNECTION, 'to_host').open(sealed, '1')).toBeUndefined()
  expect(seal().open(sealed, '2')).toBeUndefined()
  const changed = Buffer.from(sealed, 'base64')
  changed[changed.length - 1] = (changed.at(-1) ?? 0) ^ 1
  expect(seal().open(changed.toString('base64'), '1')).toBeUndefined()
  expect(seal().open('', '1')).toBeUndefined()
})

test('repeated and foreign entries are dropped, and a missing one is noticed', () => {
  const entry = (number: number, token = own) => ({
    number: String(number),
    sealed: seal(token).close(JSON.stringify([{ number }]), String(number)),
  })
  const receiver = new Receiver(seal())
  expect(receiver.open(entry(1))).toEqual([{ number: 1 }])
  expect(receiver.open(entry(1))).toEqual([])
  expect(receiver.open(entry(2, other))).toEqual([])
  expect(receiver.open({ number: '7', sealed: entry(2).sealed })).toEqual([])
  expect(receiver.open(entry(2))).toEqual([{ number: 2 }])
  expect(() => receiver.open(entry(4))).toThrow('Entry 3 is missing.')
})

test('large contents are sent beside the message, each as often as it is named', async () => {
  const contents = new ReceivedContents()
  const sent: string[] = []
  const value = {
    short: 'text',
    png: Buffer.from([1, 2, 3]),
    list: ['x'.repeat(5000), null, 4],
    again: 'x'.repeat(5000),
    absent: undefined,
  }
  const packed = await packContents(value, async (sha256, bytes) => {
    sent.push(sha256)
    expect(contents.put(sha256, bytes)).toBe(true)
  })
  expect(sent).toHaveLength(3)
  expect(JSON.stringify(packed).length).toBeLessThan(600)
  const crossed: unknown = JSON.parse(JSON.stringify(packed))
  expect(unpackContents(crossed, (sha256) => contents.take(sha256))).toEqual(value)
  expect(() => unpackContents(crossed, (sha256) => contents.take(sha256))).toThrow('was not received')
  expect(contents.put('0'.repeat(64), Buffer.from('another'))).toBe(false)
})

test('a content that arrives in parts, in any order, is whole when its hash is', () => {
  const contents = new ReceivedContents()
  const bytes = Buffer.from('one two three')
  const sha256 = hash('sha256', bytes, 'hex')
  const put = (part: number, from: number, to: number) =>
    contents.putPart({ sha256, part, parts: 3 }, bytes.subarray(from, to))
  expect([put(2, 4, 8), put(2, 4, 8), put(3, 8, 13)]).toEqual([1, 1, 2])
  expect(() => contents.take(sha256)).toThrow('was not received')
  expect(put(1, 0, 4)).toBe(3)
  expect(contents.take(sha256)).toEqual(bytes)
  expect([put(1, 0, 5), put(2, 4, 8), put(3, 8, 13)]).toEqual([1, 2, undefined])
  expect(() => contents.take(sha256)).toThrow('was not received')
})

test('errors of devices keep their class and their facts', () => {
  const lost = readError(printError(new TransportFailure('device_lost', 'lost', { commandSent: true })), 'lab::one')
  expect(lost).toBeInstanceOf(TransportFailure)
  expect(lost).toMatchObject({ kind: 'device_lost', message: 'lost', commandSent: true, serial: 'lab::one' })
  const failed = readError(printError(new OperationFailure('APP_NOT_FOUND', 'no app', 'detail')))
  expect(failed).toBeInstanceOf(OperationFailure)
  expect(failed).toMatchObject({ code: 'APP_NOT_FOUND', message: 'no app', detail: 'detail' })
  const refused = Object.assign(new Error('busy'), { code: 'RECORDING_NOT_IN_PROGRESS' })
  expect(readError(printError(refused))).toMatchObject({ message: 'busy', code: 'RECORDING_NOT_IN_PROGRESS' })
})

test('serials of hosts differ from those of the own adb server', () => {
  expect(parseFullSerial(formatFullSerial('lab', 'emulator-5554'))).toEqual({ host: 'lab', serial: 'emulator-5554' })
  expect(parseFullSerial('lab::[::1]:5555')).toEqual({ host: 'lab', serial: '[::1]:5555' })
  for (const local of ['emulator-5554', '10.0.0.4:5555', '[::1]:5555', 'R58M123ABC', 'host:5555']) {
    expect(parseFullSerial(local)).toBeUndefined()
  }
})

test('addresses of Redis have a prefix of keys, and others are refused', () => {
  expect(parseRedisAddress('redis://127.0.0.1:6379')).toEqual({ url: 'redis://127.0.0.1:6379', prefix: 'apprentice' })
  expect(parseRedisAddress('rediss://ann:secret@redis.example:6380/2?prefix=lab:a')).toEqual({
    url: 'rediss://ann:secret@redis.example:6380/2',
    prefix: 'lab:a',
  })
  for (const wrong of ['', '127.0.0.1:6379', 'http://127.0.0.1', 'redis://', 'redis://a/b', 'redis://a?tls=1']) {
    expect(parseRedisAddress(wrong)).toBeUndefined()
  }
  expect(parseRedisAddress('redis://a?prefix=with%20space')).toBeUndefined()
})
