import { crc32, deflateSync } from 'node:zlib'
import type { Picture } from './picture.ts'

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
/** Larger than most compressed screens, so that they are not assembled from many small pieces. */
const CHUNK_BYTES = 512 * 1024

/**
 * Encodes a picture as an RGBA PNG, the format of Android screenshots. It takes some milliseconds. On another thread it
 * would take longer while the machine is busy, and a live screen waits for each picture.
 */
export function encodePng(picture: Picture): Buffer {
  const { width, height } = picture
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, 6, 0, 0, 0], 8)
  const rows = toUnfilteredRows(picture.readPixels(), width, height)
  const data = deflateSync(rows, { level: 1, chunkSize: CHUNK_BYTES })
  return Buffer.concat([SIGNATURE, chunk('IHDR', header), chunk('IDAT', data), chunk('IEND', Buffer.alloc(0))])
}

/** Puts the byte for the filter "None" before each row. Flat areas compress as well without a filter, and faster. */
function toUnfilteredRows(pixels: Buffer, width: number, height: number): Buffer {
  const stride = width * 4
  const rows = Buffer.allocUnsafe((stride + 1) * height)
  for (let y = 0; y < height; y += 1) {
    const start = y * (stride + 1)
    rows[start] = 0
    pixels.copy(rows, start + 1, y * stride, (y + 1) * stride)
  }
  return rows
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const framed = Buffer.alloc(body.length + 8)
  framed.writeUInt32BE(data.length, 0)
  body.copy(framed, 4)
  framed.writeUInt32BE(crc32(body), body.length + 4)
  return framed
}
