import type { FileStat, PhoneFiles } from './host.ts'

/** A file system error. The message is the text that Unix tools print after the path. */
export class FileError extends Error {}

export interface FileTree extends PhoneFiles {
  makeFolder(path: string, withParents: boolean): void
  remove(path: string): boolean
  isFolder(path: string): boolean
  /** Writes a file as the shell does: the folder must exist and be writable. */
  save(path: string, data: Buffer): void
  /** Adds to the end of a file, which is created if it is missing. */
  append(path: string, data: Buffer): void
  /** Moves a file or folder with everything below it. */
  move(from: string, to: string): void
  /** Changes the permissions or the time of a file or folder. */
  change(path: string, change: { readonly mode?: number; readonly mtime?: number }): void
}

interface Entry {
  /** The pieces of a file, joined when it is read. Undefined for a folder. */
  parts: Buffer[] | undefined
  size: number
  mode: number
  mtime: number
}

const FOLDER_MODE = 0o40771
const FILE_MODE = 0o100660
const LIVE_MODE = 0o100444
const FOLDERS = [
  ...'/ /data /data/local /data/local/tmp /dev /proc /system /system/bin'.split(' '),
  ...'/storage /storage/emulated /storage/emulated/0'.split(' '),
  ...'Alarms DCIM Documents Download Movies Music Pictures'.split(' ').map((name) => `/storage/emulated/0/${name}`),
]
const WRITABLE = ['/storage/emulated/0', '/data/local/tmp']
/** The storage of the phone. */
const MAX_BYTES = 512 * 1024 * 1024

/** Creates the phone's in-memory file system. `live` files are computed on each read. */
export function createFileTree(now: () => number, live: Readonly<Record<string, () => string>>): FileTree {
  const createdAt = Math.floor(now() / 1000)
  const entries = new Map<string, Entry>(FOLDERS.map((path) => [path, createEntry(undefined, FOLDER_MODE, createdAt)]))
  return new MemoryFileTree(entries, now, live)
}

class MemoryFileTree implements FileTree {
  private readonly entries: Map<string, Entry>
  private readonly now: () => number
  private readonly live: Readonly<Record<string, () => string>>
  private usedBytes = 0

  constructor(entries: Map<string, Entry>, now: () => number, live: Readonly<Record<string, () => string>>) {
    this.entries = entries
    this.now = now
    this.live = live
  }

  stat(path: string): FileStat | undefined {
    const key = resolvePath(path)
    const computed = this.readLive(key)
    if (computed !== undefined) return { mode: LIVE_MODE, size: computed.length, mtime: this.seconds() }
    const entry = this.entries.get(key)
    return entry && toStat(entry)
  }

  list(path: string): readonly (FileStat & { readonly name: string })[] {
    const folder = resolvePath(path)
    const prefix = folder === '/' ? '/' : `${folder}/`
    const isChild = (key: string): boolean =>
      key !== '/' && key.startsWith(prefix) && !key.slice(prefix.length).includes('/')
    const stored = [...this.entries].filter(([key]) => isChild(key))
    const computed = Object.keys(this.live).filter((key) => isChild(key))
    return [
      ...stored.map(([key, entry]) => ({ name: key.slice(prefix.length), ...toStat(entry) })),
      ...computed.flatMap((key) => ({
        name: key.slice(prefix.length),
        mode: LIVE_MODE,
        size: 0,
        mtime: this.seconds(),
      })),
    ].toSorted((a, b) => (a.name < b.name ? -1 : 1))
  }

  read(path: string): Buffer | undefined {
    const key = resolvePath(path)
    const live = this.readLive(key)
    if (live !== undefined) return live
    const entry = this.entries.get(key)
    if (entry?.parts === undefined) return undefined
    const [first, ...others] = entry.parts
    const data = others.length === 0 ? (first ?? Buffer.alloc(0)) : Buffer.concat(entry.parts)
    entry.parts = [data]
    return data
  }

  write(path: string, data: Buffer, stat: { readonly mode: number; readonly mtime: number }): void {
    const key = resolvePath(path)
    this.makeFolder(toParent(key), true)
    this.put(key, createEntry(data, 0o100000 | (stat.mode & 0o777), stat.mtime))
  }

  save(path: string, data: Buffer): void {
    const key = resolvePath(path)
    this.requireParent(key)
    this.put(key, createEntry(data, this.entries.get(key)?.mode ?? FILE_MODE, this.seconds()))
  }

  append(path: string, data: Buffer): void {
    const entry = this.entries.get(resolvePath(path))
    if (entry?.parts === undefined) {
      this.save(path, data)
      return
    }
    assertWritable(resolvePath(path))
    this.reserve(data.length)
    entry.parts.push(data)
    entry.size += data.length
    entry.mtime = this.seconds()
  }

