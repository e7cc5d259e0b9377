import { type FileHandle, open } from 'node:fs/promises'
import { join } from 'node:path'
import type { Reader } from '../../store/db/db.ts'
import { formatLines } from './log-file.ts'
import { ProjectionFiles } from './projection-files.ts'
import { listOrphans } from './projection-tree.ts'
import type { LogProjection, Projection } from './projection.ts'

export interface ProjectionProblem {
  /** Relative to the home. */
  readonly path: string
  readonly problem: 'missing' | 'differs' | 'unexpected'
}

/** Yields every file that differs from the database. It only reads. Files of a running daemon may be a moment behind. */
export async function* compareProjections(
  reader: Reader,
  home: string,
  projections: readonly Projection[],
): AsyncGenerator<ProjectionProblem> {
  const files = new ProjectionFiles(join(home, 'system'))
  for (const projection of projections) {
    for (const key of projection.keys(reader)) {
      const file = projection.file(key)
      if (file === undefined) continue
      const problem = await findProblem({ projection, key, file }, { reader, files })
      if (problem !== undefined) yield { path: `system/${file}`, problem }
    }
  }
  for (const { file, temporary } of await listOrphans(files.root, projections, reader)) {
    if (!temporary) yield { path: `system/${file}`, problem: 'unexpected' }
  }
}

interface ProjectedFile {
  readonly projection: Projection
  readonly key: string
  readonly file: string
}

interface CompareDeps {
  readonly reader: Reader
  readonly files: ProjectionFiles
}

async function findProblem(
  projected: ProjectedFile,
  deps: CompareDeps,
): Promise<ProjectionProblem['problem'] | undefined> {
  const { projection, key, file } = projected
  const exists = (await deps.files.size(file)) !== undefined
  const pieces = projection.form === 'log' ? renderLog(projection, key, deps) : renderDocument(projection, key, deps)
  const first = pieces.next()
  if (first.done === true) return exists ? 'unexpected' : undefined
  if (!exists) return 'missing'
  const handle = await open(join(deps.files.root, file), 'r')
  try {
    return (await hasPieces(handle, first.value, pieces)) ? undefined : 'differs'
  } finally {
    await handle.close()
  }
}

function* renderDocument(
  projection: Exclude<Projection, LogProjection>,
  key: string,
  { reader }: CompareDeps,
): Generator<Buffer> {
  const rendered = projection.render(reader, key)
  if (typeof rendered === 'string') yield Buffer.from(rendered)
  else for (const piece of rendered ?? []) yield Buffer.from(piece)
}

function* renderLog(projection: LogProjection, key: string, { reader }: CompareDeps): Generator<Buffer> {
  let after = 0
  for (;;) {
    const rows = projection.rows(reader, key, { after, limit: 500 })
    if (rows.length === 0) return
    yield formatLines(rows)
    after = rows.at(-1)?.position ?? after
  }
}

/** Says whether the file consists of exactly these pieces. */
async function hasPieces(handle: FileHandle, first: Buffer, rest: Iterable<Buffer>): Promise<boolean> {
  let at = await matchPiece(handle, first, 0)
  for (const piece of rest) {
    if (at < 0) return false
    at = await matchPiece(handle, piece, at)
  }
  return (await handle.stat()).size === at
}

/** Returns the offset after the piece, or -1 if the file has other bytes at `at`. */
async function matchPiece(handle: FileHandle, piece: Buffer, at: number): Promise<number> {
  const found = Buffer.alloc(piece.length)
  for (let done = 0; done < found.length;) {
    const { bytesRead } = await handle.read(found, done, found.length - done, at + done)
    if (bytesRead === 0) return -1
    done += bytesRead
  }
  return found.equals(piece) ? at + piece.length : -1
}
