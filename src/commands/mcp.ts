import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { Command } from 'commander'
import { createParser } from 'eventsource-parser'
import { request } from 'undici'
import { type ConnectionOptions, reportFailures, resolveAddress } from './terminal/connection.ts'

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
  const { baseUrl, token } = resolveAddress({ ...options, url: daemon.url })
  const bridge = new StdioBridge(`${baseUrl}/mcp`, token)
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
  const isRunning = await request(`${baseUrl}/healthz`).then(
    async ({ statusCode, body }) => {
      await body.dump()
      return statusCode === 200
    },
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

/** Sends each message of the client to the daemon and writes each message of the daemon to standard output. */
class StdioBridge {
  readonly #url: string
  readonly #headers: Record<string, string>
  readonly #abort = new AbortController()
  readonly #pending = new Set<Promise<void>>()
  /** The first message opens the session. Later ones wait for it. */
  #opened: Promise<void> | undefined

  constructor(url: string, token: string | undefined) {
    this.#url = url
    this.#headers = {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    }
  }

  send(message: string): void {
    const sent = this.#opened === undefined ? this.#post(message) : this.#opened.then(() => this.#post(message))
    this.#opened ??= sent.then(() => this.#listen())
    const watched = sent.catch((error: unknown) => {
      if (!this.#abort.signal.aborted) this.#refuse(message, error)
    })
    this.#pending.add(watched)
    void watched.finally(() => this.#pending.delete(watched))
  }

  /** Waits for open answers, then ends the session. */
  async close(): Promise<void> {
    await Promise.all(this.#pending)
    this.#abort.abort()
    if (this.#headers['mcp-session-id'] === undefined) return
    const { body } = await request(this.#url, { method: 'DELETE', headers: this.#headers })
    await body.dump()
  }

  async #post(message: string): Promise<void> {
    const { statusCode, headers, body } = await request(this.#url, {
      method: 'POST',
      headers: this.#headers,
      body: message,
      bodyTimeout: 0,
      headersTimeout: 0,
      signal: this.#abort.signal,
    })
    const session = headers['mcp-session-id']
    if (typeof session === 'string') this.#headers['mcp-session-id'] = session
    if (statusCode >= 400) throw new Error(describeRefusal(await body.text(), statusCode))
    if (String(headers['content-type']).startsWith('text/event-stream')) await this.#write(body)
    else {
      const text = await body.text()
      if (text !== '') process.stdout.write(`${text}\n`)
    }
  }

  /** Receives what the daemon sends on its own, until the end. */
  #listen(): void {
    if (this.#headers['mcp-session-id'] === undefined) return
    const { signal } = this.#abort
    request(this.#url, { headers: { ...this.#headers, accept: 'text/event-stream' }, bodyTimeout: 0, signal })
      .then(({ statusCode, body }) => (statusCode === 200 ? this.#write(body) : body.dump()))
      // The daemon ended, or this program did. The next request says so to the client.
      .catch(() => undefined)
  }

  async #write(chunks: AsyncIterable<Uint8Array>): Promise<void> {
    const decoder = new TextDecoder()
    const parser = createParser({
      onEvent: ({ data }) => {
        if (data !== '') process.stdout.write(`${data}\n`)
      },
    })
    for await (const chunk of chunks) parser.feed(decoder.decode(chunk, { stream: true }))
  }

  #refuse(message: string, error: unknown): void {
    const { id } = readRequest(message)
    if (id === undefined) return
    const text = error instanceof Error ? error.message : String(error)
    process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32000, message: text } })}\n`)
  }
}

function readRequest(message: string): { readonly id?: unknown } {
  try {
    return JSON.parse(message) as { id?: unknown }
  } catch {
    return { id: null }
  }
}

/** The message of a failure reply, or the status. */
function describeRefusal(text: string, status: number): string {
  try {
    const { error } = JSON.parse(text) as { error?: { message?: string } }
    return error?.message ?? `HTTP ${status}`
  } catch {
    return `HTTP ${status}`
  }
}
