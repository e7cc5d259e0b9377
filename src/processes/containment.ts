import { execFile } from 'node:child_process'
import { realpathSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import type { UserIdRange } from './run-user.ts'

const runFile = promisify(execFile)

/**
 * How the programs of skills are kept apart from the daemon.
 *
 * bubblewrap  own mount, process, user and network namespaces: they see the system's programs and their own files, and of
 *             the network only the daemon
 * user        a user id of their own: they read nothing of the daemon, and none of their processes is left; the network is open
 * none        nothing keeps them from what the daemon's user may read
 */
export type ContainmentKind = 'bubblewrap' | 'user' | 'none'

export interface Containment {
  readonly kind: ContainmentKind
  /** Why there is no better one. */
  readonly reason?: string
  /** The program that sets limits. Undefined if it is not installed. */
  readonly prlimit: string | undefined
  readonly bwrap: string | undefined
}

/** What a contained program may see and change. All paths are absolute. */
export interface ContainedFiles {
  readonly readable: readonly string[]
  readonly writable: readonly string[]
  /** Sockets of the daemon by the path that the program sees. */
  readonly sockets: Readonly<Record<string, string>>
  /** Whether it may use the network of the machine. */
  readonly network: boolean
}

interface ProgramCall {
  readonly file: string
  readonly args: readonly string[]
}

const PROBE_TIMEOUT_MS = 5000
/** The system's programs and what they need to start. Nothing that belongs to a user or holds a secret. */
const SYSTEM_PATHS = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32', '/opt', '/nix/store']
const SYSTEM_SETTINGS = [
  'alternatives',
  'ca-certificates',
  'group',
  'hosts',
  'ld.so.cache',
  'localtime',
  'nsswitch.conf',
  'passwd',
  'pki',
  'resolv.conf',
  'ssl',
].map((name) => `/etc/${name}`)

const GIB = 1_073_741_824
const LIMITS = ['--core=0', `--data=${4 * GIB}`, `--fsize=${GIB}`, '--nofile=4096']
/** Counted per user, so it is set only where the user is that of the run. */
const PROCESS_LIMIT = '--nproc=256'

/** Finds out which containment works on this machine, by using it. */
export async function detectContainment(searchPath: string, userIds: UserIdRange | null = null): Promise<Containment> {
  const prlimit = await findWorking('prlimit', ['--version'], searchPath)
  if (process.platform !== 'linux') {
    return { kind: 'none', reason: 'this system has no namespaces', prlimit, bwrap: undefined }
  }
  const bwrap = await findWorking('bwrap', ['--version'], searchPath)
  if (bwrap === undefined) return detectUser({ reason: 'bubblewrap is not installed', prlimit }, userIds)
  const found: Containment = { kind: 'bubblewrap', prlimit, bwrap }
  const probe = { readable: [], writable: [], sockets: {}, network: false }
  const { file, args } = containProgram(found, { file: '/bin/true', args: [] }, probe)
  try {
    await runFile(file, [...args], { timeout: PROBE_TIMEOUT_MS, env: {} })
    return found
  } catch (error) {
    const [line = ''] = String((error as { stderr?: string }).stderr).split('\n')
    return detectUser({ reason: `bubblewrap does not work here: ${line}`, prlimit }, userIds)
  }
}

/** Only root may start programs as another user, and that user must be able to start Node. */
async function detectUser(
  found: { readonly reason: string; readonly prlimit: string | undefined },
  userIds: UserIdRange | null,
): Promise<Containment> {
  const none = { ...found, kind: 'none', bwrap: undefined } as const
  if (userIds === null || process.getuid?.() !== 0) return none
  const [id] = userIds
  try {
    await runFile(process.execPath, ['--version'], { uid: id, gid: id, cwd: '/', env: {}, timeout: PROBE_TIMEOUT_MS })
    return { ...found, kind: 'user', bwrap: undefined }
  } catch {
    return { ...none, reason: `${found.reason}, and another user cannot start Node` }
  }
}

/** The call that runs a program contained and with limits for memory, processes and files. */
export function containProgram(containment: Containment, program: ProgramCall, files: ContainedFiles): ProgramCall {
  const { kind, prlimit, bwrap } = containment
  const limited = prlimit === undefined ? program : limitProgram(prlimit, program, kind !== 'none')
  if (kind !== 'bubblewrap' || bwrap === undefined) return limited
  return { file: bwrap, args: [...buildNamespaces(files), '--', limited.file, ...limited.args] }
}

function limitProgram(prlimit: string, { file, args }: ProgramCall, isContained: boolean): ProgramCall {
  return { file: prlimit, args: [...LIMITS, ...(isContained ? [PROCESS_LIMIT] : []), '--', file, ...args] }
}

function buildNamespaces({ readable, writable, sockets, network }: ContainedFiles): string[] {
  const bind = (flag: string, paths: readonly string[]) => paths.flatMap((path) => [flag, path, path])
  return [
    // All its processes end with its first one, and with the daemon.
    '--unshare-pid',
    '--die-with-parent',
    '--new-session',
    '--unshare-user',
    '--unshare-ipc',
    '--unshare-uts',
    '--unshare-cgroup-try',
    ...(network ? [] : ['--unshare-net']),
    ...bind('--ro-bind-try', [...SYSTEM_PATHS, ...SYSTEM_SETTINGS]),
    '--proc',
    '/proc',
    '--dev',
    '/dev',
    '--tmpfs',
    '/tmp',
    ...bind('--ro-bind-try', [...listNodePaths(), ...readable]),
    ...bind('--bind', writable),
    ...Object.entries(sockets).flatMap(([seen, real]) => ['--bind', real, seen]),
  ]
}

/** The program that runs this daemon also runs scripts in JavaScript. It may lie in the home of a user. */
function listNodePaths(): string[] {
  return process.execPath.startsWith('/usr/') ? [] : [process.execPath, realpathSync(process.execPath)]
}

/** The folders that a program needs: its own, and the one that a link to it points at. */
export function listProgramFolders(path: string): string[] {
  try {
    return [...new Set([dirname(path), dirname(realpathSync(path))])]
  } catch {
    return [dirname(path)]
  }
}

async function findWorking(name: string, args: readonly string[], searchPath: string): Promise<string | undefined> {
  for (const folder of searchPath.split(delimiter).filter((one) => one.startsWith('/'))) {
    const path = join(folder, name)
    try {
      await runFile(path, [...args], { timeout: PROBE_TIMEOUT_MS, env: {} })
      return path
    } catch {
      // Not in this folder.
    }
  }
  return undefined
}
