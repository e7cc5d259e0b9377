import { createHash } from 'node:crypto'
import { type FileHandle, open } from 'node:fs/promises'
import { createFile } from '../../home/private-files.ts'
import type { StoredPiece } from './replica-manifest.ts'

/** Read and compared at once. */
const PAGES_PER_READ = 256
const DIGEST_BYTES = 16
/** Before each page of a file of changes: its number, from 0. */
const NUMBER_BYTES = 4

const digestPage = (page: Buffer): Buffer => createHash('sha256').update(page).digest().subarray(0, DIGEST_BYTES)

/** A database file as a list of pages. */
export interface PageList {
  /** One digest for each page. */
  readonly digests: Buffer
  readonly sha256: string
  readonly bytes: number
}

interface Changes {
  readonly list: PageList
  /** How many pages were written, and the file that has them. */
  readonly pages: number
  readonly piece: StoredPiece
}

/** Writes the pages that differ from the known ones, with their numbers, to a new file. */
export async function writeChanges(
  database: string,
  { pageSize, known, target }: { pageSize: number; known: Buffer; target: string },
): Promise<Changes> {
  const out = await createFile(target)
  const written = createHash('sha256')
  try {
    let pages = 0
    const list = await readPages(database, pageSize, async (page, number, digest) => {
      const at = number * DIGEST_BYTES
      if (known.subarray(at, at + DIGEST_BYTES).equals(digest)) return
      pages += 1
      const record = Buffer.concat([encodeNumber(number), page])
      written.update(record)
      await out.appendFile(record)
    })
    return { list, pages, piece: { sha256: written.digest('hex'), bytes: pages * (NUMBER_BYTES + pageSize) } }
  } finally {
    await out.close()
  }
}

export const listPages = (database: string, pageSize: number): Promise<PageList> =>
  readPages(database, pageSize, async () => {})

/** Writes the pages of a file of changes into a database. */
export async function applyChanges(database: FileHandle, changes: string, pageSize: number): Promise<void> {
  const from = await open(changes, 'r')
  const record = Buffer.alloc(NUMBER_BYTES + pageSize)
  try {
    for (;;) {
      const { bytesRead } = await from.read(record, 0, record.length)
      if (bytesRead === 0) return
      if (bytesRead < record.length) throw new Error('A file of changed pages ends in the middle of a page.')
      await database.write(record, NUMBER_BYTES, pageSize, record.readUInt32BE(0) * pageSize)
    }
  } finally {
    await from.close()
  }
}

function encodeNumber(number: number): Buffer {
  const bytes = Buffer.alloc(NUMBER_BYTES)
  bytes.writeUInt32BE(number)
  return bytes
}

async function readPages(
  database: string,
  pageSize: number,
  visit: (page: Buffer, number: number, digest: Buffer) => Promise<void>,
): Promise<PageList> {
  const from = await open(database, 'r')
  const whole = createHash('sha256')
  const digests: Buffer[] = []
  const chunk = Buffer.alloc(PAGES_PER_READ * pageSize)
  try {
    for (;;) {
      const { bytesRead } = await from.read(chunk, 0, chunk.length)
      if (bytesRead === 0) break
      whole.update(chunk.subarray(0, bytesRead))
      for (let at = 0; at + pageSize <= bytesRead; at += pageSize) {
        const page = chunk.subarray(at, at + pageSize)
        const digest = digestPage(page)
        await visit(page, digests.length, digest)
        digests.push(digest)
      }
    }
  } finally {
    await from.close()
  }
  return { digests: Buffer.concat(digests), sha256: whole.digest('hex'), bytes: digests.length * pageSize }
}
