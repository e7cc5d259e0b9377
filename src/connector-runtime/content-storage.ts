import { statSync } from 'node:fs'
import { systemActor, writePatientlyAs } from '../domain/command/context.ts'
import type { ContextDeps } from '../domain/command/context.ts'
import { countFreeBytes, recordContent } from '../domain/connectors/contents.ts'
import { type ContentFiles, openConnectorFiles } from '../files/content-files.ts'
import { type ContentRow, listContentDigests } from '../store/connectors/contents.ts'
import type { DispatchRow } from '../store/connectors/dispatches.ts'
import type { Store } from '../store/db/db.ts'

interface ContentFacts {
  readonly file_name: string
  readonly media_type: string
}

/** A user keeps as much as is allowed already. */
export class ContentQuotaExceeded extends Error {}

/** A file may belong to a content that is being recorded, so a new one is left alone. */
const RECENT_MS = 3_600_000

/** Stores files and texts that connectors returned, for the user who called, for a day. */
export class ContentStorage {
  readonly #deps: ContextDeps & { readonly store: Store }
  readonly #files: ContentFiles

  constructor(home: string, deps: ContextDeps & { readonly store: Store }) {
    this.#deps = deps
    this.#files = openConnectorFiles(home)
  }

  /** The file is on disk before its row is written. Returns the reference of the content. */
  async save(
    pieces: AsyncIterable<Buffer> | Iterable<Buffer>,
    { file_name, media_type }: ContentFacts,
    { user_id, server_id, dispatch_id, correlation_id }: DispatchRow,
  ): Promise<string> {
    const free = this.#deps.store.read((reader) => countFreeBytes(reader, user_id))
    const { sha256, bytes } = await this.#files.writePieces(limit(pieces, free))
    const content = { server_id, dispatch_id, sha256, bytes, media_type, file_name }
    return writePatientlyAs(this.#deps, { actor: systemActor(user_id), correlation_id }, (ctx) =>
      recordContent(ctx, content),
    )
  }

  stream({ sha256 }: Pick<ContentRow, 'sha256'>): AsyncIterable<Buffer> {
    return this.#files.stream(sha256)
  }

  readPart({ sha256 }: Pick<ContentRow, 'sha256'>, offset: number, maxBytes: number): Promise<Buffer> {
    return this.#files.readPart(sha256, offset, maxBytes)
  }

  /** Removes the files of contents that are not kept any more. */
  async sweep(): Promise<number> {
    const needed = new Set(this.#deps.store.read(listContentDigests))
    return this.#files.sweep((sha256) => needed.has(sha256) || isRecent(this.#files.locate(sha256)))
  }
}

async function* limit(pieces: AsyncIterable<Buffer> | Iterable<Buffer>, most: number): AsyncGenerator<Buffer> {
  let bytes = 0
  for await (const piece of pieces) {
    bytes += piece.length
    if (bytes > most) throw new ContentQuotaExceeded('The user keeps as many contents as allowed.')
    yield piece
  }
}

const isRecent = (file: string): boolean =>
  Date.now() - (statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0) < RECENT_MS
