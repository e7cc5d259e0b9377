import type { FileHandle } from 'node:fs/promises'
import { findProjectionLog, type ProjectionLog } from '../../store/projections/projection-cursors.ts'
import type { FileTools, FileWork } from './document-file.ts'
import { formatLine } from './json-text.ts'
import type { LogProjection, LogRow } from './projection.ts'

const PAGE_SIZE = 500

export interface LogWork extends FileWork {
  readonly projection: LogProjection
  /** Rows that were already written may have been removed. */
  readonly mayHaveLostRows: boolean
}

export interface LogTools extends FileTools {
  /** Deletes the stored progress of a file before it is replaced. */
  readonly deleteProgress: (file: string) => Promise<void>
  /** Collects the progress of a log. It is stored once the file name is on disk. */
  readonly addProgress: (file: string, log: ProjectionLog) => void
}

/** Writes one log from its rows. */
export async function updateLog(work: LogWork, tools: LogTools): Promise<void> {
  const known = findProjectionLog(tools.reader, work.file)
  const size = await tools.files.size(work.file)
  const usable = known !== undefined && size !== undefined && size >= known.bytes && !hasLostRows(work, tools, known)
  await (usable ? extend(work, tools, { known, size }) : rewrite(work, tools, known))
}

function hasLostRows({ projection, key, mayHaveLostRows }: LogWork, { reader }: LogTools, known: ProjectionLog) {
  return mayHaveLostRows && projection.count(reader, key, known.position) !== known.line_count
}

/** Appends new rows. Bytes beyond the stored progress, such as a torn line, are cut off first. */
async function extend(
  { projection, key, file }: LogWork,
  { reader, files, addProgress, restIfDue }: LogTools,
  { known, size }: { known: ProjectionLog; size: number },
): Promise<void> {
  let log = known
  if (size > known.bytes) await files.truncate(file, known.bytes)
  for (;;) {
    const rows = projection.rows(reader, key, { after: log.position, limit: PAGE_SIZE })
    if (rows.length === 0) return
    const lines = formatLines(rows)
    await files.append(file, log.bytes, lines)
    log = advance(log, rows, lines)
    addProgress(file, log)
    await restIfDue()
  }
}

async function rewrite(
  { projection, key, file, keep }: LogWork,
  { reader, files, deleteProgress, addProgress, restIfDue }: LogTools,
  known: ProjectionLog | undefined,
): Promise<void> {
  // Otherwise a kill after the replacement would leave the progress of the old file with the new file.
  if (known !== undefined) await deleteProgress(file)
  const first = projection.rows(reader, key, { after: 0, limit: PAGE_SIZE })
  if (first.length === 0) {
    await files.remove(file, keep)
    return
  }
  let log: ProjectionLog = { position: 0, bytes: 0, line_count: 0 }
  await files.replace(file, async (handle: FileHandle) => {
    for (let rows = first; rows.length > 0;) {
      const lines = formatLines(rows)
      // `appendFile` repeats the write until all bytes are written.
      await handle.appendFile(lines)
      log = advance(log, rows, lines)
      await restIfDue()
      rows = projection.rows(reader, key, { after: log.position, limit: PAGE_SIZE })
    }
  })
  addProgress(file, log)
}

export const formatLines = (rows: readonly LogRow[]): Buffer =>
  Buffer.from(rows.map(({ entry }) => formatLine(entry)).join(''))

function advance(log: ProjectionLog, rows: readonly LogRow[], lines: Buffer): ProjectionLog {
  return {
    position: rows.at(-1)?.position ?? log.position,
    bytes: log.bytes + lines.length,
    line_count: log.line_count + rows.length,
  }
}