  makeFolder(path: string, withParents: boolean): void {
    const key = resolvePath(path)
    const existing = this.entries.get(key)
    if (existing !== undefined) {
      if (withParents && existing.parts === undefined) return
      throw new FileError('File exists')
    }
    if (withParents) this.makeFolder(toParent(key), true)
    else this.requireParent(key)
    this.put(key, createEntry(undefined, FOLDER_MODE, this.seconds()))
  }

  move(from: string, to: string): void {
    const [source, target] = [resolvePath(from), resolvePath(to)]
    if (!this.entries.has(source)) throw new FileError('No such file or directory')
    assertWritable(source)
    assertWritable(target)
    this.requireParent(target)
    if (source === target) return
    if (target.startsWith(`${source}/`)) throw new FileError('Invalid argument')
    if (this.isFolder(target) && !this.isFolder(source)) throw new FileError('Is a directory')
    if (this.isFolder(target) && this.list(target).length > 0) throw new FileError('Directory not empty')
    this.usedBytes -= this.isFolder(target) ? 0 : (this.entries.get(target)?.size ?? 0)
    for (const [key, entry] of this.entries) {
      if (key !== source && !key.startsWith(`${source}/`)) continue
      this.entries.delete(key)
      this.entries.set(`${target}${key.slice(source.length)}`, entry)
    }
  }

  change(path: string, { mode, mtime }: { readonly mode?: number; readonly mtime?: number }): void {
    const key = resolvePath(path)
    const entry = this.entries.get(key)
    if (entry === undefined) throw new FileError('No such file or directory')
    if (!isWritable(key)) throw new FileError('Operation not permitted')
    if (mode !== undefined) entry.mode = (entry.mode & ~0o7777) | (mode & 0o7777)
    if (mtime !== undefined) entry.mtime = mtime
  }

  remove(path: string): boolean {
    const key = resolvePath(path)
    if (!this.entries.has(key)) return false
    assertWritable(key)
    for (const other of this.entries.keys()) {
      if (other !== key && !other.startsWith(`${key}/`)) continue
      this.usedBytes -= this.entries.get(other)?.size ?? 0
      this.entries.delete(other)
    }
    return true
  }

  isFolder(path: string): boolean {
    const entry = this.entries.get(resolvePath(path))
    return entry !== undefined && entry.parts === undefined
  }

  private put(key: string, entry: Entry): void {
    assertWritable(key)
    if (entry.parts !== undefined && this.isFolder(key)) throw new FileError('Is a directory')
    this.reserve(entry.size - (this.entries.get(key)?.size ?? 0))
    this.entries.set(key, entry)
  }

  private requireParent(key: string): void {
    const parent = toParent(key)
    if (this.isFolder(parent)) return
    throw new FileError(this.entries.has(parent) ? 'Not a directory' : 'No such file or directory')
  }

  private reserve(bytes: number): void {
    if (this.usedBytes + bytes > MAX_BYTES) throw new FileError('No space left on device')
    this.usedBytes += bytes
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
  return toAbsolute(path).replace(/^\/(sdcard|storage\/self\/primary|mnt\/sdcard)(?=\/|$)/, '/storage/emulated/0')
}

/** Makes a path absolute and removes dots. Links stay as they are written. */
export function toAbsolute(path: string): string {
  const parts: string[] = []
  for (const part of path.split('/')) {
    if (part === '..') parts.pop()
    else if (part !== '' && part !== '.') parts.push(part)
  }
  return `/${parts.join('/')}`
}

/** A path as seen from a folder. */
export function joinPath(folder: string, path: string): string {
  return resolvePath(path.startsWith('/') ? path : `${folder}/${path}`)
}

function toParent(key: string): string {
  return key.slice(0, key.lastIndexOf('/')) || '/'
}

function assertWritable(key: string): void {
  if (isWritable(key)) return
  const readOnly = /^\/(system|vendor|product)?(\/|$)|^\/[^/]*$/.test(key)
  throw new FileError(readOnly ? 'Read-only file system' : 'Permission denied')
}

function isWritable(key: string): boolean {
  return WRITABLE.some((root) => key.startsWith(`${root}/`))
}

function createEntry(data: Buffer | undefined, mode: number, mtime: number): Entry {
  return { parts: data === undefined ? undefined : [data], size: data?.length ?? 0, mode, mtime }
}

function toStat(entry: Entry): FileStat {
  return { mode: entry.mode, size: entry.parts === undefined ? 4096 : entry.size, mtime: entry.mtime }
}
