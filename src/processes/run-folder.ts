import { existsSync } from 'node:fs'
import { readdir, readFile, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { makeFolder, PRIVATE, writeFile, writeNewFile } from '../home/private-files.ts'

export interface RunKeys {
  readonly run_id: string
  readonly url: string
  /** The socket that leads to the daemon, for a program without network. */
  readonly socket?: string | undefined
  readonly token: string
  /** The headers that the program sends with its calls, so that they belong to the trace of the run. */
  readonly trace?: Readonly<Record<string, string | undefined>> | undefined
}

/** The user id of a run, and the folder that was made for it outside the home. */
export interface UserPlace {
  readonly user: number
  readonly stage: string
}

const USER_FILE = 'user.json'

/** The folder of one run. Its logs remain when the run has ended; the rest is removed. */
export class RunFolder {
  readonly path: string
  readonly bin: string
  readonly work: string
  readonly logs: string
  readonly shim: string
  readonly prompt: string

  constructor(runs: string, runId: string) {
    this.path = join(runs, runId)
    this.bin = join(this.path, 'bin')
    this.work = join(this.path, 'work')
    this.logs = join(this.path, 'logs')
    this.shim = join(this.bin, 'apprentice')
    this.prompt = join(this.logs, 'prompt.md')
  }

  /** Creates the folder and puts the device program into it, under both its names. */
  async open(shimSource: string, keys: RunKeys): Promise<void> {
    for (const folder of [this.path, this.bin, this.work, this.logs]) {
      await makeFolder(folder)
    }
    const copy = join(this.bin, 'shim.mjs')
    await writeFile(copy, await readFile(shimSource))
    await writeFile(join(this.bin, 'run.json'), JSON.stringify(keys))
    const start = `#!/bin/sh\nexec ${quoteForShell(process.execPath)} ${quoteForShell(copy)} "$@"\n`
    for (const name of [this.shim, join(this.bin, 'clawperator')]) {
      await writeFile(name, start, { ...PRIVATE, file: 0o700 })
    }
  }

  /** Writes a log. What the program of the run put in its place, such as a link to another file, is removed. */
  async write(name: string, text: string): Promise<void> {
    const file = join(this.logs, name)
    await rm(file, { recursive: true, force: true })
    await writeNewFile(file, text)
  }

  /** Takes over logs from elsewhere, except links and those that exist here. */
  async takeLogs(from: string, to = this.logs): Promise<void> {
    for (const entry of await readdir(from, { withFileTypes: true })) {
      const [source, target] = [join(from, entry.name), join(to, entry.name)]
      if (existsSync(target)) continue
      if (entry.isFile()) await writeNewFile(target, await readFile(source))
      if (!entry.isDirectory()) continue
      await makeFolder(target)
      await this.takeLogs(source, target)
    }
  }

  /** Creates only what remains of the run, for a run as another user, and notes where its other files lie. */
  async openLogs(place: UserPlace): Promise<void> {
    for (const folder of [this.path, this.logs]) await makeFolder(folder)
    await writeFile(join(this.path, USER_FILE), JSON.stringify(place))
  }

  /** The user of a run that has not ended. Undefined if it runs as the user of the daemon. */
  async readUserPlace(): Promise<UserPlace | undefined> {
    const text = await readFile(join(this.path, USER_FILE), 'utf8').catch(() => undefined)
    return text === undefined ? undefined : (JSON.parse(text) as UserPlace)
  }

  /** Removes the token and the working files of the run. */
  async close(): Promise<void> {
    await rm(this.bin, { recursive: true, force: true })
    await rm(this.work, { recursive: true, force: true })
    await rm(join(this.path, USER_FILE), { force: true })
  }
}

/** Removes the folders of runs beyond the newest ones. */
export async function pruneRunFolders(runs: string, keep: number): Promise<number> {
  const names = await readdir(runs).catch(() => [])
  if (names.length <= keep) return 0
  const dated = await Promise.all(
    names.map(async (name) => {
      const found = await stat(join(runs, name)).catch(() => undefined)
      // A folder that another run has just removed counts as the oldest.
      return { name, mtimeMs: found?.mtimeMs ?? 0 }
    }),
  )
  const old = dated.toSorted((a, b) => b.mtimeMs - a.mtimeMs).slice(keep)
  let removed = 0
  for (const { name } of old) {
    // A run that has not ended still has this folder.
    if (existsSync(join(runs, name, 'bin'))) continue
    await rm(join(runs, name), { recursive: true, force: true })
    removed += 1
  }
  return removed
}

const quoteForShell = (path: string): string => `'${path.replaceAll("'", `'\\''`)}'`
