import { accessSync, constants, existsSync, statSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { readSearchPath } from '../../config/config.ts'
import { listOpenEntries } from '../../home/close-home.ts'
import { findHomeHolder } from '../../home/home-lock.ts'
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
  if (!existsSync(home)) {
    return { id: 'home', status: 'warn', summary: 'does not exist yet; the first start creates it' }
  }
  try {
    accessSync(home, constants.R_OK | constants.W_OK)
  } catch {
    return {
      id: 'home',
      status: 'fail',
      summary: `${home} is not writable`,
      fix: 'change its owner, or set APPRENTICE_HOME to another folder',
    }
  }
  const secret = join(home, 'secrets', 'admin.token')
  if (existsSync(secret) && (statSync(secret).mode & 0o077) !== 0) {
    return {
      id: 'home',
      status: 'fail',
      summary: 'other users can read the admin token',
      fix: `chmod 600 ${secret}`,
    }
  }
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

export function checkLock(home: string): Check {
  if (!existsSync(home)) return { id: 'lock', status: 'pass', summary: 'no daemon' }
  const holder = findHomeHolder(home)
  return {
    id: 'lock',
    status: 'pass',
    summary: holder === undefined ? 'free' : `held by the running daemon, pid ${holder}`,
  }
}

/** The daemon works without these: it includes a simulated phone. */
export function checkPrograms(): Check[] {
  return [
    checkProgram('adb', 'only the simulated phone can be used', 'install adb to use a real phone'),
    checkProgram('chromium', 'the page tests are skipped', 'install chromium to run them'),
  ]
}

function checkProgram(program: string, without: string, fix: string): Check {
  const found = readSearchPath()
    .split(delimiter)
    .map((folder) => join(folder, program))
    .find((path) => existsSync(path))
  return found === undefined
    ? { id: program, status: 'warn', summary: `not found; ${without}`, fix }
    : { id: program, status: 'pass', summary: found }
}
