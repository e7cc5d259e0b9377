import { Buffer } from 'node:buffer'
import { crc32, deflateRawSync } from 'node:zlib'

export interface ZipFile {
  readonly path: string
  /** Asked for when its turn comes. */
  readonly content: () => Buffer | Promise<Buffer>
}

/** The first moment a zip can name: nothing of when or where it was made is in the bytes. */
const [date, time] = [0x00_21, 0]
const version = 20
const inUtf8 = 0x08_00
/** A plain file for its owner to change and everybody to read. */
const attributes = 0o100644 * 0x1_00_00

/** An archive, piece by piece. The same files in the same order always make the same bytes. */
export async function* zipBytes(files: Iterable<ZipFile>): AsyncGenerator<Buffer> {
  const directory: Buffer[] = []
  let at = 0
  for (const { path, content: read } of files) {
    const content = await read()
    const packed = deflateRawSync(content, { level: 9 })
    const data = packed.length < content.length ? packed : content
    const name = Buffer.from(path)
    const told = facts({ name, data, content, method: data === packed ? 8 : 0 })
    const local = Buffer.concat([u32(0x04_03_4b_50), told, u16(0), name])
    directory.push(
      Buffer.concat([
        u32(0x02_01_4b_50),
        u16(0x03_00 | version),
        told,
        // No extra field, no comment, the first disk, no internal marks.
        Buffer.alloc(8),
        u32(attributes),
        u32(at),
        name,
      ]),
    )
    yield local
    yield data
    at += local.length + data.length
  }
  yield* directory
  yield end(directory, at)
}

interface Told {
  readonly name: Buffer
  readonly data: Buffer
  readonly content: Buffer
  readonly method: 0 | 8
}

const facts = ({ name, data, content, method }: Told): Buffer =>
  Buffer.concat([
    u16(version),
    u16(inUtf8),
    u16(method),
    u16(time),
    u16(date),
    u32(crc32(content)),
    u32(data.length),
    u32(content.length),
    u16(name.length),
  ])

function end(directory: readonly Buffer[], at: number): Buffer {
  const bytes = directory.reduce((sum, { length }) => sum + length, 0)
  const count = u16(directory.length)
  return Buffer.concat([u32(0x06_05_4b_50), u32(0), count, count, u32(bytes), u32(at), u16(0)])
}

function u16(value: number): Buffer {
  const bytes = Buffer.alloc(2)
  bytes.writeUInt16LE(value)
  return bytes
}

function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}
