import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  type Packet,
  PacketDecoder,
  PacketError,
  createBrokenPacket,
  computeChecksum,
  encodePacket,
  PACKET_COMMAND,
  MAX_PAYLOAD_BYTES,
} from '@apprentice/phone/wire/packet.ts'

const anyPacket = fc.record({
  command: fc.constantFrom(...Object.values(PACKET_COMMAND)),
  arg0: fc.nat(0xffffffff),
  arg1: fc.nat(0xffffffff),
  payload: fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
})

test('packets are decoded from any division into chunks', () => {
  fc.assert(
    fc.property(
      fc.array(anyPacket, { maxLength: 8 }),
      fc.array(fc.integer({ min: 1, max: 200 }), { minLength: 1, maxLength: 20 }),
      (packets, lengths) => {
        const bytes = Buffer.concat(packets.map(encodePacket))
        const decoded = decode(cut(bytes, lengths))
        expect(decoded.map(({ checksum: _, ...packet }) => packet)).toEqual(packets)
        expect(decoded.map((packet) => packet.checksum)).toEqual(
          packets.map((packet) => computeChecksum(packet.payload)),
        )
      },
    ),
  )
})

test('packets before an invalid header are delivered, those after it are not', () => {
  const good = { command: PACKET_COMMAND.okay, arg0: 1, arg1: 2, payload: Buffer.from('x') }
  const bytes = Buffer.concat([encodePacket(good), createBrokenPacket(), encodePacket(good)])
  const decoder = new PacketDecoder()
  const seen: Packet[] = []
  expect(() => {
    for (const packet of decoder.push(bytes)) seen.push(packet)
  }).toThrow(PacketError)
  expect(seen).toHaveLength(1)
})

test('a payload above the limit is rejected from its header', () => {
  const bytes = encodePacket({
    command: PACKET_COMMAND.write,
    arg0: 1,
    arg1: 1,
    payload: Buffer.alloc(0),
  })
  bytes.writeUInt32LE(MAX_PAYLOAD_BYTES + 1, 12)
  expect(() => decode([bytes])).toThrow(PacketError)
})

test('invalid bytes cause a PacketError or wait for more bytes', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (noise) => {
      try {
        expect(decode([Buffer.from(noise)]).length).toBeLessThanOrEqual(noise.length / 24)
      } catch (error) {
        if (!(error instanceof PacketError)) throw error
      }
    }),
  )
})

function decode(chunks: readonly Buffer[]): Packet[] {
  const decoder = new PacketDecoder()
  return chunks.flatMap((chunk) => [...decoder.push(chunk)])
}

function cut(bytes: Buffer, lengths: readonly number[]): Buffer[] {
  const chunks: Buffer[] = []
  for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
    const length = lengths[turn % lengths.length] ?? 1
    chunks.push(bytes.subarray(at, at + length))
    at += length
  }
  return chunks
}
