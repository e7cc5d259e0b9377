import { execFileSync } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** The home of the attack grows by some 3 MB at each moment, and its log to 64 MB before it is folded in. */
const SIZE_MEGABYTES = 192
const PIECE = Buffer.alloc(65_536)

/** A folder for a home whose disk can be filled. */
export interface SmallDisk {
  readonly home: string
  /** How the full disk is made: a file system of its own, or a limit on the size of files. */
  readonly kind: 'tmpfs' | 'file size limit'
  /** Leaves no room for the process. */
  fill(pid: number): void
  makeRoom(pid: number): void
  close(): void
}

/** A file system in memory if this user may mount one, or else a limit on the size of the files of the process. */
export function openSmallDisk(): SmallDisk | undefined {
  const home = mkdtempSync(join(tmpdir(), 'apprentice-disk-'))
  if (tryRun('mount', ['-t', 'tmpfs', '-o', `size=${SIZE_MEGABYTES}m,mode=700`, 'tmpfs', home])) return openTmpfs(home)
  if (tryRun('prlimit', ['--version'])) return openLimitedFolder(home)
  rmSync(home, { recursive: true, force: true })
  return undefined
}

function openTmpfs(home: string): SmallDisk {
  const ballast = join(home, 'ballast')
  return {
    home,
    kind: 'tmpfs',
    fill: () => fillWith(ballast),
    makeRoom: () => rmSync(ballast, { force: true }),
    close: () => {
      tryRun('umount', ['-l', home])
      rmSync(home, { recursive: true, force: true })
    },
  }
}

/** Writes until there is no room, in ever smaller pieces. */
function fillWith(file: string): void {
  const handle = openSync(file, 'a', 0o600)
  try {
    for (let bytes = PIECE.length; bytes > 0; bytes = Math.floor(bytes / 2)) while (hasWritten(handle, bytes));
  } finally {
    closeSync(handle)
  }
}

function hasWritten(handle: number, bytes: number): boolean {
  try {
    return writeSync(handle, PIECE, 0, bytes) === bytes
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOSPC') return false
    throw error
  }
}

const openLimitedFolder = (home: string): SmallDisk => ({
  home,
  kind: 'file size limit',
  fill: (pid) => void tryRun('prlimit', ['--pid', String(pid), '--fsize=4096:']),
  makeRoom: (pid) => void tryRun('prlimit', ['--pid', String(pid), '--fsize=unlimited:']),
  close: () => rmSync(home, { recursive: true, force: true }),
})

function tryRun(program: string, args: readonly string[]): boolean {
  try {
    execFileSync(program, args, { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}
