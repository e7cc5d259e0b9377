import type { Reader } from '../../store/db/db.ts'
import type { Changes } from './changes.ts'
import { fillPath } from './file-name.ts'

interface ProjectionParts {
  /** The path of its files under `system/`. Each `<...>` is replaced by a part of the key. */
  readonly path: string
  /** Increase it when the format changes: all files are then written again. */
  readonly version?: number
  /** Lists every key that may have a file now. Omitted for a projection with a single file. */
  readonly keys?: (reader: Reader) => readonly string[]
  /** Lists the keys whose files may have to change. Omitted: any change may affect the single file. */
  readonly touched?: (changes: Changes, reader: Reader) => Iterable<string>
}

interface DocumentParts extends ProjectionParts {
  /** Renders the content, in pieces if it is large. Returns undefined if there is no file. */
  readonly render: (reader: Reader, key: string) => string | Iterable<string> | undefined
  /** The least time between two renderings of an expensive document. */
  readonly minIntervalMs?: number
}

export interface Span {
  readonly after: number
  readonly limit: number
}

export interface LogRow {
  readonly position: number
  readonly entry: object
}

interface LogParts extends ProjectionParts {
  readonly rows: (reader: Reader, key: string, span: Span) => readonly LogRow[]
  /** Counts the rows up to and including this position. */
  readonly count: (reader: Reader, key: string, upTo: number) => number
  /** Says whether these changes may have removed rows that were already written. */
  readonly shrinks: (changes: Changes) => boolean
}

interface ProjectionDefaults {
  readonly version: number
  readonly keys: (reader: Reader) => readonly string[]
  readonly touched: (changes: Changes, reader: Reader) => Iterable<string>
  /** Returns undefined if the key cannot be part of a path. */
  readonly file: (key: string) => string | undefined
}

/** One file per key. The file is replaced as a whole. */
export type DocumentProjection = DocumentParts & ProjectionDefaults & { readonly form: 'document' }
/** One file per key with a line per row. Lines are appended; the file is replaced only when rows were removed. */
export type LogProjection = LogParts & ProjectionDefaults & { readonly form: 'log' }
export type Projection = DocumentProjection | LogProjection

/** The key of a projection with a single file. */
export const SINGLE_KEY = ''

export const documentProjection = (parts: DocumentParts): DocumentProjection => ({
  ...parts,
  ...fillDefaults(parts),
  form: 'document',
})

export const logProjection = (parts: LogParts): LogProjection => ({
  ...parts,
  ...fillDefaults(parts),
  form: 'log',
})

function fillDefaults(parts: ProjectionParts): ProjectionDefaults {
  return {
    version: parts.version ?? 1,
    keys: parts.keys ?? (() => [SINGLE_KEY]),
    touched: parts.touched ?? (() => [SINGLE_KEY]),
    file: (key) => fillPath(parts.path, key),
  }
}
