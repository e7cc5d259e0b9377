import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Command } from 'commander'
import { fetch as undiciFetch } from 'undici'
import { ApiFailure, type Call, createClient } from '@apprentice/contracts/client.ts'
import { readConfig } from '../../config/config.ts'
import { exitCodes } from './exit-codes.ts'

export interface ConnectionOptions {
  readonly url?: string
  readonly token?: string
  readonly json?: boolean
}

/** Options every command has that talks to a running daemon. */
export function withConnection(command: Command): Command {
  return command
    .option(
      '--url <url>',
      'where the daemon listens (default: as APPRENTICE_HOST and APPRENTICE_PORT say)',
    )
    .option('--token <token>', 'token to use (default: APPRENTICE_TOKEN, else the one in the home)')
    .option('--json', 'print JSON for programs')
}

/** Where the daemon is, and the token a person on this machine has anyway. */
export function addressOf(options: ConnectionOptions): { baseUrl: string; token?: string } {
  const config = readConfig()
  const baseUrl = options.url ?? `http://${config.host}:${config.port}`
  const token = options.token ?? config.token ?? homeToken(config.home)
  return { baseUrl, ...(token === undefined ? {} : { token }) }
}

/** The typed client for that daemon. */
export function connect(options: ConnectionOptions): Call {
  // The same interface; undici's own types differ in names only.
  return createClient({ ...addressOf(options), fetch: undiciFetch as unknown as typeof fetch })
}

/** Runs a command's work and turns a refusal into one line and an exit code. */
export async function report(work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    process.stderr.write(`apprentice: ${explain(error)}\n`)
    process.exitCode = exitCodes.problem
  }
}

export function print(options: ConnectionOptions, value: unknown, readable: () => string): void {
  process.stdout.write(
    options.json === true ? `${JSON.stringify(value, null, 2)}\n` : `${readable()}\n`,
  )
}

/** Columns padded to their widest cell. */
export function table(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, at) =>
    Math.max(...rows.map((row) => row[at]?.length ?? 0)),
  )
  return rows
    .map((row) =>
      row
        .map((cell, at) => cell.padEnd(widths[at] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

function homeToken(home: string): string | undefined {
  const file = join(home, 'secrets', 'admin.token')
  return existsSync(file) ? readFileSync(file, 'utf8').trim() : undefined
}

function explain(error: unknown): string {
  if (error instanceof ApiFailure) return `${error.message} (${error.code})`
  const { cause } = error as { cause?: { code?: string } }
  if (cause?.code === 'ECONNREFUSED') return 'No daemon answers there; start one with `npm start`.'
  return error instanceof Error ? error.message : String(error)
}
