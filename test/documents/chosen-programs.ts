import { mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { findProgram } from '../../src/setup/system-packages.mjs'
import { type Daemon, startDaemon } from '../kit/daemon.ts'

/** A daemon that finds these programs and no others. `install` adds one while it runs. */
export async function startWithPrograms(
  ...programs: readonly string[]
): Promise<{ readonly daemon: Daemon; readonly install: (name: string) => void }> {
  const folder = mkdtempSync(join(tmpdir(), 'apprentice-programs-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const install = (name: string) => symlinkSync(findProgram(name) ?? '', join(folder, name))
  for (const name of programs) install(name)
  return { daemon: await startWithPath(folder), install }
}

/** A daemon with another search path. */
export async function startWithPath(path: string): Promise<Daemon> {
  const before = process.env['PATH']
  process.env['PATH'] = path
  try {
    return await startDaemon()
  } finally {
    process.env['PATH'] = before
  }
}
