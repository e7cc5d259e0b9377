import { promisify } from 'node:util'
import { crc32, deflate } from 'node:zlib'
import type { Canvas } from './canvas.ts'

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
const UP_FILTER = 2
const compress = promisify(deflate)

/** Encodes a canvas as an RGBA PNG, the format of Android screenshots. */
export async function encodePng(canvas: Canvas): Promise<Buffer> {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(canvas.width, 0)
  header.writeUInt32BE(canvas.height, 4)
  header.set([8, 6, 0, 0, 0], 8)
  const data = await compress(filteredRows(canvas), { level: 1 })
  return Buffer.concat([SIGNATURE, chunk('IHDR', header), chunk('IDAT', data), chunk('IEND', Buffer.alloc(0))])
}

/** Converts a canvas to four bytes per pixel, row by row. */
export function toRgba(canvas: Canvas): Buffer {
  const data = Buffer.alloc(canvas.pixels.length * 4)
  for (const [at, number] of canvas.pixels.entries()) {
    data.writeUInt32BE((((canvas.colors[number] ?? 0) << 8) | 0xff) >>> 0, at * 4)
  }
  return data
}

/** Applies the PNG filter "Up": each row is its difference to the row above. */
function filteredRows(canvas: Canvas): Buffer {
  const stride = canvas.width * 4
  const rows = Buffer.alloc((stride + 1) * canvas.height)
  const colors = canvas.colors.map((value) => [value >> 16, (value >> 8) & 0xff, value & 0xff])
  const row = (y: number): Uint8Array => canvas.pixels.subarray(y * canvas.width, (y + 1) * canvas.width)
  let above = new Uint8Array(canvas.width)
  for (let y = 0; y < canvas.height; y += 1) {
    const here = row(y)
    const start = y * (stride + 1)
    rows[start] = UP_FILTER
    if (y > 0 && Buffer.compare(here, above) === 0) continue
    for (let x = 0; x < canvas.width; x += 1) {
      const [now, before] = [here[x] ?? 0, above[x] ?? 0]
      if (y > 0 && now === before) continue
      const at = start + 1 + x * 4
      for (let part = 0; part < 3; part += 1) {
        const old = y === 0 ? 0 : (colors[before]?.[part] ?? 0)
        rows[at + part] = ((colors[now]?.[part] ?? 0) - old) & 0xff
      }
      rows[at + 3] = y === 0 ? 0xff : 0
    }
    above = here.slice()
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
