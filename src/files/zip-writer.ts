import type { Buffer } from 'node:buffer'
import { type PassThrough, Readable } from 'node:stream'
import { ZipFile } from 'yazl'

export interface PackedFile {
  readonly path: string
  readonly executable?: true | undefined
  /** Called when the file is written. */
  readonly content: () => Promise<Buffer>
}

/** Streams an archive. The same files in the same order always give the same bytes. */
export function packZip(files: Iterable<PackedFile>): Readable {
  const zip = new ZipFile()
  const bytes = zip.outputStream as PassThrough
  // A local date, because yazl writes the local time.
  const facts = { mtime: new Date(2000, 0, 1), forceDosTimestamp: true }
  for (const { path, content, executable } of files) {
    const mode = executable === true ? 0o100755 : 0o100644
    zip.addReadStreamLazy(path, { ...facts, mode, compressionLevel: 9 }, (start) => {
      content()
        .then((whole) => start(null, Readable.from(whole)))
        .catch((error: Error) => bytes.destroy(error))
    })
  }
  zip.end()
  return bytes
}
