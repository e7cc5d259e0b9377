import type { FileStat, PhoneFiles } from './host.ts'

/** A file system error. The message is the text that Unix tools print after the path. */
export class FileError extends Error {}

export interface FileTree extends PhoneFiles {
  makeFolder(path: string, withParents: boolean): void
  remove(path: string): boolean
  isFolder(path: string): boolean
  /** Writes a file as the shell does: the folder must exist and be writable. */
  save(path: string, data: Buffer): void
}

interface Entry {
  readonly data: Buffer | undefined
  readonly mode: number
  readonly mtime: number
}

const FOLDER_MODE = 0o40771
const FILE_MODE = 0o100660
const FOLDERS = [
  ...'/ /data /data/local /data/local/tmp /dev /proc /system /system/bin'.split(' '),
  ...'/storage /storage/emulated /storage/emulated/0'.split(' '),
  ...'Alarms DCIM Documents Download Movies Music Pictures'.split(' ').map((name) => `/storage/emulated/0/${name}`),
]
const WRITABLE = ['/storage/emulated/0', '/data/local/tmp']

/** Creates the phone's in-memory file system. `live` files are computed on each read. */
export function createFileTree(now: () => number, live: Readonly<Record<string, () => string>>): FileTree {
  const createdAt = Math.floor(now() / 1000)
  const entries = new Map<string, Entry>(
    FOLDERS.map((path) => [path, { data: undefined, mode: FOLDER_MODE, mtime: createdAt }]),
  )
  return new MemoryFileTree(entries, now, live)
}

class MemoryFileTree implements FileTree {
  private readonly entries: Map<string, Entry>
  private readonly now: () => number
  private readonly live: Readonly<Record<string, () => string>>

  constructor(entries: Map<string, Entry>, now: () => number, live: Readonly<Record<string, () => string>>) {
    this.entries = entries
    this.now = now
    this.live = live
  }

  stat(path: string): FileStat | undefined {
    const key = resolvePath(path)
    const computed = this.readLive(key)
    if (computed !== undefined) return { mode: 0o100444, size: computed.length, mtime: this.seconds() }
    const entry = this.entries.get(key)
    return entry && toStat(entry)
  }

  list(path: string): readonly (FileStat & { readonly name: string })[] {
    const folder = resolvePath(path)
    const prefix = folder === '/' ? '/' : `${folder}/`
    const children = [...this.entries].filter(
      ([key]) => key !== '/' && key.startsWith(prefix) && !key.slice(prefix.length).includes('/'),
    )
    return children
      .map(([key, entry]) => ({ name: key.slice(prefix.length), ...toStat(entry) }))
      .toSorted((a, b) => (a.name < b.name ? -1 : 1))
  }

  read(path: string): Buffer | undefined {
    const key = resolvePath(path)
    return this.readLive(key) ?? this.entries.get(key)?.data
  }

  write(path: string, data: Buffer, stat: { readonly mode: number; readonly mtime: number }): void {
    const key = resolvePath(path)
    this.makeFolder(toParent(key), true)
    this.put(key, { data, mode: 0o100000 | (stat.mode & 0o777), mtime: stat.mtime })
  }

  save(path: string, data: Buffer): void {
    const key = resolvePath(path)
    if (!this.isFolder(toParent(key))) throw new FileError('No such file or directory')
    this.put(key, { data, mode: FILE_MODE, mtime: this.seconds() })
  }

  makeFolder(path: string, withParents: boolean): void {
    const key = resolvePath(path)
    const existing = this.entries.get(key)
    if (existing !== undefined) {
      if (withParents && existing.data === undefined) return
      throw new FileError('File exists')
    }
    if (withParents) this.makeFolder(toParent(key), true)
    else if (!this.isFolder(toParent(key))) throw new FileError('No such file or directory')
    this.put(key, { data: undefined, mode: FOLDER_MODE, mtime: this.seconds() })
  }

  remove(path: string): boolean {
    const key = resolvePath(path)
    if (!this.entries.has(key)) return false
    assertWritable(key)
    for (const other of this.entries.keys()) {
      if (other === key || other.startsWith(`${key}/`)) this.entries.delete(other)
    }
    return true
  }

  isFolder(path: string): boolean {
    const entry = this.entries.get(resolvePath(path))
    return entry !== undefined && entry.data === undefined
  }

  private put(key: string, entry: Entry): void {
    assertWritable(key)
    if (entry.data !== undefined && this.isFolder(key)) throw new FileError('Is a directory')
    this.entries.set(key, entry)
  }

  private readLive(key: string): Buffer | undefined {
    return Object.hasOwn(this.live, key) ? Buffer.from(this.live[key]?.() ?? '') : undefined
  }

  private seconds(): number {
    return Math.floor(this.now() / 1000)
  }
}

/** Makes a path absolute, removes dots and resolves the links to the shared storage. */
export function resolvePath(path: string): string {
  const parts: string[] = []
  for (const part of path.split('/')) {
    if (part === '..') parts.pop()
    else if (part !== '' && part !== '.') parts.push(part)
  }
  const plain = `/${parts.join('/')}`
  return plain.replace(/^\/(sdcard|storage\/self\/primary|mnt\/sdcard)(?=\/|$)/, '/storage/emulated/0')
}

function toParent(key: string): string {
  return key.slice(0, key.lastIndexOf('/')) || '/'
}

function assertWritable(key: string): void {
  if (WRITABLE.some((root) => key.startsWith(`${root}/`))) return
  const readOnly = /^\/(system|vendor|product)?(\/|$)|^\/[^/]*$/.test(key)
  throw new FileError(readOnly ? 'Read-only file system' : 'Permission denied')
}

function toStat(entry: Entry): FileStat {
  return { mode: entry.mode, size: entry.data?.length ?? 4096, mtime: entry.mtime }
}
