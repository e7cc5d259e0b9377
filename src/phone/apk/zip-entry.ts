import { inflateRawSync } from 'node:zlib'

const END_OF_DIRECTORY = 0x06054b50
const DIRECTORY_ENTRY = 0x02014b50
const LOCAL_ENTRY = 0x04034b50
const END_BYTES = 22
const MAX_COMMENT_BYTES = 0xffff
const MAX_ENTRY_BYTES = 64 * 1024 * 1024

/** Reads one file of a zip file. Undefined if the file is missing or the zip file is damaged. */
export function readZipEntry(zip: Buffer, name: string): Buffer | undefined {
  try {
    const at = findDirectoryEntry(zip, name)
    return at === undefined ? undefined : readContent(zip, at)
  } catch (error) {
    // Offsets beyond the end, or content that cannot be inflated.
    if (error instanceof RangeError || isZlibError(error)) return undefined
    throw error
  }
}

function isZlibError(error: unknown): boolean {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('Z_')
}

function findDirectoryEntry(zip: Buffer, name: string): number | undefined {
  const end = findEndOfDirectory(zip)
  if (end === undefined) return undefined
  const count = zip.readUInt16LE(end + 10)
  let at = zip.readUInt32LE(end + 16)
  for (let index = 0; index < count && zip.readUInt32LE(at) === DIRECTORY_ENTRY; index += 1) {
    const nameBytes = zip.readUInt16LE(at + 28)
    if (zip.toString('utf8', at + 46, at + 46 + nameBytes) === name) return at
    at += 46 + nameBytes + zip.readUInt16LE(at + 30) + zip.readUInt16LE(at + 32)
  }
  return undefined
}

function findEndOfDirectory(zip: Buffer): number | undefined {
  const lowest = Math.max(0, zip.length - END_BYTES - MAX_COMMENT_BYTES)
  for (let at = zip.length - END_BYTES; at >= lowest; at -= 1) {
    if (zip.readUInt32LE(at) === END_OF_DIRECTORY) return at
  }
  return undefined
}

function readContent(zip: Buffer, at: number): Buffer | undefined {
  const method = zip.readUInt16LE(at + 10)
  const packedBytes = zip.readUInt32LE(at + 20)
  const local = zip.readUInt32LE(at + 42)
  if (zip.readUInt32LE(local) !== LOCAL_ENTRY) return undefined
  const start = local + 30 + zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28)
  const packed = zip.subarray(start, start + packedBytes)
  if (packed.length !== packedBytes) return undefined
  if (method === 0) return packed
  return method === 8 ? inflateRawSync(packed, { maxOutputLength: MAX_ENTRY_BYTES }) : undefined
}
