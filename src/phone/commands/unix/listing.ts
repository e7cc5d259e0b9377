import type { FileStat } from '../../host/host.ts'
import { print, type Call, type Program } from '../../shell/command.ts'
import { forEachName } from './each-name.ts'
import { find } from './find.ts'
import { parseProgramOptions } from './options.ts'

export type Named = FileStat & { readonly name: string }

export function isFolderMode(mode: number): boolean {
  return (mode & 0o170000) === 0o040000
}

/** Formats permissions as `ls -l` does: `-rw-rw----`. */
export function formatMode(mode: number): string {
  const marks = Array.from('rwxrwxrwx', (mark, bit) => ((mode >> (8 - bit)) & 1 ? mark : '-')).join('')
  return `${isFolderMode(mode) ? 'd' : '-'}${marks}`
}

export function formatTime(seconds: number): string {
  return new Date(seconds * 1000).toISOString().slice(0, 16).replace('T', ' ')
}

function ls(call: Call): number {
  const { flags, operands } = parseProgramOptions(call.args)
  const targets = operands.length === 0 ? ['.'] : operands
  const listed: string[] = []
  const code = forEachName(call, targets, (name) => {
    const stat = call.files.stat(name)
    if (stat === undefined) return 'No such file or directory'
    if (!call.files.isFolder(name) || flags.has('d')) print(call, formatEntries([{ ...stat, name }], flags))
    else listed.push(name)
    return undefined
  })
  const withNames = targets.length > 1 || flags.has('R')
  for (const [index, name] of listed.entries()) {
    if (withNames && (index > 0 || listed.length < targets.length)) print(call, '\n')
    listFolder(call, name, { flags, withNames })
  }
  return code
}

interface ListForm {
  readonly flags: ReadonlyMap<string, string>
  readonly withNames: boolean
}

function listFolder(call: Call, name: string, { flags, withNames }: ListForm): void {
  if (withNames) print(call, `${name}:\n`)
  const own: Named[] = []
  if (flags.has('a')) for (const dot of ['.', '..']) own.push({ ...requireStat(call, `${name}/${dot}`), name: dot })
  const isShown = (entry: Named): boolean => flags.has('a') || flags.has('A') || !entry.name.startsWith('.')
  const entries = [...own, ...sortEntries(call.files.list(name).filter(isShown), flags)]
  const total = entries.reduce((blocks, entry) => blocks + Math.ceil(entry.size / 4096) * 4, 0)
  if (flags.has('l')) print(call, `total ${total}\n`)
  print(call, formatEntries(entries, flags))
  if (!flags.has('R')) return
  for (const entry of entries.filter((one) => isFolderMode(one.mode) && !/^\.\.?$/.test(one.name))) {
    print(call, '\n')
    listFolder(call, name.endsWith('/') ? `${name}${entry.name}` : `${name}/${entry.name}`, { flags, withNames })
  }
}

function requireStat(call: Call, path: string): FileStat {
  return call.files.stat(path) ?? { mode: 0o40755, size: 4096, mtime: 0 }
}

function sortEntries(entries: readonly Named[], flags: ReadonlyMap<string, string>): readonly Named[] {
  const sorted = flags.has('t')
    ? entries.toSorted((a, b) => b.mtime - a.mtime)
    : flags.has('S')
      ? entries.toSorted((a, b) => b.size - a.size)
      : entries
  return flags.has('r') ? sorted.toReversed() : sorted
}

function formatEntries(entries: readonly Named[], flags: ReadonlyMap<string, string>): string {
  const width = Math.max(0, ...entries.map(({ size }) => formatSize(size, flags).length))
  const owner = flags.has('n') ? '2000 2000' : 'shell shell'
  const lines = entries.map((entry) => {
    const blocks = flags.has('s') ? `${Math.ceil(entry.size / 4096) * 4} ` : ''
    const mark = (flags.has('F') || flags.has('p')) && isFolderMode(entry.mode) ? '/' : ''
    if (!flags.has('l')) return `${blocks}${entry.name}${mark}\n`
    const size = formatSize(entry.size, flags).padStart(width)
    const links = isFolderMode(entry.mode) ? 2 : 1
    return `${blocks}${formatMode(entry.mode)} ${links} ${owner} ${size} ${formatTime(entry.mtime)} ${entry.name}${mark}\n`
  })
  return lines.join('')
}

