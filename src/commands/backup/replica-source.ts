import { execFile } from 'node:child_process'
import { open, stat } from 'node:fs/promises'
import { promisify } from 'node:util'
import { DATABASE_NAME } from '../../daemon/database-loss.ts'
import { applyChanges } from './database-pages.ts'
import { BackupInvalid, type BackupSource, computeDigest, copyWithDigest } from './manifest.ts'
import { locatePiece, type PageCopy, readReplica, type StoredPiece } from './replica-manifest.ts'

/** Puts the database of a replica together in a new file, and verifies it. The other files are verified by the caller. */
export async function assembleReplica(folder: string, target: string): Promise<BackupSource> {
  const { database, files, updated_at, program_version, with_secrets } = readReplica(folder)
  if ('base' in database) await assembleDatabase(folder, database, target)
  else await promisify(execFile)('litestream', ['restore', '-o', target, database.litestream])
  const sha256 = await computeDigest(target)
  if ('base' in database && sha256 !== database.sha256) {
    throw new BackupInvalid('The database of the replica is not the one that its manifest names.')
  }
  const { size: bytes } = await stat(target)
  const digests = new Map(files.map((file) => [file.path, file.sha256]))
  const { database_id, generation, commit_count } = database
  return {
    manifest: {
      format: 1,
      created_at: updated_at,
      program_version,
      database: { database_id, generation, commit_count },
      with_secrets,
      files: [...files, { path: DATABASE_NAME, bytes, sha256 }],
    },
    locate: (path) => (path === DATABASE_NAME ? target : locatePiece(folder, digests.get(path) ?? '')),
  }
}

async function assembleDatabase(folder: string, copy: PageCopy, target: string): Promise<void> {
  const { base, changes, page_size, bytes } = copy
  await copyWithDigest(locatePiece(folder, base.sha256), target, false).catch(() => {
    throw lacks(base)
  })
  const database = await open(target, 'r+')
  try {
    for (const piece of changes) {
      const file = locatePiece(folder, piece.sha256)
      if ((await computeDigest(file).catch(() => undefined)) !== piece.sha256) throw lacks(piece)
      await applyChanges(database, file, page_size)
    }
    await database.truncate(bytes)
  } finally {
    await database.close()
  }
}

const lacks = ({ sha256 }: StoredPiece): BackupInvalid =>
  new BackupInvalid(`The replica lacks a part of its database, or it is damaged: ${sha256}.`)
