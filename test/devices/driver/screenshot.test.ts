import { crc32, deflateSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { parseScreencap } from '../../../src/devices/driver/screenshot.ts'

const PNG = buildPng(3, 2)

test('a complete image is accepted with its size', () => {
  const shot = parseScreencap(PNG)
  expect(shot).toMatchObject({ width: 3, height: 2 })
  expect(shot.png.equals(PNG)).toBe(true)
})

test('a warning before the image and bytes after it are removed', () => {
  const warning = Buffer.from('[Warning] Multiple displays were found, but no display id was given!\n')
  const shot = parseScreencap(Buffer.concat([warning, PNG, Buffer.from('\n')]))
  expect(shot.png.equals(PNG)).toBe(true)
})

test('an image cut at any byte is refused', () => {
  for (let length = 0; length < PNG.length; length += 1) {
    expect(() => parseScreencap(PNG.subarray(0, length)), `${length} bytes`).toThrow(
      expect.objectContaining({ code: 'SCREENSHOT_FAILED' }) as Error,
    )
  }
})

test('a damaged image is refused', () => {
  for (const at of [20, 45, PNG.length - 3]) {
    const damaged = Buffer.from(PNG)
    damaged.writeUInt8((damaged.readUInt8(at) ^ 0xff) & 0xff, at)
    expect(() => parseScreencap(damaged), `byte ${at}`).toThrow(/incomplete or damaged/)
  }
})

test('output instead of an image is reported as detail', () => {
  expect(() => parseScreencap(Buffer.from('Capturing failed.\n'))).toThrow(
    expect.objectContaining({ detail: 'Capturing failed.\n' }) as Error,
  )
})

function buildPng(width: number, height: number): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, 2, 0, 0, 0], 8)
  const rows = deflateSync(Buffer.alloc((width * 3 + 1) * height, 7))
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
  return Buffer.concat([signature, chunk('IHDR', header), chunk('IDAT', rows), chunk('IEND', Buffer.alloc(0))])
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const length = Buffer.alloc(4)
  length.writeUInt32BE(data.length)
  const sum = Buffer.alloc(4)
  sum.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, sum])
}