function formatSize(size: number, flags: ReadonlyMap<string, string>): string {
  if (!flags.has('h') || size < 1024) return String(size)
  const unit = size < 1024 ** 2 ? 'K' : size < 1024 ** 3 ? 'M' : 'G'
  const value = size / 1024 ** ' KMG'.indexOf(unit)
  return `${value < 10 ? value.toFixed(1) : Math.round(value)}${unit}`
}

/** `stat [-c FORMAT] FILE...` */
function stat(call: Call): number {
  const { flags, operands } = parseProgramOptions(call.args, ['c'])
  const format = flags.get('c')
  return forEachName({ ...call, quoted: true }, operands, (name) => {
    const found = call.files.stat(name)
    if (found === undefined) return 'No such file or directory'
    print(call, format === undefined ? formatStat(name, found) : `${formatFields(format, name, found)}\n`)
    return undefined
  })
}

function formatStat(name: string, stat: FileStat): string {
  const date = `${new Date(stat.mtime * 1000).toISOString().slice(0, 19).replace('T', ' ')}.000000000 +0000`
  const fields = {
    kind: isFolderMode(stat.mode) ? 'directory' : 'regular file',
    blocks: Math.ceil(stat.size / 4096) * 8,
  }
  return (
    `  File: ${name}\n` +
    `  Size: ${stat.size}\t Blocks: ${fields.blocks}\t IO Blocks: 512\t${fields.kind}\n` +
    `Device: fe2dh/65069d\t Inode: 1\t Links: ${isFolderMode(stat.mode) ? 2 : 1}\n` +
    `Access: (${formatOctal(stat.mode)}/${formatMode(stat.mode)})\tUid: ( 2000/   shell)\tGid: ( 2000/   shell)\n` +
    `Access: ${date}\nModify: ${date}\nChange: ${date}\n`
  )
}

function formatOctal(mode: number): string {
  return (mode & 0o7777).toString(8).padStart(4, '0')
}

function formatFields(format: string, name: string, { mode, size, mtime }: FileStat): string {
  const time = `${new Date(mtime * 1000).toISOString().slice(0, 19).replace('T', ' ')}.000000000 +0000`
  const fields: Readonly<Record<string, string>> = {
    a: (mode & 0o7777).toString(8),
    A: formatMode(mode),
    b: String(Math.ceil(size / 4096) * 8),
    B: '512',
    f: mode.toString(16),
    F: isFolderMode(mode) ? 'directory' : 'regular file',
    g: '2000',
    G: 'shell',
    h: '1',
    i: '1',
    n: name,
    N: `'${name}'`,
    s: String(size),
    u: '2000',
    U: 'shell',
    x: time,
    X: String(mtime),
    y: time,
    Y: String(mtime),
    z: time,
    Z: String(mtime),
    '%': '%',
  }
  return format.replaceAll(/%([a-zA-Z%])/g, (all, key: string) => fields[key] ?? all)
}

function du(call: Call): number {
  const { flags, operands } = parseProgramOptions(call.args, ['d'])
  const blocksOf = (path: string): number => {
    if (!call.files.isFolder(path)) return Math.ceil((call.files.stat(path)?.size ?? 0) / 4096) * 4
    const entries = call.files.list(path)
    const blocks = 4 + entries.reduce((sum, entry) => sum + blocksOf(`${path}/${entry.name}`), 0)
    if (!flags.has('s')) print(call, `${blocks}\t${path}\n`)
    return blocks
  }
  return forEachName(call, operands.length === 0 ? ['.'] : operands, (path) => {
    if (call.files.stat(path) === undefined) return 'No such file or directory'
    const blocks = blocksOf(path)
    if (flags.has('s') || !call.files.isFolder(path)) print(call, `${blocks}\t${path}\n`)
    return undefined
  })
}

function df(call: Call): number {
  const unit = parseProgramOptions(call.args).flags.has('h')
  const rows = unit
    ? [['/dev/fuse', '110G', '21G', ' 89G', '20%']]
    : [['/dev/fuse', '115249236', '22020096', '93229140', ' 20%']]
  const head = unit
    ? 'Filesystem      Size  Used Avail Use% Mounted on\n'
    : 'Filesystem     1K-blocks     Used Available Use% Mounted on\n'
  print(call, `${head}${rows.map((row) => `${row.join(' ')} /storage/emulated\n`).join('')}`)
  return 0
}

export const listingTools: Readonly<Record<string, Program>> = { ls, stat, find, du, df }
