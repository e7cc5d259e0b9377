import { zipLimits, ZipProblem } from './zip-problem.ts'
import type { ZipSource } from './zip-source.ts'

/** Where an archive says that it ends, and where it says that its directory is. */
export interface ZipEnd {
  /** Bytes up to the end of the archive; what follows them is no part of it. */
  readonly size: number
  readonly end_at: number
  readonly directory_at: number
  readonly directory_end: number
}

const endBytes = 22
const longestComment = 65_535
/** More than 2,000 entries with the longest names a bundle may have. */
const largestDirectory = 8 << 20

/**
 * yauzl takes the last record for the end and refuses what follows it; here it is to be told. It also reads over
 * numbers of the record that other readers go by, so that the two would see different entries.
 */
export async function findZipEnd(source: ZipSource): Promise<ZipEnd> {
  const tailBytes = endBytes + longestComment
  const from = Math.max(0, source.size - tailBytes)
  const tail = await source.read(from, tailBytes)
  for (let at = tail.length - endBytes; at >= 0; at -= 1) {
    if (tail.readUInt32LE(at) !== 0x06_05_4b_50) continue
    const end = at + endBytes + tail.readUInt16LE(at + 20)
    if (end <= tail.length) return readEnd(tail.subarray(at, end), from + at)
  }
  throw new ZipProblem('ARCHIVE_UNREADABLE')
}

function readEnd(record: Buffer, end_at: number): ZipEnd {
  const count = record.readUInt16LE(10)
  if (count > zipLimits.entries) throw new ZipProblem('ARCHIVE_TOO_MANY_ENTRIES')
  const bytes = record.readUInt32LE(12)
  const directory_at = record.readUInt32LE(16)
  const directory_end = directory_at + bytes
  const isWhole = record.readUInt32LE(4) === 0 && record.readUInt16LE(8) === count
  if (!isWhole || directory_end > end_at || bytes > largestDirectory) {
    throw new ZipProblem('ARCHIVE_UNREADABLE')
  }
  return { size: end_at + record.length, end_at, directory_at, directory_end }
}
