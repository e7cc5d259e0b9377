import { Buffer } from 'node:buffer'
import { zipLimits, ZipProblem } from './zip-problem.ts'
import type { ZipSource } from './zip-source.ts'

export interface ZipEntry {
  readonly path: string
  /** The name is not the text it claims to be, or the archive gives it two. */
  readonly doubtful: boolean
  readonly directory: boolean
  readonly stored: boolean
  readonly crc32: number
  readonly compressed: number
  readonly size: number
  /** Unix permissions and type; 0 when the archive says nothing of them. */
  readonly mode: number
  readonly linked: boolean
  readonly data_at: number
}

export interface ZipDirectory {
  readonly entries: readonly ZipEntry[]
  /** Bytes of the archive that belong to no entry. */
  readonly hidden_bytes: number
}

const endBytes = 22
const longestComment = 65_535
const headerBytes = 46
const localBytes = 30
/** More than 2,000 entries with the longest names a bundle may have. */
const largestDirectory = 8 << 20

/** Reads what an archive says it holds, and checks that its two tellings of each entry agree. */
export async function readZipDirectory(source: ZipSource): Promise<ZipDirectory> {
  const end = await findEnd(source)
  const headers = parseHeaders(Buffer.from(await source.read(end.at, end.bytes)), end.count)
  assertBounds(headers)
  const entries: ZipEntry[] = []
  const spans: Span[] = []
  for (const header of headers.toSorted((a, b) => a.local_at - b.local_at)) {
    const { entry, span } = await locate(source, header)
    entries.push(entry)
    spans.push(span)
  }
  return { entries, hidden_bytes: countHidden(spans, end.at) + end.hidden }
}

interface End {
  readonly at: number
  readonly bytes: number
  readonly count: number
  readonly hidden: number
}

async function findEnd(source: ZipSource): Promise<End> {
  const tail = await source.read(
    Math.max(0, source.size - endBytes - longestComment),
    endBytes + longestComment,
  )
  const from = source.size - tail.length
  for (let at = tail.length - endBytes; at >= 0; at -= 1) {
    if (tail.readUInt32LE(at) !== 0x06_05_4b_50) continue
    const comment = tail.readUInt16LE(at + 20)
    if (at + endBytes + comment > tail.length) continue
    return parseEnd(tail, at, { from, after: tail.length - at - endBytes - comment })
  }
  throw new ZipProblem('ARCHIVE_UNREADABLE')
}

function parseEnd(tail: Buffer, at: number, place: { from: number; after: number }): End {
  const count = tail.readUInt16LE(at + 10)
  const bytes = tail.readUInt32LE(at + 12)
  const start = tail.readUInt32LE(at + 16)
  const disks = [tail.readUInt16LE(at + 4), tail.readUInt16LE(at + 6)]
  if (disks.some((disk) => disk !== 0) || tail.readUInt16LE(at + 8) !== count) {
    throw new ZipProblem('ARCHIVE_UNREADABLE')
  }
  if (count > zipLimits.entries) throw new ZipProblem('ARCHIVE_TOO_MANY_ENTRIES')
  if (count === 0) throw new ZipProblem('ARCHIVE_EMPTY')
  const between = place.from + at - start - bytes
  if (between < 0 || bytes > largestDirectory) throw new ZipProblem('ARCHIVE_UNREADABLE')
  return { at: start, bytes, count, hidden: between + place.after }
}

interface Header {
  readonly path: string
  readonly name: Buffer
  readonly doubtful: boolean
  readonly flags: number
  readonly method: number
  readonly crc32: number
  readonly compressed: number
  readonly size: number
  readonly mode: number
  readonly linked: boolean
  readonly local_at: number
}

function parseHeaders(directory: Buffer, count: number): Header[] {
  const headers: Header[] = []
  let at = 0
  for (let entry = 0; entry < count; entry += 1) {
    if (at + headerBytes > directory.length || directory.readUInt32LE(at) !== 0x02_01_4b_50) {
      throw new ZipProblem('ARCHIVE_UNREADABLE')
    }
    const lengths = [28, 30, 32].map((field) => directory.readUInt16LE(at + field))
    const [nameLength = 0, extraLength = 0, commentLength = 0] = lengths
    const end = at + headerBytes + nameLength + extraLength + commentLength
    if (end > directory.length) throw new ZipProblem('ARCHIVE_UNREADABLE')
    headers.push(parseHeader(directory.subarray(at, end), nameLength, extraLength))
    at = end
  }
  if (at !== directory.length) throw new ZipProblem('ARCHIVE_UNREADABLE')
  return headers
}

function parseHeader(header: Buffer, nameLength: number, extraLength: number): Header {
  const name = header.subarray(headerBytes, headerBytes + nameLength)
  const extra = header.subarray(headerBytes + nameLength, headerBytes + nameLength + extraLength)
  const path = textOf(name)
  const fields = extraFields(extra)
  const [size, compressed, local_at] = wideNumbers(fields.get(0x00_01), [
    header.readUInt32LE(24),
    header.readUInt32LE(20),
    header.readUInt32LE(42),
  ])
  const otherName = fields.get(0x70_75)?.subarray(5)
  return {
    path: path.text,
    name,
    doubtful: !path.valid || (otherName !== undefined && !otherName.equals(name)),
    flags: header.readUInt16LE(8),
    method: header.readUInt16LE(10),
    crc32: header.readUInt32LE(16),
    compressed,
    size,
    mode: header.readUInt16LE(40),
    linked: (fields.get(0x00_0d)?.length ?? 0) > 12,
    local_at,
  }
}

