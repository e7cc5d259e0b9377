import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import type { Command } from 'commander'
import { createLoginCode } from '@apprentice/contracts/admin/tokens.ts'
import { readSearchPath } from '../config/config.ts'
import { connect, type ConnectionOptions, printResult, reportFailures, withConnection } from './terminal/connection.ts'

type OpenOptions = ConnectionOptions & { readonly print?: boolean }

export function addOpenCommand(program: Command): void {
  withConnection(program.command('open').description('open the dashboard in a browser, logged in'))
    .option('--print', 'only print the link, which works once')
    .action((options: OpenOptions) => reportFailures(() => openDashboard(options)))
}

async function openDashboard(options: OpenOptions): Promise<void> {
  const created = await connect(options)(createLoginCode, { body: {} })
  const opener = options.print === true ? undefined : findOpener(process.platform, readSearchPath())
  const opened = opener !== undefined && (await startOpener(opener, created.login_url))
  printResult(options, { ...created, opened }, () => {
    if (opened) return 'The dashboard is open in the browser.'
    return options.print === true
      ? created.login_url
      : `Open this link in a browser. It works once:\n${created.login_url}`
  })
}

/** A program and the arguments before the address. */
export type Opener = readonly [program: string, ...args: string[]]

const OPENERS: Readonly<Partial<Record<NodeJS.Platform, readonly Opener[]>>> = {
  darwin: [['open']],
  win32: [['rundll32.exe', 'url.dll,FileProtocolHandler']],
}
const UNIX_OPENERS: readonly Opener[] = [['wslview'], ['xdg-open']]

/** Finds the program that opens addresses on this system. */
export function findOpener(platform: NodeJS.Platform, searchPath: string): Opener | undefined {
  const folders = searchPath.split(delimiter).filter((folder) => folder !== '')
  return (OPENERS[platform] ?? UNIX_OPENERS).find(([name]) => folders.some((folder) => existsSync(join(folder, name))))
}

/** How long an opener may take to refuse. A browser that it starts may run as long as it likes. */
const REFUSAL_MS = 2000

/** Returns whether the program accepted the address. */
export async function startOpener([program, ...args]: Opener, url: string): Promise<boolean> {
  const child = spawn(program, [...args, url], { stdio: 'ignore', detached: true })
  const refusal = AbortSignal.timeout(REFUSAL_MS)
  try {
    const [code] = (await once(child, 'exit', { signal: refusal })) as [number | null]
    return code === 0
  } catch {
    return refusal.aborted
  } finally {
    child.unref()
  }
}
