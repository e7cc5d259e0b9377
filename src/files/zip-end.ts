import { ZIP_LIMITS, ZipProblem } from './zip-problem.ts'
import type { ZipSource } from './zip-source.ts'

/** The end record of an archive and the position of its directory. */
export interface ZipEnd {
  /** The size of the archive. Bytes after it do not belong to the archive. */
  readonly size: number
  readonly end_at: number
  readonly directory_at: number
  readonly directory_end: number
}

const END_BYTES = 22
const MAX_COMMENT_BYTES = 65_535
/** More than 2,000 entries with the longest allowed names need. */
const MAX_DIRECTORY_BYTES = 8 << 20

/**
 * Finds the end record. yauzl refuses archives with bytes after the last record, which is a finding here. It also ignores
 * fields of the record that other programs use, so the two could see different entries; these fields are checked here.
 */
export async function findZipEnd(source: ZipSource): Promise<ZipEnd> {
  const tailBytes = END_BYTES + MAX_COMMENT_BYTES
  const from = Math.max(0, source.size - tailBytes)
  const tail = await source.read(from, tailBytes)
  for (let at = tail.length - END_BYTES; at >= 0; at -= 1) {
    if (tail.readUInt32LE(at) !== 0x06_05_4b_50) continue
    const end = at + END_BYTES + tail.readUInt16LE(at + 20)
    if (end <= tail.length) return readEnd(tail.subarray(at, end), from + at)
  }
  throw new ZipProblem('ARCHIVE_UNREADABLE')
}

function readEnd(record: Buffer, end_at: number): ZipEnd {
  const count = record.readUInt16LE(10)
  if (count > ZIP_LIMITS.entries) throw new ZipProblem('ARCHIVE_TOO_MANY_ENTRIES')
  const bytes = record.readUInt32LE(12)
  const directory_at = record.readUInt32LE(16)
  const directory_end = directory_at + bytes
  const isWhole = record.readUInt32LE(4) === 0 && record.readUInt16LE(8) === count
  if (!isWhole || directory_end > end_at || bytes > MAX_DIRECTORY_BYTES) {
    throw new ZipProblem('ARCHIVE_UNREADABLE')
  }
  return { size: end_at + record.length, end_at, directory_at, directory_end }
}
