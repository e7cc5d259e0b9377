import { crc32 } from 'node:zlib'
import { OperationFailure } from '../adb/operation-failure.ts'

export interface Screenshot {
  readonly png: Buffer
  readonly width: number
  readonly height: number
}

/**
 * Extracts the PNG from the output of `screencap`. Devices with several displays print a warning before
 * it. An incomplete or damaged image is refused, because viewers would display half a screen.
 */
export function parseScreencap(output: Buffer): Screenshot {
  const start = output.indexOf(PNG_SIGNATURE)
  if (start < 0) throw toScreenshotFailure('screencap returned no image', output.subarray(0, 200).toString('utf8'))
  const png = output.subarray(start)
  const end = findPngEnd(png)
  if (end === undefined) throw toScreenshotFailure('the image is incomplete or damaged')
  return { png: png.subarray(0, end), width: png.readUInt32BE(16), height: png.readUInt32BE(20) }
}

const PNG_SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])

/** The end of the IEND chunk. Undefined if a chunk is incomplete or its checksum is wrong. */
function findPngEnd(png: Buffer): number | undefined {
  let at = PNG_SIGNATURE.length
  for (let first = true; at + 12 <= png.length; first = false) {
    const next = at + 12 + png.readUInt32BE(at)
    if (next > png.length) return undefined
    const type = png.toString('latin1', at + 4, at + 8)
    if (first !== (type === 'IHDR')) return undefined
    if (crc32(png.subarray(at + 4, next - 4)) !== png.readUInt32BE(next - 4)) return undefined
    if (type === 'IEND') return next
    at = next
  }
  return undefined
}

function toScreenshotFailure(message: string, detail?: string): OperationFailure {
  return new OperationFailure('SCREENSHOT_FAILED', message, detail)
}
