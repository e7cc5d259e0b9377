import type { Reader } from '../../store/db/db.ts'
import type { DocumentProjection } from './projection.ts'
import type { MirrorFiles } from './projection-files.ts'

export interface FileWork {
  readonly key: string
  readonly file: string
  /** The folder that stays when the file goes. */
  readonly keep: string
}

export interface FileTools {
  readonly reader: Reader
  readonly files: MirrorFiles
  /** Called now and then; lets others have their turn. */
  readonly breathe: () => Promise<void>
}

/** Brings one document up to its rows. A file that already says the right thing is left alone. */
export async function bringDocumentUp(
  { mirror, key, file, keep }: FileWork & { readonly mirror: DocumentProjection },
  { reader, files, breathe }: FileTools,
): Promise<void> {
  const rendered = mirror.render(reader, key)
  if (rendered === undefined) return files.remove(file, keep)
  const content = Buffer.from(await joined(rendered, breathe))
  if (!(await files.says(file, content))) await files.replaceWith(file, content)
}

async function joined(
  rendered: string | Iterable<string>,
  breathe: () => Promise<void>,
): Promise<string> {
  if (typeof rendered === 'string') return rendered
  const pieces: string[] = []
  for (const piece of rendered) {
    pieces.push(piece)
    await breathe()
  }
  return pieces.join('')
}
