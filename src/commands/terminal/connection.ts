import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Command } from 'commander'
import { Agent, fetch as undiciFetch, FormData as UndiciForm } from 'undici'
import { ApiFailure, type Client, createClient } from '@apprentice/contracts/client.ts'
import { readConfig } from '../../config/config.ts'
import { hintCommand } from './command-hint.ts'
import { EXIT_CODES } from './exit-codes.ts'
import { styleText } from './styles.ts'

export interface ConnectionOptions {
  readonly url?: string
  readonly token?: string
  readonly json?: boolean
}

/** Adds the options of every command that calls a running daemon. */
export function withConnection(command: Command): Command {
  return command
    .option('--url <url>', 'address of the daemon (default: from APPRENTICE_HOST and APPRENTICE_PORT)')
    .option('--token <token>', 'access token (default: APPRENTICE_TOKEN, else the admin token in the home)')
    .option('--json', 'print JSON')
}

/** The address of the daemon and the token: from the options, the environment, or the home on this machine. */
export function resolveAddress(options: ConnectionOptions): { baseUrl: string; token?: string } {
  const config = readConfig()
  const baseUrl = options.url ?? `http://${config.host}:${config.port}`
  const token = options.token ?? config.token ?? readHomeToken(config.home)
  return { baseUrl, ...(token === undefined ? {} : { token }) }
}

/** The typed client for the daemon. */
export function connect(options: ConnectionOptions): Client {
  return createClient({ ...resolveAddress(options), fetch: fetchPatiently })
}

/** A run may take longer than undici waits for a reply, so the daemon alone decides how long a request takes. */
const AGENT = new Agent({ headersTimeout: 0, bodyTimeout: 0 })

// The same interface; undici's own types differ in names only. It accepts no other form than its own.
const fetchPatiently = ((url: string, { body, ...init }: RequestInit) =>
  undiciFetch(url, {
    ...(init as object),
    // The first use of the global form loads the whole client of Node, which takes a sixth of the start of a command.
    body: typeof body === 'object' && body instanceof FormData ? copyForm(body) : (body as string),
    dispatcher: AGENT,
  })) as unknown as typeof fetch

function copyForm(form: FormData): UndiciForm {
  const copy = new UndiciForm()
  for (const [name, value] of form) {
    if (typeof value === 'string') copy.append(name, value)
    else copy.append(name, value, value.name)
  }
  return copy
}

/** Runs the work of a command. A failure becomes one line on stderr and an exit code. */
export async function reportFailures(work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    const prefix = styleText('apprentice:', 'red', process.stderr)
    process.stderr.write(`${prefix} ${describeError(error)}\n`)
    process.exitCode = EXIT_CODES.failure
  }
}

export function printResult(options: ConnectionOptions, value: unknown, readable: () => string): void {
  process.stdout.write(options.json === true ? `${JSON.stringify(value, null, 2)}\n` : `${readable()}\n`)
}

function readHomeToken(home: string): string | undefined {
  const file = join(home, 'secrets', 'admin.token')
  return existsSync(file) ? readFileSync(file, 'utf8').trim() : undefined
}

export function describeError(error: unknown): string {
  if (error instanceof ApiFailure) return `${error.message} (${error.code})`
  const { cause } = error as { cause?: { code?: string } }
  if (cause?.code === 'ECONNREFUSED') {
    return `No daemon is running at this address. Start one with \`${hintCommand('serve')}\`.`
  }
  return error instanceof Error ? error.message : String(error)
}
