import type { Reader } from '../../store/db/db.ts'
import type { DocumentProjection } from './projection.ts'
import type { ProjectionFiles } from './projection-files.ts'

export interface FileWork {
  readonly key: string
  readonly file: string
  /** The folder that remains when the file is removed. */
  readonly keep: string
}

export interface FileTools {
  readonly reader: Reader
  readonly files: ProjectionFiles
  /** Called between pieces of work so that it does not block the event loop. */
  readonly restIfDue: () => Promise<void>
}

/** Writes one document from its rows. A file that already has the content is not written. */
export async function updateDocument(
  { projection, key, file, keep }: FileWork & { readonly projection: DocumentProjection },
  { reader, files, restIfDue }: FileTools,
): Promise<void> {
  const rendered = projection.render(reader, key)
  if (rendered === undefined) return files.remove(file, keep)
  const content = Buffer.from(await joinPieces(rendered, restIfDue))
  if (!(await files.hasContent(file, content))) await files.replaceContent(file, content)
}

async function joinPieces(rendered: string | Iterable<string>, restIfDue: () => Promise<void>): Promise<string> {
  if (typeof rendered === 'string') return rendered
  const pieces: string[] = []
  for (const piece of rendered) {
    pieces.push(piece)
    await restIfDue()
  }
  return pieces.join('')
}
