import type { Reader } from '../../store/db/db.ts'
import type { Changes } from './changes.ts'
import { filledPath } from './file-name.ts'

interface MirrorParts {
  /** Where its files lie under `system/`; `<...>` stands for the parts of a key. */
  readonly path: string
  /** Raised when the content of unchanged rows is to look different: everything is then written anew. */
  readonly version?: number
  /** Every key that may have a file now. Left out for a mirror that is one file. */
  readonly keys?: (reader: Reader) => readonly string[]
  /** The keys whose files may have to change. Left out: any change may touch it. */
  readonly touched?: (changes: Changes, reader: Reader) => Iterable<string>
}

interface DocumentParts extends MirrorParts {
  /** The whole content, in pieces when it takes long to make; undefined when there is nothing to show. */
  readonly render: (reader: Reader, key: string) => string | Iterable<string> | undefined
  /** A document that is costly to make is made no more often than this. */
  readonly everyMs?: number
}

export interface Span {
  readonly after: number
  readonly limit: number
}

export interface Positioned {
  readonly position: number
  readonly entry: object
}

interface LogParts extends MirrorParts {
  readonly rows: (reader: Reader, key: string, span: Span) => readonly Positioned[]
  /** How many rows there are up to and including this position. */
  readonly count: (reader: Reader, key: string, upTo: number) => number
  /** May these changes have removed rows already written? */
  readonly shrinks: (changes: Changes) => boolean
}

interface ProjectionKinds {
  readonly version: number
  readonly keys: (reader: Reader) => readonly string[]
  readonly touched: (changes: Changes, reader: Reader) => Iterable<string>
  /** Undefined when the key may not become a path. */
  readonly file: (key: string) => string | undefined
}

/** One file per key, replaced whole. */
export type DocumentProjection = DocumentParts & ProjectionKinds & { readonly form: 'document' }
/** One file per key, a line per row; lines are appended, and the file replaced only when rows went. */
export type LogProjection = LogParts & ProjectionKinds & { readonly form: 'log' }
export type Projection = DocumentProjection | LogProjection

/** The key of a mirror that is one file. */
export const only = ''

export const documentProjection = (parts: DocumentParts): DocumentProjection => ({
  ...parts,
  ...marks(parts),
  form: 'document',
})

export const logProjection = (parts: LogParts): LogProjection => ({
  ...parts,
  ...marks(parts),
  form: 'log',
})

function marks(parts: MirrorParts): ProjectionKinds {
  return {
    version: parts.version ?? 1,
    keys: parts.keys ?? (() => [only]),
    touched: parts.touched ?? (() => [only]),
    file: (key) => filledPath(parts.path, key),
  }
}
