import { parseFrames } from './event-stream.ts'
import { type AnyCallOptions, buildHeaders, type ClientOptions, readFailure, sendRequest } from './request.ts'
import { readChunks } from './stream.ts'

const URL = '/mcp'
const SESSION = 'mcp-session-id'
const ACCEPT = 'application/json, text/event-stream'

/** The MCP endpoint of the daemon: messages of JSON-RPC in both directions, within one session. */
export class McpChannel {
  readonly #client: ClientOptions
  readonly #signal: AbortSignal | undefined
  #session: string | undefined

  constructor(client: ClientOptions, signal?: AbortSignal) {
    this.#client = client
    this.#signal = signal
  }

  /** Sends a message and yields the messages that answer it. The first message opens the session. */
  async *send(message: unknown): AsyncGenerator<unknown, void, undefined> {
    const response = await this.#request('POST', { body: message }, ACCEPT)
    if (!response.ok) throw await readFailure(response)
    this.#session ??= response.headers.get(SESSION) ?? undefined
    yield* readMessages(response)
  }

  /** Opens the stream of what the daemon sends on its own, until the session ends. */
  async listen(): Promise<AsyncGenerator<unknown, void, undefined>> {
    const response = await this.#request('GET', {}, 'text/event-stream')
    if (!response.ok) throw await readFailure(response)
    return readMessages(response)
  }

  /** Ends the session. */
  async close(): Promise<void> {
    if (this.#session === undefined) return
    const { baseUrl, fetch: send = fetch } = this.#client
    const headers = buildHeaders(this.#client, { headers: { [SESSION]: this.#session } }, ACCEPT)
    const response = await send(baseUrl + URL, { method: 'DELETE', headers })
    await response.body?.cancel()
  }

  #request(method: 'GET' | 'POST', options: AnyCallOptions, accept: string): Promise<Response> {
    const headers = this.#session === undefined ? {} : { [SESSION]: this.#session }
    const signal = this.#signal === undefined ? {} : { signal: this.#signal }
    return sendRequest(this.#client, { method, url: URL }, { ...options, ...signal, headers }, accept)
  }
}

async function* readMessages(response: Response): AsyncGenerator<unknown, void, undefined> {
  if (response.body === null) return
  if (response.headers.get('content-type')?.startsWith('text/event-stream') === true) {
    for await (const { data } of parseFrames(readChunks(response.body))) if (data !== undefined) yield data
    return
  }
  const text = await response.text()
  if (text !== '') yield JSON.parse(text) as unknown
}
