import { CHUNK, listChunks, readStringPool, readValue, VALUE, type Chunk, type Value } from './chunks.ts'

/** Finds the string of a resource, in the default configuration if there is one. */
export type FindString = (resourceId: number) => string | undefined

interface Candidate {
  readonly value: Value
  readonly isDefault: boolean
}

const MAX_REFERENCES = 8
const NO_ENTRY = 0xffffffff
const SPARSE = 0x01
const SHORT_OFFSETS = 0x02
const COMPLEX = 0x01
const COMPACT = 0x08

/** Parses `resources.arsc`. Entries that are not plain values are left out. */
export function parseResourceTable(bytes: Buffer): FindString {
  const [table] = listChunks(bytes, 0)
  const values = new Map<number, Candidate>()
  let strings: readonly string[] = []
  if (table?.type === CHUNK.resourceTable) {
    for (const chunk of listChunks(table.bytes, table.headerBytes)) {
      if (chunk.type === CHUNK.stringPool) strings = readStringPool(chunk)
      if (chunk.type === CHUNK.package) collectPackage(chunk, values)
    }
  }
  return (resourceId) => {
    let id = resourceId
    for (let step = 0; step < MAX_REFERENCES; step += 1) {
      const value = values.get(id)?.value
      if (value?.type !== VALUE.reference) return value?.type === VALUE.string ? strings[value.data] : undefined
      id = value.data
    }
    return undefined
  }
}

function collectPackage(chunk: Chunk, values: Map<number, Candidate>): void {
  const packageId = chunk.bytes.readUInt32LE(8)
  for (const type of listChunks(chunk.bytes, chunk.headerBytes)) {
    if (type.type === CHUNK.type) collectType(type, packageId, values)
  }
}

function collectType(chunk: Chunk, packageId: number, values: Map<number, Candidate>): void {
  const { bytes, headerBytes } = chunk
  const typeId = bytes.readUInt8(8)
  const start = bytes.readUInt32LE(16)
  const configBytes = bytes.readUInt32LE(20)
  const isDefault = bytes.subarray(24, Math.min(headerBytes, 20 + configBytes)).every((byte) => byte === 0)
  for (const [index, offset] of listOffsets(chunk)) {
    const value = readEntry(bytes, start + offset)
    const id = ((packageId << 24) | (typeId << 16) | index) >>> 0
    const known = values.get(id)
    if (value !== undefined && (known === undefined || (isDefault && !known.isDefault))) {
      values.set(id, { value, isDefault })
    }
  }
}

function* listOffsets({ bytes, headerBytes }: Chunk): Generator<readonly [index: number, offset: number]> {
  const flags = bytes.readUInt8(9)
  const count = bytes.readUInt32LE(12)
  for (let index = 0; index < count; index += 1) {
    if ((flags & SPARSE) !== 0) {
      const at = headerBytes + 4 * index
      yield [bytes.readUInt16LE(at), 4 * bytes.readUInt16LE(at + 2)]
    } else if ((flags & SHORT_OFFSETS) !== 0) {
      const offset = bytes.readUInt16LE(headerBytes + 2 * index)
      if (offset !== 0xffff) yield [index, 4 * offset]
    } else {
      const offset = bytes.readUInt32LE(headerBytes + 4 * index)
      if (offset !== NO_ENTRY) yield [index, offset]
    }
  }
}

/** The value of an entry. Undefined if it is a list or a style. */
function readEntry(bytes: Buffer, at: number): Value | undefined {
  const flags = bytes.readUInt16LE(at + 2)
  if ((flags & COMPACT) !== 0) return { type: flags >> 8, data: bytes.readUInt32LE(at + 4) }
  return (flags & COMPLEX) === 0 ? readValue(bytes, at + bytes.readUInt16LE(at)) : undefined
}
