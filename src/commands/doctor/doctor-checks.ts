import { once } from 'node:events'
import { accessSync, constants, existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { createServer } from 'node:net'
import { delimiter, dirname, join } from 'node:path'
import { type Config, readSearchPath } from '../../config/config.ts'
import { loadCanvasLibrary, type LoadedLibrary } from '@apprentice/phone/picture/material/canvas-library.ts'
import { listOpenEntries } from '../../home/close-home.ts'
import { findHomeHolder } from '../../home/home-lock.ts'
import { detectContainment } from '../../processes/containment.ts'
import type { UserIdRange } from '../../processes/run-user.ts'
import type { Check } from './check.ts'

export function checkNode(): Check {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  const fit = major > 20 || (major === 20 && minor >= 19)
  return fit
    ? { id: 'node.version', status: 'pass', summary: process.versions.node }
    : {
        id: 'node.version',
        status: 'fail',
        summary: `${process.versions.node} is too old`,
        fix: 'install Node 20.19 or newer',
      }
}

export function checkHome(home: string): Check {
  const found = statSync(home, { throwIfNoEntry: false })
  if (found === undefined) {
    const parent = findExistingFolder(dirname(home))
    return isWritableFolder(parent)
      ? { id: 'home', status: 'warn', summary: 'does not exist yet; the first start creates it' }
      : reportUnusable(`${home} cannot be created in ${parent}`)
  }
  if (!isWritableFolder(home)) return reportUnusable(`${home} is not a folder that can be written`)
  const secret = join(home, 'secrets', 'admin.token')
  if (existsSync(secret) && (statSync(secret).mode & 0o077) !== 0) {
    return {
      id: 'home',
      status: 'fail',
      summary: 'other users can read the admin token',
      fix: `chmod 600 ${secret}`,
    }
  }
  const unreadable = findUnreadableSecret(join(home, 'secrets'))
  if (unreadable !== undefined) return unreadable
  const [open] = listOpenEntries(home)
  return open === undefined
    ? { id: 'home', status: 'pass', summary: home }
    : {
        id: 'home',
        status: 'warn',
        summary: `other users can read ${open}`,
        fix: 'start the daemon: it closes its home',
      }
}

/** The daemon reads its token at the start and its keys when they are needed. */
function findUnreadableSecret(folder: string): Check | undefined {
  for (const name of existsSync(folder) ? readdirSync(folder) : []) {
    const file = join(folder, name)
    try {
      readFileSync(file)
    } catch (error) {
      const { code = '' } = error as NodeJS.ErrnoException
      const fix = 'restore it from a backup that was made with --with-secrets, or remove it: a new one is created'
      return { id: 'home', status: 'fail', summary: `${file} cannot be read (${code})`, fix }
    }
  }
  return undefined
}

const reportUnusable = (summary: string): Check => ({
  id: 'home',
  status: 'fail',
  summary,
  fix: 'change its owner, or set APPRENTICE_HOME to another folder',
})

function findExistingFolder(folder: string): string {
  return existsSync(folder) || dirname(folder) === folder ? folder : findExistingFolder(dirname(folder))
}

function isWritableFolder(folder: string): boolean {
  try {
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK)
    return statSync(folder).isDirectory()
  } catch {
    return false
  }
}

/** Listens for a moment where the daemon would, unless a daemon of this home does. */
export async function checkPort({ home, host, port }: Pick<Config, 'home' | 'host' | 'port'>): Promise<Check> {
  if (isWritableFolder(home) && findHomeHolder(home) !== undefined) {
    return { id: 'port', status: 'pass', summary: 'used by the running daemon' }
  }
  const server = createServer()
  try {
    await once(server.listen(port, host), 'listening')
    return { id: 'port', status: 'pass', summary: port === 0 ? 'any free port' : `${port} on ${host} is free` }
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    const summary = `the daemon cannot listen on port ${port} of ${host} (${code})`
    return { id: 'port', status: 'fail', summary, fix: 'set APPRENTICE_PORT or APPRENTICE_HOST to another value' }
  } finally {
    server.close()
  }
}

export function checkLock(home: string): Check {
  if (!isWritableFolder(home)) return { id: 'lock', status: 'pass', summary: 'no daemon' }
  const holder = findHomeHolder(home)
  return {
    id: 'lock',
    status: 'pass',
    summary: holder === undefined ? 'free' : `held by the running daemon, pid ${holder}`,
  }
}

/** The daemon works without these, because it includes a simulated phone, unless it is told to use real ones. */
export function checkPrograms({ phone }: Pick<Config, 'phone'>): Check[] {
  const adb = checkProgram(['adb'], 'only the simulated phone can be used', 'install adb to use a real phone')
  return [adb.status === 'warn' && phone === 'adb' ? { ...adb, status: 'fail' } : adb]
}

/** Whether the simulated phone can draw its screen well. */
export function checkPictures(loaded: LoadedLibrary = loadCanvasLibrary()): Check {
  const id = 'phone.pictures'
  if ('library' in loaded) return { id, status: 'pass', summary: 'the simulated phone is drawn with @napi-rs/canvas' }
  return {
    id,
    status: 'warn',
    summary: `the simulated phone is drawn with a plain bitmap font: ${loaded.problem}`,
    fix: 'install the packages again with optional packages included',
  }
}

/** Whether scripts of skills are kept apart from the daemon. */
export async function checkContainment(userIds: UserIdRange | null): Promise<Check> {
  const { kind, reason, prlimit } = await detectContainment(readSearchPath(), userIds)
  const id = 'skills.containment'
  if (kind === 'none') {
    return {
      id,
      status: 'warn',
      summary: `scripts of skills are not contained: ${reason}; only skills created in the home run`,
      fix: 'install bubblewrap, or allow single skills by digest in skills.uncontained of settings.json',
    }
  }
  if (kind === 'user') {
    return {
      id,
      status: 'warn',
      summary: `scripts of skills run as users of their own, with an open network: ${reason}`,
      fix: prlimit === undefined ? 'install bubblewrap, and prlimit (util-linux) for limits' : 'install bubblewrap',
    }
  }
  return prlimit === undefined
    ? { id, status: 'warn', summary: `${kind}, without limits`, fix: 'install prlimit (util-linux)' }
    : { id, status: 'pass', summary: `${kind}, with limits for memory, processes and files` }
}

/** Any of the programs will do. The first names the check. */
function checkProgram(programs: readonly [string, ...string[]], without: string, fix: string): Check {
  const [id] = programs
  const found = readSearchPath()
    .split(delimiter)
    .flatMap((folder) => programs.map((program) => join(folder, program)))
    .filter((path) => existsSync(path))
  const usable = found.find(isExecutable)
  if (usable !== undefined) return { id, status: 'pass', summary: usable }
  const [broken] = found
  return broken === undefined
    ? { id, status: 'warn', summary: `not found; ${without}`, fix }
    : { id, status: 'warn', summary: `${broken} cannot be executed; ${without}`, fix: `chmod +x ${broken}` }
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}
