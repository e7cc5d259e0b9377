import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { BackupFile, parseManifest } from './manifest.ts'

const MANIFEST_NAME = 'replica.json'

/** A file of the replica, named by the hash of its content. */
const StoredPiece = z.strictObject({ sha256: z.string().regex(/^[0-9a-f]{64}$/), bytes: z.int().nonnegative() })
export type StoredPiece = z.infer<typeof StoredPiece>

const Identity = { database_id: z.string(), generation: z.int(), commit_count: z.int() }

/** The database as it was once, and the pages that have changed since, oldest first. */
const PageCopy = z.strictObject({
  ...Identity,
  page_size: z.int().min(512).max(65_536),
  /** Of the whole database. */
  sha256: z.string(),
  bytes: z.int().positive(),
  base: StoredPiece,
  changes: z.array(StoredPiece),
})
export type PageCopy = z.infer<typeof PageCopy>

/** The database is at this address, kept by Litestream. */
const LitestreamCopy = z.strictObject({ ...Identity, litestream: z.string() })
export type LitestreamCopy = z.infer<typeof LitestreamCopy>

/** Everything that a replica has. Replaced as one, after what it names is on disk. */
export const ReplicaManifest = z.strictObject({
  format: z.literal(1),
  updated_at: z.iso.datetime(),
  program_version: z.string(),
  with_secrets: z.boolean(),
  database: z.union([PageCopy, LitestreamCopy]),
  files: z.array(BackupFile),
})
export type ReplicaManifest = z.infer<typeof ReplicaManifest>

export const locateManifest = (folder: string): string => join(folder, MANIFEST_NAME)

export const isReplica = (folder: string): boolean => existsSync(locateManifest(folder))

export const readReplica = (folder: string): ReplicaManifest => parseManifest(locateManifest(folder), ReplicaManifest)

export const locatePiece = (folder: string, sha256: string): string =>
  join(folder, 'objects', sha256.slice(0, 2), sha256)

/** Lists the hashes of all files that the manifest names. */
export function listPieces({ database, files }: ReplicaManifest): string[] {
  const pieces = 'base' in database ? [database.base, ...database.changes] : []
  return [...pieces, ...files].map(({ sha256 }) => sha256)
}
