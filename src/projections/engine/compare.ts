import { type FileHandle, open } from 'node:fs/promises'
import { join } from 'node:path'
import type { Reader } from '../../store/db/db.ts'
import { linesOf } from './log-file.ts'
import { MirrorFiles } from './projection-files.ts'
import { listLitter } from './projection-tree.ts'
import type { LogProjection, Projection } from './projection.ts'

export interface MirrorProblem {
  /** Under the home. */
  readonly path: string
  readonly problem: 'missing' | 'differs' | 'unexpected'
}

/** Every file that is not what the database says. Reads only; a running daemon may be a moment behind. */
export async function* compareMirrors(
  reader: Reader,
  home: string,
  mirrors: readonly Projection[],
): AsyncGenerator<MirrorProblem> {
  const files = new MirrorFiles(join(home, 'system'))
  for (const mirror of mirrors) {
    for (const key of mirror.keys(reader)) {
      const file = mirror.file(key)
      if (file === undefined) continue
      const problem = await problemOf({ mirror, key, file }, { reader, files })
      if (problem !== undefined) yield { path: `system/${file}`, problem }
    }
  }
  for (const { file, temporary } of await listLitter(files.root, mirrors, reader)) {
    if (!temporary) yield { path: `system/${file}`, problem: 'unexpected' }
  }
}

interface Mirrored {
  readonly mirror: Projection
  readonly key: string
  readonly file: string
}

interface Place {
  readonly reader: Reader
  readonly files: MirrorFiles
}

type Verdict = MirrorProblem['problem'] | undefined

async function problemOf(mirrored: Mirrored, place: Place): Promise<Verdict> {
  const { mirror, key, file } = mirrored
  const there = (await place.files.size(file)) !== undefined
  const pieces =
    mirror.form === 'log' ? logPieces(mirror, key, place) : documentPieces(mirror, key, place)
  const first = pieces.next()
  if (first.done === true) return there ? 'unexpected' : undefined
  if (!there) return 'missing'
  const handle = await open(join(place.files.root, file), 'r')
  try {
    return (await reads(handle, first.value, pieces)) ? undefined : 'differs'
  } finally {
    await handle.close()
  }
}

function* documentPieces(
  mirror: Exclude<Projection, LogProjection>,
  key: string,
  { reader }: Place,
): Generator<Buffer> {
  const rendered = mirror.render(reader, key)
  if (typeof rendered === 'string') yield Buffer.from(rendered)
  else for (const piece of rendered ?? []) yield Buffer.from(piece)
}

function* logPieces(mirror: LogProjection, key: string, { reader }: Place): Generator<Buffer> {
  let after = 0
  for (;;) {
    const rows = mirror.rows(reader, key, { after, limit: 500 })
    if (rows.length === 0) return
    yield linesOf(rows)
    after = rows.at(-1)?.position ?? after
  }
}

/** Is the file exactly these pieces, one after the other? */
async function reads(handle: FileHandle, first: Buffer, rest: Iterable<Buffer>): Promise<boolean> {
  let at = await readsPiece(handle, first, 0)
  for (const piece of rest) {
    if (at < 0) return false
    at = await readsPiece(handle, piece, at)
  }
  return (await handle.stat()).size === at
}

/** The place after the piece, or a negative number when something else stands there. */
async function readsPiece(handle: FileHandle, piece: Buffer, at: number): Promise<number> {
  const found = Buffer.alloc(piece.length)
  for (let done = 0; done < found.length;) {
    const { bytesRead } = await handle.read(found, done, found.length - done, at + done)
    if (bytesRead === 0) return -1
    done += bytesRead
  }
  return found.equals(piece) ? at + piece.length : -1
}
