import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { Command } from 'commander'
import { getHealth } from '@apprentice/contracts/admin/health.ts'
import type { McpChannel } from '@apprentice/contracts/mcp-channel.ts'
import { connect, type ConnectionOptions, reportFailures, resolveAddress } from './terminal/connection.ts'

/** `apprentice mcp`: an MCP server on stdio, for clients that start a program. It forwards to the daemon. */
export function addMcpCommand(program: Command): void {
  program
    .command('mcp')
    .description('speak MCP on stdio; uses the running daemon, or starts one')
    .option('--url <url>', 'address of the daemon (default: from APPRENTICE_HOST and APPRENTICE_PORT)')
    .option('--token <token>', 'access token (default: APPRENTICE_TOKEN, else the admin token in the home)')
    .action((options: ConnectionOptions) => reportFailures(() => forward(options)))
}

async function forward(options: ConnectionOptions): Promise<void> {
  const daemon = await findDaemon(options)
  const abort = new AbortController()
  const bridge = new StdioBridge(connect({ ...options, url: daemon.url }).openMcp(abort.signal), abort)
  for await (const line of createInterface({ input: process.stdin })) {
    if (line.trim() !== '') bridge.send(line)
  }
  await bridge.close()
  await daemon.stop()
}

interface UsedDaemon {
  readonly url: string
  readonly stop: () => Promise<void>
}

/** The daemon at the address of the options, or one that is started for this client and stopped with it. */
async function findDaemon(options: ConnectionOptions): Promise<UsedDaemon> {
  const { baseUrl } = resolveAddress(options)
  const isRunning = await connect(options)(getHealth).then(
    () => true,
    () => false,
  )
  if (isRunning || options.url !== undefined) return { url: baseUrl, stop: () => Promise.resolve() }
  // Standard output belongs to the protocol, so the log of the daemon is read here and goes no further.
  const child = spawn(process.execPath, [process.argv[1] ?? '', 'serve'], { stdio: ['ignore', 'pipe', 'inherit'] })
  const closed = once(child, 'close')
  const [first] = (await Promise.race([once(createInterface({ input: child.stdout }), 'line'), closed])) as [unknown]
  const { url } = typeof first === 'string' ? (JSON.parse(first) as { url?: string }) : {}
  if (url === undefined) throw new Error('The daemon did not start.')
  return {
    url,
    stop: async () => {
      child.kill('SIGTERM')
      await closed
    },
  }
}

interface Message {
  readonly id?: unknown
}

const INVALID_JSON = -32_700
const REFUSED = -32_000

/** Sends each message of the client to the daemon and writes each message of the daemon to standard output. */
class StdioBridge {
  readonly #channel: McpChannel
  readonly #abort: AbortController
  readonly #pending = new Set<Promise<void>>()
  /** The first message opens the session. Later ones wait for it. */
  #opened: Promise<void> | undefined

  constructor(channel: McpChannel, abort: AbortController) {
    this.#channel = channel
    this.#abort = abort
  }

  send(line: string): void {
    const message = parseMessage(line)
    if (message === undefined) {
      write(formatRefusal(null, INVALID_JSON, 'The message is not JSON.'))
      return
    }
    const sent = (this.#opened ?? Promise.resolve()).then(() => this.#post(message))
    this.#opened ??= sent.then(() => this.#listen()).catch(() => undefined)
    const watched = sent.catch((error: unknown) => {
      if (this.#abort.signal.aborted || message.id === undefined) return
      write(formatRefusal(message.id, REFUSED, error instanceof Error ? error.message : String(error)))
    })
    this.#pending.add(watched)
    void watched.finally(() => this.#pending.delete(watched))
  }

  /** Waits for open answers, then ends the session. */
  async close(): Promise<void> {
    await Promise.all(this.#pending)
    this.#abort.abort()
    await this.#channel.close()
  }

  async #post(message: Message): Promise<void> {
    for await (const answer of this.#channel.send(message)) write(answer)
  }

  /** Receives what the daemon sends on its own. Resolves when nothing of it can be missed any more. */
  async #listen(): Promise<void> {
    const messages = await this.#channel.listen()
    const receive = async (): Promise<void> => {
      for await (const message of messages) write(message)
    }
    // The daemon ended, or this program did. The next request says so to the client.
    receive().catch(() => undefined)
  }
}

const write = (message: unknown): void => void process.stdout.write(`${JSON.stringify(message)}\n`)

const formatRefusal = (id: unknown, code: number, message: string) => ({ jsonrpc: '2.0', id, error: { code, message } })

function parseMessage(line: string): Message | undefined {
  try {
    return JSON.parse(line) as Message
  } catch {
    return undefined
  }
}
