import { Buffer } from 'node:buffer'
import { type Entry, fromRandomAccessReaderPromise, type LocalFileHeader, type ZipFile } from 'yauzl'
import { findZipEnd, type ZipEnd } from './zip-end.ts'
import { ZIP_LIMITS, ZipProblem } from './zip-problem.ts'
import { ZipReader, type ZipSource } from './zip-source.ts'

export interface ZipEntry {
  readonly path: string
  /** The name is not valid UTF-8, or the archive contains a second name for it. */
  readonly doubtful: boolean
  readonly directory: boolean
  readonly stored: boolean
  readonly crc32: number
  readonly compressed: number
  readonly size: number
  /** Unix permissions and file type. 0 if the archive has none. */
  readonly mode: number
  readonly linked: boolean
  readonly data_at: number
}

export interface ZipDirectory {
  readonly entries: readonly ZipEntry[]
  /** Bytes of the archive that belong to no entry. */
  readonly hidden_bytes: number
}

/** Reads the central directory and checks that it agrees with the local header of each entry. */
export async function readZipDirectory(source: ZipSource): Promise<ZipDirectory> {
  const end = await findZipEnd(source)
  try {
    const zip = await fromRandomAccessReaderPromise(new ZipReader(source), end.size, {
      autoClose: false,
      // Names are checked as raw bytes.
      decodeStrings: false,
      // Checked together with the other sizes.
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
    throw toZipProblem(error)
  }
}

/** Converts errors of yauzl. Errors of the file system have a code and are returned unchanged. */
function toZipProblem(error: unknown, path?: string): unknown {
  const { code, message } = error as NodeJS.ErrnoException
  if (code !== undefined) return error
  if (message.startsWith('strong encryption')) return new ZipProblem('ARCHIVE_ENCRYPTED')
  const isTooShort = message.startsWith('file data overflows')
  return new ZipProblem(isTooShort ? 'ARCHIVE_SIZE_MISMATCH' : 'ARCHIVE_UNREADABLE', path)
}

interface Header extends Omit<ZipEntry, 'data_at'> {
  readonly central: Entry
}

/** Returns the headers ordered by offset. */
async function readHeaders(zip: ZipFile, end: ZipEnd): Promise<Header[]> {
  if (zip.entryCount > ZIP_LIMITS.entries) throw new ZipProblem('ARCHIVE_TOO_MANY_ENTRIES')
  if (zip.entryCount === 0) throw new ZipProblem('ARCHIVE_EMPTY')
  if (readPosition(zip) !== end.directory_at) throw new ZipProblem('ARCHIVE_UNREADABLE')
  const headers: Header[] = []
  for await (const central of zip.eachEntry()) {
    if (readPosition(zip) > end.directory_end) throw new ZipProblem('ARCHIVE_UNREADABLE')
    headers.push(readHeader(central))
  }
  if (readPosition(zip) !== end.directory_end) throw new ZipProblem('ARCHIVE_UNREADABLE')
  return headers.toSorted((a, b) => a.central.relativeOffsetOfLocalHeader - b.central.relativeOffsetOfLocalHeader)
}

/** Returns the offset up to which yauzl has read the directory. It is a number at run time. */
const readPosition = ({ readEntryCursor }: ZipFile): number => Number(readEntryCursor)

function readHeader(central: Entry): Header {
  const { fileNameRaw: name, extraFields, compressionMethod, uncompressedSize } = central
  const { text: path, valid } = decodeName(name)
  const hasOtherName = extraFields.some(({ id, data }) => id === 0x70_75 && !data.subarray(5).equals(name))
  return {
    path,
    doubtful: !valid || hasOtherName,
    directory: path.endsWith('/'),
    stored: compressionMethod === 0,
    crc32: central.crc32,
    compressed: central.compressedSize,
    size: uncompressedSize,
    mode: central.externalFileAttributes >>> 16,
    linked: extraFields.some(({ id, data }) => id === 0x00_0d && data.length > 12),
    central,
  }
}

function decodeName(name: Buffer): { text: string; valid: boolean } {
  const text = name.toString('utf8')
  return text.includes('\uFFFD') ? { text: name.toString('latin1'), valid: false } : { text, valid: true }
}

/** Checks the declared sizes. The real sizes are checked again while unpacking. */
function assertBounds(headers: readonly Header[]): void {
  let [total, compressed] = [0, 0]
  for (const { path, central, size, compressed: packed } of headers) {
    const { compressionMethod: method, generalPurposeBitFlag: flags } = central
    if ((flags & 0x20_41) !== 0) throw new ZipProblem('ARCHIVE_ENCRYPTED', path)
    if (method === 99) throw new ZipProblem('ARCHIVE_ENCRYPTED', path)
    if (method !== 0 && method !== 8) {
      throw new ZipProblem('ARCHIVE_UNSUPPORTED_COMPRESSION', path)
    }
    if (size > ZIP_LIMITS.entry_bytes) throw new ZipProblem('ARCHIVE_ENTRY_TOO_LARGE', path)
    if (isRatioSuspicious(size, packed)) throw new ZipProblem('ARCHIVE_RATIO_SUSPICIOUS', path)
    total += size
    compressed += packed
  }
  if (total > ZIP_LIMITS.total_bytes) throw new ZipProblem('ARCHIVE_UNCOMPRESSED_TOO_LARGE')
  if (total > ZIP_LIMITS.ratio_from_bytes && total > ZIP_LIMITS.total_ratio * compressed) {
    throw new ZipProblem('ARCHIVE_RATIO_SUSPICIOUS')
  }
}

export const isRatioSuspicious = (size: number, packed: number): boolean =>
  size > ZIP_LIMITS.ratio_from_bytes && size > ZIP_LIMITS.entry_ratio * packed

interface Located {
  readonly entry: ZipEntry
  readonly from: number
  readonly to: number
  /** The length of a data descriptor that may follow. */
  readonly descriptor: number
}

/** Reads the local header of an entry and compares it with the central directory. */
async function locate(zip: ZipFile, { central, ...facts }: Header): Promise<Located> {
  const { path, size, compressed, stored, directory } = facts
  const local = await zip.readLocalFileHeaderPromise(central).catch((error: unknown) => {
    throw toZipProblem(error, path)
  })
  const isOdd = (stored && size !== compressed) || (directory && size !== 0)
  if (isOdd || !isSame(local, central)) throw new ZipProblem('ARCHIVE_SIZE_MISMATCH', path)
  const data_at = local.fileDataStart
  return {
    entry: { ...facts, data_at },
    from: central.relativeOffsetOfLocalHeader,
    to: data_at + compressed,
    descriptor: (central.generalPurposeBitFlag & 8) === 0 ? 0 : 24,
  }
}

/** ZIP64: the value is in another field. */
const ZIP64_MARKER = 0xff_ff_ff_ff

function isSame(local: LocalFileHeader, central: Entry): boolean {
  const sizes = [local.crc32, local.compressedSize, local.uncompressedSize]
  const flags = central.generalPurposeBitFlag
  const areLater = (flags & 8) !== 0 && sizes.every((number) => number === 0 || number === ZIP64_MARKER)
  const areSame = [central.crc32, central.compressedSize, central.uncompressedSize].every(
    (number, at) => sizes[at] === number || sizes[at] === ZIP64_MARKER,
  )
  return (
    (areSame || areLater) &&
    local.compressionMethod === central.compressionMethod &&
    ((local.generalPurposeBitFlag ^ flags) & 0x20_49) === 0 &&
    local.fileName.equals(central.fileNameRaw)
  )
}

/** Counts the bytes between entries. The entries must be ordered by offset. */
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
