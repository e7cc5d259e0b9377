import { inflateSync } from 'node:zlib'
import type { Screenshot } from '../../devices/driver/screenshot.ts'

/** The pixels of a picture, four bytes each. Between two rows there may be bytes that belong to none. */
export interface PictureRows {
  readonly width: number
  readonly height: number
  readonly data: Buffer
  /** Where the first row starts. */
  readonly start: number
  /** From the start of a row to the start of the next one. */
  readonly stride: number
}

const SIGNATURE_BYTES = 8
const RGBA_WITHOUT_INTERLACING = Buffer.from([8, 6, 0, 0, 0])
const NO_FILTER = 0
const MAX_BYTES = 64 * 1024 * 1024

/**
 * Reads the pixels of an RGBA picture whose rows have no filter, such as those of the simulated phone, in some
 * milliseconds. Undefined for any other picture. The checksums were verified when the picture was received.
 */
export function readUnfilteredRows({ png, width, height }: Screenshot): PictureRows | undefined {
  const stride = width * 4 + 1
  const bytes = stride * height
  const compressed = findUnfilteredData(png)
  if (compressed === undefined || bytes > MAX_BYTES) return undefined
  const data = tryInflating(compressed, bytes)
  if (data?.length !== bytes) return undefined
  for (let at = 0; at < bytes; at += stride) {
    if (data[at] !== NO_FILTER) return undefined
  }
  return { width, height, data, start: 1, stride }
}

function findUnfilteredData(png: Buffer): Buffer | undefined {
  const parts: Buffer[] = []
  for (let at = SIGNATURE_BYTES; at + 12 <= png.length; at += 12 + png.readUInt32BE(at)) {
    const type = png.toString('latin1', at + 4, at + 8)
    const data = png.subarray(at + 8, at + 8 + png.readUInt32BE(at))
    if (type === 'IHDR' && !data.subarray(8).equals(RGBA_WITHOUT_INTERLACING)) return undefined
    if (type === 'IDAT') parts.push(data)
  }
  const [only] = parts
  return parts.length > 1 ? Buffer.concat(parts) : only
}

function tryInflating(compressed: Buffer, bytes: number): Buffer | undefined {
  try {
    // One piece with room for the end of the stream, so that nothing is copied.
    return inflateSync(compressed, { chunkSize: bytes + 64, maxOutputLength: bytes + 64 })
  } catch {
    return undefined
  }
}

/** Finds the smallest box that contains all pixels in which two pictures of the same size differ. */
export function findChangedBox(before: PictureRows, after: PictureRows): Box | undefined {
  const { width, height } = after
  const isRowEqual = (row: number): boolean => comparePixels(before, after, { row, from: 0, to: width }) === 0
  let top = 0
  while (top < height && isRowEqual(top)) top += 1
  if (top === height) return undefined
  let bottom = height - 1
  while (isRowEqual(bottom)) bottom -= 1
  let left = width
  let right = -1
  for (let row = top; row <= bottom; row += 1) {
    const isEqual = (at: number): boolean => comparePixels(before, after, { row, from: at, to: at + 1 }) === 0
    if (comparePixels(before, after, { row, from: 0, to: left }) !== 0) {
      left = 0
      while (isEqual(left)) left += 1
    }
    if (comparePixels(before, after, { row, from: right + 1, to: width }) === 0) continue
    right = width - 1
    while (isEqual(right)) right -= 1
  }
  return { left, top, width: right - left + 1, height: bottom - top + 1 }
}

/** A part of a picture in pixels. */
export interface Box {
  readonly left: number
  readonly top: number
  readonly width: number
  readonly height: number
}

interface RowPart {
  readonly row: number
  readonly from: number
  readonly to: number
}

function comparePixels(before: PictureRows, after: PictureRows, { row, from, to }: RowPart): number {
  const [a, b] = [before.start + row * before.stride, after.start + row * after.stride]
  return before.data.compare(after.data, b + from * 4, b + to * 4, a + from * 4, a + to * 4)
}
