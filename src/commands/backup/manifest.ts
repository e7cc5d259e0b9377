import { createHash } from 'node:crypto'
import { createReadStream, existsSync, readFileSync } from 'node:fs'
import { open, stat } from 'node:fs/promises'
import { dirname, join, posix } from 'node:path'
import { z } from 'zod'
import { createFile, makeFolder, PRIVATE } from '../../home/private-files.ts'

export const MANIFEST_NAME = 'backup.json'
export const SECRETS_FOLDER = 'secrets'

export const BackupFile = z.strictObject({
  path: z.string().refine(isRelativePath, 'must be a relative path inside the backup'),
  bytes: z.int().nonnegative(),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  executable: z.literal(true).optional(),
})
export type BackupFile = z.infer<typeof BackupFile>

/** The list of what a backup contains. It is written last: a copy without it was cut off. */
export const BackupManifest = z.strictObject({
  format: z.literal(1),
  created_at: z.iso.datetime(),
  program_version: z.string(),
  database: z.strictObject({ database_id: z.string(), generation: z.int(), commit_count: z.int() }),
  with_secrets: z.boolean(),
  files: z.array(BackupFile),
})
export type BackupManifest = z.infer<typeof BackupManifest>

/** A folder that is not a whole backup. */
export class BackupInvalid extends Error {}

export function readManifest(folder: string): BackupManifest {
  const file = join(folder, MANIFEST_NAME)
  if (!existsSync(file)) {
    throw new BackupInvalid(`${folder} has no ${MANIFEST_NAME}: it is no backup, or its copy was cut off.`)
  }
  return parseManifest(file, BackupManifest)
}

/** Reads a file with one JSON document. */
export function parseManifest<S extends z.ZodType>(file: string, schema: S): z.output<S> {
  let document: unknown
  try {
    document = JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    throw new BackupInvalid(`${file} is not valid JSON: its copy was cut off.`)
  }
  const read = schema.safeParse(document)
  if (read.success) return read.data
  const [issue] = read.error.issues
  throw new BackupInvalid(`${file} is invalid at ${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}.`)
}

/** A backup, or what is equal to one. */
export interface BackupSource {
  readonly manifest: BackupManifest
  /** Where the content of a file of the manifest is. */
  readonly locate: (path: string) => string
}

/** Throws unless every file of the manifest is there with its size and hash. */
export async function verifyFiles({ manifest, locate }: BackupSource): Promise<void> {
  for (const file of manifest.files) {
    const found = await stat(locate(file.path)).catch(() => undefined)
    if (found === undefined) throw new BackupInvalid(`The backup lacks ${file.path}.`)
    if (found.size !== file.bytes) {
      throw new BackupInvalid(`${file.path} of the backup has ${found.size} bytes instead of ${file.bytes}.`)
    }
    if ((await computeDigest(locate(file.path))) !== file.sha256) throw differs(file.path)
  }
}

/** Copies a file of a backup, and throws if it is not the one that the manifest lists. */
export async function copyVerified({ locate }: BackupSource, file: BackupFile, target: string): Promise<void> {
  const copied = await copyWithDigest(locate(file.path), target, file.executable === true)
  if (copied.sha256 !== file.sha256) throw differs(file.path)
}

const differs = (path: string): BackupInvalid =>
  new BackupInvalid(`${path} of the backup has changed since it was made.`)

/** Copies a file and computes the hash of what was copied. */
export async function copyWithDigest(
  source: string,
  target: string,
  executable: boolean,
): Promise<{ readonly bytes: number; readonly sha256: string }> {
  const from = await open(source, 'r')
  try {
    await makeFolder(dirname(target))
    const to = await createFile(target, executable ? { ...PRIVATE, file: PRIVATE.folder } : PRIVATE)
    const digest = createHash('sha256')
    let bytes = 0
    try {
      for await (const piece of from.createReadStream({ autoClose: false })) {
        digest.update(piece as Buffer)
        bytes += (piece as Buffer).length
        await to.appendFile(piece as Buffer)
      }
    } finally {
      await to.close()
    }
    return { bytes, sha256: digest.digest('hex') }
  } finally {
    await from.close()
  }
}

export async function computeDigest(file: string): Promise<string> {
  const digest = createHash('sha256')
  for await (const piece of createReadStream(file)) digest.update(piece as Buffer)
  return digest.digest('hex')
}

function isRelativePath(path: string): boolean {
  return (
    path !== '' &&
    !path.includes('\\') &&
    !posix.isAbsolute(path) &&
    posix.normalize(path) === path &&
    !path.startsWith('..')
  )
}
