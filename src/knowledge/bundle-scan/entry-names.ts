import type { Findings } from './findings.ts'

/** The metadata of an archive entry. */
export interface ArchiveEntry {
  readonly path: string
  /** The name is not valid in its encoding, or the archive contains a second, different name for the entry. */
  readonly doubtful: boolean
  readonly directory: boolean
  readonly size: number
  readonly mode: number
  readonly linked: boolean
}

const MAX_PATH_LENGTH = 240
const MAX_DEPTH = 12
const SETUID_BITS = 0o7000
const TYPE_BITS = 0o170000
const FILE_TYPES = { none: 0, plain: 0o100000, folder: 0o040000, link: 0o120000 }

/** Checks all entries and returns the files to unpack. Every excluded file is a finding. */
export function chooseFiles<E extends ArchiveEntry>(entries: readonly E[], findings: Findings): readonly E[] {
  for (const entry of entries) {
    checkName(entry, findings)
    checkType(entry, findings)
  }
  checkDuplicates(entries, findings)
  const files = entries.filter((entry) => !entry.directory && !isExcluded(entry, findings))
  if (files.length === 0) findings.add('ARCHIVE_EMPTY')
  return files
}

function checkName({ path, doubtful }: ArchiveEntry, findings: Findings): void {
  if (isUnsafePath(path)) findings.add('ARCHIVE_PATH_TRAVERSAL', { path })
  if (doubtful || INVISIBLE_CHARACTER.test(path)) findings.add('ARCHIVE_CONFUSABLE_NAME', { path })
  const parts = path.replace(/\/$/, '').split('/')
  if (path.length > MAX_PATH_LENGTH || parts.length > MAX_DEPTH || parts.some((part) => part.length > 160))
    findings.add('ARCHIVE_PATH_TOO_LONG', { path })
  if (parts.some((part) => RESERVED_NAME.test(part))) findings.add('ARCHIVE_RESERVED_NAME', { path })
}

/** True for a path outside the folder it is relative to, and for a path that is not normalized. */
export function isUnsafePath(path: string): boolean {
  if (path === '' || /[\p{Cc}\\]/u.test(path)) return true
  if (path.startsWith('/') || /^[A-Za-z]:/.test(path)) return true
  const parts = path.replace(/\/$/, '').split('/')
  return parts.some((part) => part === '' || part === '.' || part === '..')
}

/** Characters without a glyph, and those that change the text direction. */
const INVISIBLE_CHARACTER = /(?!\ufe0f)\p{Default_Ignorable_Code_Point}/u
const RESERVED_NAME = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)|[<>:"|?*]|[. ]$/i

function checkType({ path, mode, linked, directory }: ArchiveEntry, findings: Findings): void {
  const type = mode & TYPE_BITS
  if (type === FILE_TYPES.link) findings.add('ARCHIVE_SYMLINK', { path })
  else if (linked) findings.add('ARCHIVE_SPECIAL_FILE', { path })
  else if (type !== FILE_TYPES.none && type !== FILE_TYPES.plain && type !== FILE_TYPES.folder)
    findings.add('ARCHIVE_SPECIAL_FILE', { path })
  else if (type === FILE_TYPES.folder && !directory) findings.add('ARCHIVE_SPECIAL_FILE', { path })
  if ((mode & SETUID_BITS) !== 0) findings.add('ARCHIVE_SETUID_BITS', { path })
}

/** Finds names, including parent folders, that are equal on a case-insensitive or normalizing file system. */
function checkDuplicates(entries: readonly ArchiveEntry[], findings: Findings): void {
  const seen = new Set<string>()
  const folded = new Map<string, string>()
  const files = new Set(entries.filter(({ directory }) => !directory).map(({ path }) => path))
  for (const { path } of entries) {
    const plain = path.replace(/\/$/, '')
    if (seen.has(plain)) findings.add('ARCHIVE_DUPLICATE_ENTRY', { path })
    seen.add(plain)
    for (const part of listParentPaths(plain)) {
      if (part !== plain && files.has(part)) findings.add('ARCHIVE_DUPLICATE_ENTRY', { path })
      const key = part.normalize('NFKC').toLowerCase()
      const other = folded.get(key)
      if (other === undefined) folded.set(key, part)
      else if (other !== part) findings.add('ARCHIVE_CASE_COLLISION', { path })
    }
  }
}

/** A path and its parent folders. */
function listParentPaths(path: string): string[] {
  const parts = path.split('/').slice(0, MAX_DEPTH + 1)
  return parts.map((_, at) => parts.slice(0, at + 1).join('/'))
}

function isExcluded({ path }: ArchiveEntry, findings: Findings): boolean {
  const parts = path.split('/')
  if (parts.some((part) => JUNK_FILES.has(part.toLowerCase()) || part.startsWith('._'))) {
    findings.add('ARCHIVE_JUNK_FILES', { path })
    return true
  }
  if (parts.some((part) => part.startsWith('.') && part !== '.' && part !== '..')) {
    if (/^\.env(?:\.|$)/.test(parts.at(-1) ?? '')) findings.add('SECRET_ENV_FILE', { path })
    findings.add('ARCHIVE_HIDDEN_FILES', { path })
    return true
  }
  return false
}

const JUNK_FILES = new Set(['__macosx', '.ds_store', 'thumbs.db', 'desktop.ini'])
