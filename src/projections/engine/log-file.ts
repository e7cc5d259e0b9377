import type { FileHandle } from 'node:fs/promises'
import { findMirrorLog, type MirrorLog } from '../../store/projections/projection-cursors.ts'
import type { FileTools, FileWork } from './document-file.ts'
import { lineText } from './json-text.ts'
import type { LogProjection, Positioned } from './projection.ts'

const page = 500

export interface LogWork extends FileWork {
  readonly mirror: LogProjection
  /** Rows already written may be gone. */
  readonly suspect: boolean
}

export interface LogTools extends FileTools {
  /** Makes sure no progress is on record while a file is being replaced. */
  readonly forget: (file: string) => Promise<void>
  /** How far a log came, to be put on record once it has its name on disk. */
  readonly record: (file: string, log: MirrorLog) => void
}

/** Brings one log up to its rows. */
export async function bringLogUp(work: LogWork, tools: LogTools): Promise<void> {
  const known = findMirrorLog(tools.reader, work.file)
  const size = await tools.files.size(work.file)
  const usable =
    known !== undefined &&
    size !== undefined &&
    size >= known.bytes &&
    !lostRows(work, tools, known)
  await (usable ? extend(work, tools, { known, size }) : rewrite(work, tools, known))
}

function lostRows({ mirror, key, suspect }: LogWork, { reader }: LogTools, known: MirrorLog) {
  return suspect && mirror.count(reader, key, known.position) !== known.line_count
}

/** Bytes after those on record are a torn line, or lines nobody vouches for: they are cut off. */
async function extend(
  { mirror, key, file }: LogWork,
  { reader, files, record, breathe }: LogTools,
  { known, size }: { known: MirrorLog; size: number },
): Promise<void> {
  let log = known
  if (size > known.bytes) await files.cut(file, known.bytes)
  for (;;) {
    const rows = mirror.rows(reader, key, { after: log.position, limit: page })
    if (rows.length === 0) return
    const lines = linesOf(rows)
    await files.append(file, log.bytes, lines)
    log = advanced(log, rows, lines)
    record(file, log)
    await breathe()
  }
}

async function rewrite(
  { mirror, key, file, keep }: LogWork,
  { reader, files, forget, record, breathe }: LogTools,
  known: MirrorLog | undefined,
): Promise<void> {
  // Otherwise a kill after the replacement would leave the new file with the record of the old one.
  if (known !== undefined) await forget(file)
  const first = mirror.rows(reader, key, { after: 0, limit: page })
  if (first.length === 0) {
    await files.remove(file, keep)
    return
  }
  let log: MirrorLog = { position: 0, bytes: 0, line_count: 0 }
  await files.replace(file, async (handle: FileHandle) => {
    for (let rows = first; rows.length > 0;) {
      const lines = linesOf(rows)
      // Unlike a plain write, this one goes on until all of it is taken.
      await handle.appendFile(lines)
      log = advanced(log, rows, lines)
      await breathe()
      rows = mirror.rows(reader, key, { after: log.position, limit: page })
    }
  })
  record(file, log)
}

export const linesOf = (rows: readonly Positioned[]): Buffer =>
  Buffer.from(rows.map(({ entry }) => lineText(entry)).join(''))

function advanced(log: MirrorLog, rows: readonly Positioned[], lines: Buffer): MirrorLog {
  return {
    position: rows.at(-1)?.position ?? log.position,
    bytes: log.bytes + lines.length,
    line_count: log.line_count + rows.length,
  }
}
