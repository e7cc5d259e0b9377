import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { MarkedOutput } from '../../../src/devices/shell/marked-output.ts'
import { encodeShellPacket, SHELL_PACKET, ShellV2Decoder } from '../../../src/devices/shell/shell-v2.ts'
import { TransportFailure } from '../../../src/devices/adb/transport-failure.ts'

test('packets are decoded independently of the chunk boundaries', () => {
  const packet = fc.record({ id: fc.constantFrom(1, 2), data: fc.uint8Array({ maxLength: 40 }) })
  fc.assert(
    fc.property(fc.array(packet), fc.array(fc.nat({ max: 9 })), fc.nat({ max: 255 }), (packets, cuts, code) => {
      const stream = Buffer.concat([
        ...packets.map(({ id, data }) => encodeShellPacket(id, Buffer.from(data))),
        encodeShellPacket(SHELL_PACKET.exit, Buffer.of(code)),
      ])
      const expected = (id: number) =>
        Buffer.concat(packets.filter((each) => each.id === id).map(({ data }) => Buffer.from(data)))
      const read = decode(stream, cuts)
      expect(read.stdout.equals(expected(1))).toBe(true)
      expect(read.stderr.equals(expected(2))).toBe(true)
      expect(read.exits).toEqual([code])
    }),
  )
})

test('an invalid packet is a protocol error', () => {
  for (const noise of ['9aaaa', '\x01\xff\xff\xff\xff']) {
    expect(() => decode(Buffer.from(noise, 'latin1'), [])).toThrow(TransportFailure)
  }
})

test('the marker is found independently of the chunk boundaries', () => {
  const nonce = '0123456789abcdef'
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 60 }), fc.array(fc.nat({ max: 7 })), (bytes, cuts) => {
      const body = Buffer.from(bytes)
      const output = new MarkedOutput(nonce)
      const stream = Buffer.concat([body, Buffer.from(`${nonce}:137\nlate`)])
      for (const chunk of cut(stream, cuts)) output.push(chunk)
      expect(output.ended).toBe(true)
      expect(output.code).toBe(137)
      expect(output.output().equals(body)).toBe(true)
    }),
  )
})

test('an incomplete marker does not end the output', () => {
  const output = new MarkedOutput('nonce')
  output.push(Buffer.from('data nonce:1'))
  expect(output.ended).toBe(false)
  output.push(Buffer.from('2'))
  expect(output.ended).toBe(false)
  output.push(Buffer.from('\r\n'))
  expect(output.code).toBe(12)
  expect(output.output().toString()).toBe('data ')
})

function decode(stream: Buffer, cuts: readonly number[]) {
  const stdout: Buffer[] = []
  const stderr: Buffer[] = []
  const exits: number[] = []
  const decoder = new ShellV2Decoder({
    stdout: (data) => void stdout.push(data),
    stderr: (data) => void stderr.push(data),
    exit: (code) => void exits.push(code),
  })
  for (const chunk of cut(stream, cuts)) decoder.push(chunk)
  return { stdout: Buffer.concat(stdout), stderr: Buffer.concat(stderr), exits }
}

/** Splits the stream at the given lengths. */
function cut(stream: Buffer, lengths: readonly number[]): readonly Buffer[] {
  const pieces: Buffer[] = []
  let rest = stream
  for (const length of lengths) {
    pieces.push(rest.subarray(0, length))
    rest = rest.subarray(length)
  }
  return [...pieces, rest]
}
