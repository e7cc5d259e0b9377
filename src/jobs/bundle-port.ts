import type { ArchiveEntry } from '../knowledge/bundle-scan/entry-names.ts'

export interface OpenedBundle<E extends ArchiveEntry> {
  readonly entries: readonly E[]
  readonly hidden_bytes: number
  unpack(entry: E): AsyncIterable<Buffer>
  close(): Promise<void>
}

export interface UnpackFolder {
  write(
    path: string,
    pieces: AsyncIterable<Buffer> | Iterable<Buffer>,
  ): Promise<{ sha256: string; bytes: number }>
  finish(): Promise<void>
  discard(): Promise<void>
}

/** The hands that keep bundles from outside, as they came and unpacked. */
export interface BundlePort<E extends ArchiveEntry = ArchiveEntry> {
  open(ref: string): Promise<OpenedBundle<E>>
  stage(importId: string): Promise<UnpackFolder>
  removeUpload(ref: string): Promise<void>
  removeStaged(importId: string): Promise<void>
  blockedTerms(): Promise<string>
}
