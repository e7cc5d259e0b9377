/** The parts of Android's binary formats that XML files and resource tables share. */
export const CHUNK = {
  stringPool: 0x0001,
  resourceTable: 0x0002,
  xml: 0x0003,
  element: 0x0102,
  endElement: 0x0103,
  attributeIds: 0x0180,
  package: 0x0200,
  type: 0x0201,
} as const

export const VALUE = { reference: 0x01, string: 0x03, boolean: 0x12 } as const

export interface Chunk {
  readonly type: number
  readonly headerBytes: number
  /** The whole chunk, with its header. */
  readonly bytes: Buffer
}

/** A value of 8 bytes. `data` is an index of a string, the id of a resource, or the value itself. */
export interface Value {
  readonly type: number
  readonly data: number
}

/** Lists the chunks that follow each other from `start`. Stops at the first damaged one. */
export function* listChunks(bytes: Buffer, start: number): Generator<Chunk> {
  let at = start
  while (at + 8 <= bytes.length) {
    const headerBytes = bytes.readUInt16LE(at + 2)
    const size = bytes.readUInt32LE(at + 4)
    if (size < 8 || headerBytes < 8 || headerBytes > size || at + size > bytes.length) return
    yield { type: bytes.readUInt16LE(at), headerBytes, bytes: bytes.subarray(at, at + size) }
    at += size
  }
}

export function readValue(bytes: Buffer, at: number): Value {
  return { type: bytes.readUInt8(at + 3), data: bytes.readUInt32LE(at + 4) }
}

const IS_UTF8 = 0x100

export function readStringPool({ bytes }: Chunk): readonly string[] {
  const count = bytes.readUInt32LE(8)
  const isUtf8 = (bytes.readUInt32LE(16) & IS_UTF8) !== 0
  const start = bytes.readUInt32LE(20)
  const headerBytes = bytes.readUInt16LE(2)
  const strings: string[] = []
  for (let index = 0; index < count; index += 1) {
    const at = start + bytes.readUInt32LE(headerBytes + 4 * index)
    strings.push(isUtf8 ? readUtf8(bytes, at) : readUtf16(bytes, at))
  }
  return strings
}

/** A string begins with its length in characters, then that in bytes. */
function readUtf8(bytes: Buffer, at: number): string {
  const afterCharacters = at + (bytes.readUInt8(at) < 0x80 ? 1 : 2)
  const first = bytes.readUInt8(afterCharacters)
  const isShort = first < 0x80
  const length = isShort ? first : ((first & 0x7f) << 8) | bytes.readUInt8(afterCharacters + 1)
  const start = afterCharacters + (isShort ? 1 : 2)
  return bytes.toString('utf8', start, start + length)
}

function readUtf16(bytes: Buffer, at: number): string {
  const first = bytes.readUInt16LE(at)
  const isShort = first < 0x8000
  const length = isShort ? first : ((first & 0x7fff) << 16) | bytes.readUInt16LE(at + 2)
  const start = at + (isShort ? 2 : 4)
  return bytes.toString('utf16le', start, start + 2 * length)
}
