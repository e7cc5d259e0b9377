import { Buffer } from 'node:buffer'
import {
  type Entry,
  fromRandomAccessReaderPromise,
  type LocalFileHeader,
  type ZipFile,
} from 'yauzl'
import { findZipEnd, type ZipEnd } from './zip-end.ts'
import { zipLimits, ZipProblem } from './zip-problem.ts'
import { ZipReader, type ZipSource } from './zip-source.ts'

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

/** Reads what an archive says it holds, and checks that its two tellings of each entry agree. */
export async function readZipDirectory(source: ZipSource): Promise<ZipDirectory> {
  const end = await findZipEnd(source)
  try {
    const zip = await fromRandomAccessReaderPromise(new ZipReader(source), end.size, {
      autoClose: false,
      // Names are judged as they stand there.
      decodeStrings: false,
      // Judged together with the other sizes.
      validateEntrySizes: false,
    })
    const headers = await readHeaders(zip, end)
    assertBounds(headers)
    const located: Located[] = []
    for (const header of headers) located.push(await locate(zip, header))
    const hidden = countHidden(located, end.directory_at)
    const outside = source.size - end.size + end.end_at - end.directory_end
    return { entries: located.map(({ entry }) => entry), hidden_bytes: hidden + outside }
  } catch (error) {
    throw problemOf(error)
  }
}

/** What yauzl refuses. Failures of the disk have a code of their own and stay what they are. */
function problemOf(error: unknown, path?: string): unknown {
  const { code, message } = error as NodeJS.ErrnoException
  if (code !== undefined) return error
  if (message.startsWith('strong encryption')) return new ZipProblem('ARCHIVE_ENCRYPTED')
  const isTooShort = message.startsWith('file data overflows')
  return new ZipProblem(isTooShort ? 'ARCHIVE_SIZE_MISMATCH' : 'ARCHIVE_UNREADABLE', path)
}

interface Header extends Omit<ZipEntry, 'data_at'> {
  readonly told: Entry
}

/** In the order of their place. */
async function readHeaders(zip: ZipFile, end: ZipEnd): Promise<Header[]> {
  if (zip.entryCount > zipLimits.entries) throw new ZipProblem('ARCHIVE_TOO_MANY_ENTRIES')
  if (zip.entryCount === 0) throw new ZipProblem('ARCHIVE_EMPTY')
  if (placeOf(zip) !== end.directory_at) throw new ZipProblem('ARCHIVE_UNREADABLE')
  const headers: Header[] = []
  for await (const told of zip.eachEntry()) {
    if (placeOf(zip) > end.directory_end) throw new ZipProblem('ARCHIVE_UNREADABLE')
    headers.push(readHeader(told))
  }
  if (placeOf(zip) !== end.directory_end) throw new ZipProblem('ARCHIVE_UNREADABLE')
  return headers.toSorted(
    (a, b) => a.told.relativeOffsetOfLocalHeader - b.told.relativeOffsetOfLocalHeader,
  )
}

/** How far yauzl has read the directory. It is a number, whatever the types say. */
const placeOf = ({ readEntryCursor }: ZipFile): number => Number(readEntryCursor)

function readHeader(told: Entry): Header {
  const { fileNameRaw: name, extraFields, compressionMethod, uncompressedSize } = told
  const { text: path, valid } = textOf(name)
  const hasOtherName = extraFields.some(
    ({ id, data }) => id === 0x70_75 && !data.subarray(5).equals(name),
  )
  return {
    path,
    doubtful: !valid || hasOtherName,
    directory: path.endsWith('/'),
    stored: compressionMethod === 0,
    crc32: told.crc32,
    compressed: told.compressedSize,
    size: uncompressedSize,
    mode: told.externalFileAttributes >>> 16,
    linked: extraFields.some(({ id, data }) => id === 0x00_0d && data.length > 12),
    told,
  }
}

function textOf(name: Buffer): { text: string; valid: boolean } {
  const text = name.toString('utf8')
  return text.includes('\uFFFD')
    ? { text: name.toString('latin1'), valid: false }
    : { text, valid: true }
}

/** By what the archive says; what it holds is counted again while it is unpacked. */
function assertBounds(headers: readonly Header[]): void {
  let [total, compressed] = [0, 0]
  for (const { path, told, size, compressed: packed } of headers) {
    const { compressionMethod: method, generalPurposeBitFlag: flags } = told
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

interface Located {
  readonly entry: ZipEntry
  readonly from: number
  readonly to: number
  /** Bytes that may follow and tell the sizes once more. */
  readonly descriptor: number
}

/** Follows an entry to where it is, where the archive tells the same of it again. */
async function locate(zip: ZipFile, { told, ...facts }: Header): Promise<Located> {
  const { path, size, compressed, stored, directory } = facts
  const local = await zip.readLocalFileHeaderPromise(told).catch((error: unknown) => {
    throw problemOf(error, path)
  })
  const isOdd = (stored && size !== compressed) || (directory && size !== 0)
  if (isOdd || !isSame(local, told)) throw new ZipProblem('ARCHIVE_SIZE_MISMATCH', path)
  const data_at = local.fileDataStart
  return {
    entry: { ...facts, data_at },
    from: told.relativeOffsetOfLocalHeader,
    to: data_at + compressed,
    descriptor: (told.generalPurposeBitFlag & 8) === 0 ? 0 : 24,
  }
}

/** The number that says that the number stands elsewhere. */
const wide = 0xff_ff_ff_ff

function isSame(local: LocalFileHeader, told: Entry): boolean {
  const sizes = [local.crc32, local.compressedSize, local.uncompressedSize]
  const flags = told.generalPurposeBitFlag
  const areLater = (flags & 8) !== 0 && sizes.every((number) => number === 0 || number === wide)
  const areSame = [told.crc32, told.compressedSize, told.uncompressedSize].every(
    (number, at) => sizes[at] === number || sizes[at] === wide,
  )
  return (
    (areSame || areLater) &&
    local.compressionMethod === told.compressionMethod &&
    ((local.generalPurposeBitFlag ^ flags) & 0x20_49) === 0 &&
    local.fileName.equals(told.fileNameRaw)
  )
}

/** In the order of their place. */
function countHidden(located: readonly Located[], directoryAt: number): number {
  let hidden = 0
  let [end, descriptor] = [0, 0]
  for (const span of [...located, { from: directoryAt, to: directoryAt, descriptor: 0 }]) {
    const gap = span.from - end
    if (gap < 0) throw new ZipProblem('ARCHIVE_OVERLAPPING_ENTRIES')
    hidden += gap <= descriptor ? 0 : gap
    ;({ to: end, descriptor } = span)
  }
  return hidden
}
