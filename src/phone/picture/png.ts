import { promisify } from 'node:util'
import { crc32, deflate } from 'node:zlib'
import type { Picture } from './picture.ts'

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
const UP_FILTER = 2
const compress = promisify(deflate)

/** Encodes a picture as an RGBA PNG, the format of Android screenshots. */
export async function encodePng(picture: Picture): Promise<Buffer> {
  const { width, height } = picture
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, 6, 0, 0, 0], 8)
  const data = await compress(filterRows(picture.readPixels(), width, height), { level: 1 })
  return Buffer.concat([SIGNATURE, chunk('IHDR', header), chunk('IDAT', data), chunk('IEND', Buffer.alloc(0))])
}

/** Applies the PNG filter "Up": each row is its difference to the row above. */
function filterRows(pixels: Buffer, width: number, height: number): Buffer {
  const stride = width * 4
  const rows = Buffer.alloc((stride + 1) * height)
  const values = toWords(pixels)
  const difference = new Uint32Array(width)
  const bytes = new Uint8Array(difference.buffer)
  for (let y = 0; y < height; y += 1) {
    const start = y * (stride + 1)
    rows[start] = UP_FILTER
    const at = y * stride
    if (y === 0) pixels.copy(rows, 1, 0, stride)
    else if (pixels.compare(pixels, at - stride, at, at, at + stride) !== 0) {
      subtractRow(values, y * width, difference)
      rows.set(bytes, start + 1)
    }
  }
  return rows
}

function toWords({ buffer, byteOffset, length }: Buffer): Uint32Array {
  if (byteOffset % 4 === 0) return new Uint32Array(buffer, byteOffset, length / 4)
  return new Uint32Array(buffer.slice(byteOffset, byteOffset + length))
}

/** Subtracts the row above from a row: four bytes at a time, each without a carry to the next. */
function subtractRow(values: Uint32Array, at: number, difference: Uint32Array): void {
  const width = difference.length
  for (let x = 0; x < width; x += 1) {
    const here = values[at + x] ?? 0
    const above = values[at - width + x] ?? 0
    difference[x] = ((here | 0x80808080) - (above & 0x7f7f7f7f)) ^ ((here ^ ~above) & 0x80808080)
  }
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const framed = Buffer.alloc(body.length + 8)
  framed.writeUInt32BE(data.length, 0)
  body.copy(framed, 4)
  framed.writeUInt32BE(crc32(body), body.length + 4)
  return framed
}
