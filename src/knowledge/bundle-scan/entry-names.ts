import type { Findings } from './findings.ts'

/** What an archive says of one of its entries. */
export interface ArchiveEntry {
  readonly path: string
  /** The name is not the text it claims to be, or the archive gives it two. */
  readonly doubtful: boolean
  readonly directory: boolean
  readonly size: number
  readonly mode: number
  readonly linked: boolean
}

const longestPath = 240
const deepest = 12
const setuidBits = 0o7000
const typeBits = 0o170000
const fileTypes = { none: 0, plain: 0o100000, folder: 0o040000, link: 0o120000 }

/** Looks the names over and returns the files that may be unpacked; what is left out was told. */
export function chooseFiles<E extends ArchiveEntry>(
  entries: readonly E[],
  findings: Findings,
): readonly E[] {
  for (const entry of entries) {
    judgeName(entry, findings)
    judgeType(entry, findings)
  }
  judgeNamesakes(entries, findings)
  const kept = entries.filter((entry) => !entry.directory && !isLeftOut(entry, findings))
  if (kept.length === 0) findings.add('ARCHIVE_EMPTY')
  return kept
}

function judgeName({ path, doubtful }: ArchiveEntry, findings: Findings): void {
  if (leadsOut(path)) findings.add('ARCHIVE_PATH_TRAVERSAL', { path })
  if (doubtful || unseen.test(path)) findings.add('ARCHIVE_CONFUSABLE_NAME', { path })
  const parts = path.replace(/\/$/, '').split('/')
  if (
    path.length > longestPath ||
    parts.length > deepest ||
    parts.some((part) => part.length > 160)
  )
    findings.add('ARCHIVE_PATH_TOO_LONG', { path })
  if (parts.some((part) => reserved.test(part))) findings.add('ARCHIVE_RESERVED_NAME', { path })
}

/** Outside the folder it is unpacked into, or not a relative path of plain parts at all. */
export function leadsOut(path: string): boolean {
  if (path === '' || /[\p{Cc}\\]/u.test(path)) return true
  if (path.startsWith('/') || /^[A-Za-z]:/.test(path)) return true
  const parts = path.replace(/\/$/, '').split('/')
  return parts.some((part) => part === '' || part === '.' || part === '..')
}

/** Characters that have no shape of their own, or turn the direction of the others. */
const unseen = /(?!\ufe0f)\p{Default_Ignorable_Code_Point}/u
const reserved = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)|[<>:"|?*]|[. ]$/i

function judgeType({ path, mode, linked, directory }: ArchiveEntry, findings: Findings): void {
  const type = mode & typeBits
  if (type === fileTypes.link) findings.add('ARCHIVE_SYMLINK', { path })
  else if (linked) findings.add('ARCHIVE_SPECIAL_FILE', { path })
  else if (type !== fileTypes.none && type !== fileTypes.plain && type !== fileTypes.folder)
    findings.add('ARCHIVE_SPECIAL_FILE', { path })
  else if (type === fileTypes.folder && !directory) findings.add('ARCHIVE_SPECIAL_FILE', { path })
  if ((mode & setuidBits) !== 0) findings.add('ARCHIVE_SETUID_BITS', { path })
}

/** Names that some file system would take for one, folders on the way to a file included. */
function judgeNamesakes(entries: readonly ArchiveEntry[], findings: Findings): void {
  const seen = new Set<string>()
  const alike = new Map<string, string>()
  const files = new Set(entries.filter(({ directory }) => !directory).map(({ path }) => path))
  for (const { path } of entries) {
    const plain = path.replace(/\/$/, '')
    if (seen.has(plain)) findings.add('ARCHIVE_DUPLICATE_ENTRY', { path })
    seen.add(plain)
    for (const part of pathsTo(plain)) {
      if (part !== plain && files.has(part)) findings.add('ARCHIVE_DUPLICATE_ENTRY', { path })
      const folded = part.normalize('NFKC').toLowerCase()
      const other = alike.get(folded)
      if (other === undefined) alike.set(folded, part)
      else if (other !== part) findings.add('ARCHIVE_CASE_COLLISION', { path })
    }
  }
}

/** A path and the folders above it. */
function pathsTo(path: string): string[] {
  const parts = path.split('/').slice(0, deepest + 1)
  return parts.map((_, at) => parts.slice(0, at + 1).join('/'))
}

function isLeftOut({ path }: ArchiveEntry, findings: Findings): boolean {
  const parts = path.split('/')
  if (parts.some((part) => junk.has(part.toLowerCase()) || part.startsWith('._'))) {
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

const junk = new Set(['__macosx', '.ds_store', 'thumbs.db', 'desktop.ini'])