function textOf(name: Buffer): { text: string; valid: boolean } {
  const text = name.toString('utf8')
  return text.includes('\uFFFD')
    ? { text: name.toString('latin1'), valid: false }
    : { text, valid: true }
}

function extraFields(extra: Buffer): Map<number, Buffer> {
  const fields = new Map<number, Buffer>()
  let at = 0
  while (at + 4 <= extra.length) {
    const length = extra.readUInt16LE(at + 2)
    fields.set(extra.readUInt16LE(at), extra.subarray(at + 4, at + 4 + length))
    at += 4 + length
  }
  return fields
}

const wide = 0xff_ff_ff_ff

/** Numbers too wide for their place stand in the extra field, in their order. */
function wideNumbers(
  extra: Buffer | undefined,
  narrow: readonly [number, number, number],
): [number, number, number] {
  let at = 0
  const next = (value: number): number => {
    if (value !== wide) return value
    if (extra === undefined || at + 8 > extra.length) throw new ZipProblem('ARCHIVE_UNREADABLE')
    at += 8
    return Number(extra.readBigUInt64LE(at - 8))
  }
  return [next(narrow[0]), next(narrow[1]), next(narrow[2])]
}

/** By what the archive says; what it holds is counted again while it is unpacked. */
function assertBounds(headers: readonly Header[]): void {
  let [total, compressed] = [0, 0]
  for (const { path, method, flags, size, compressed: packed } of headers) {
    if ((flags & 0x20_41) !== 0) throw new ZipProblem('ARCHIVE_ENCRYPTED', path)
    if (method === 99) throw new ZipProblem('ARCHIVE_ENCRYPTED', path)
    if (method !== 0 && method !== 8) {
      throw new ZipProblem('ARCHIVE_UNSUPPORTED_COMPRESSION', path)
    }
    if (size > zipLimits.entry_bytes) throw new ZipProblem('ARCHIVE_ENTRY_TOO_LARGE', path)
    if (isSuspicious(size, packed)) throw new ZipProblem('ARCHIVE_RATIO_SUSPICIOUS', path)
    total += size
    compressed += packed
  }
  if (total > zipLimits.total_bytes) throw new ZipProblem('ARCHIVE_UNCOMPRESSED_TOO_LARGE')
  if (total > zipLimits.ratio_from_bytes && total > zipLimits.total_ratio * compressed) {
    throw new ZipProblem('ARCHIVE_RATIO_SUSPICIOUS')
  }
}

export const isSuspicious = (size: number, packed: number): boolean =>
  size > zipLimits.ratio_from_bytes && size > zipLimits.entry_ratio * packed

interface Span {
  readonly from: number
  readonly to: number
  /** Bytes that may follow and tell the sizes once more. */
  readonly descriptor: number
}

/** Follows an entry to where it is, where the archive tells the same of it again. */
async function locate(
  source: ZipSource,
  header: Header,
): Promise<{ readonly entry: ZipEntry; readonly span: Span }> {
  const { path, local_at, name } = header
  const local = await source.read(local_at, localBytes + name.length)
  if (local.length < localBytes + name.length || local.readUInt32LE(0) !== 0x04_03_4b_50) {
    throw new ZipProblem('ARCHIVE_UNREADABLE', path)
  }
  if (!local.subarray(localBytes).equals(name)) throw new ZipProblem('ARCHIVE_SIZE_MISMATCH', path)
  assertSame(local, header)
  const data_at = local_at + localBytes + local.readUInt16LE(26) + local.readUInt16LE(28)
  const to = data_at + header.compressed
  if (to > source.size) throw new ZipProblem('ARCHIVE_SIZE_MISMATCH', path)
  const { doubtful, linked, mode, size, compressed, crc32, method, flags } = header
  const directory = path.endsWith('/')
  if (method === 0 && size !== compressed) throw new ZipProblem('ARCHIVE_SIZE_MISMATCH', path)
  if (directory && size !== 0) throw new ZipProblem('ARCHIVE_SIZE_MISMATCH', path)
  const facts = { path, doubtful, directory, stored: method === 0, crc32, compressed, size }
  return {
    entry: { ...facts, mode, linked, data_at },
    span: { from: local_at, to, descriptor: (flags & 8) === 0 ? 0 : 24 },
  }
}

function assertSame(local: Buffer, { path, flags, method, size, compressed, crc32 }: Header): void {
  const told = [local.readUInt32LE(14), local.readUInt32LE(18), local.readUInt32LE(22)]
  const later = (flags & 8) !== 0 && told.every((number) => number === 0 || number === wide)
  const same = [crc32, compressed, size].every(
    (number, at) => told[at] === number || told[at] === wide,
  )
  const alike =
    local.readUInt16LE(8) === method && ((local.readUInt16LE(6) ^ flags) & 0x20_49) === 0
  const nameLength = local.readUInt16LE(26)
  if (!alike || !(same || later) || nameLength !== local.length - localBytes) {
    throw new ZipProblem('ARCHIVE_SIZE_MISMATCH', path)
  }
}

/** In the order of their place. */
function countHidden(spans: readonly Span[], directoryAt: number): number {
  let hidden = 0
  let [end, descriptor] = [0, 0]
  for (const span of [...spans, { from: directoryAt, to: directoryAt, descriptor: 0 }]) {
    const gap = span.from - end
    if (gap < 0) throw new ZipProblem('ARCHIVE_OVERLAPPING_ENTRIES')
    hidden += gap <= descriptor ? 0 : gap
    ;({ to: end, descriptor } = span)
  }
  return hidden
}
