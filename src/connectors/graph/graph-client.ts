import { setTimeout as pause } from 'node:timers/promises'
import { z } from 'zod'
import { findEndpointFault, isLoopbackName } from '../../knowledge/connectors/endpoint-rules.ts'
import { describeReply, type GraphFaultFacts, type GraphReply } from '../../knowledge/m365/graph-fault.ts'
import { formatPath, type GraphRequest } from '../../knowledge/m365/graph-request.ts'
import { AddressNotAllowed, createGuardedFetch, type GuardedFetch } from '../guarded-fetch.ts'

/** A request to Microsoft Graph has no result. */
export class GraphFault extends Error {
  readonly facts: GraphFaultFacts

  constructor(facts: GraphFaultFacts) {
    super(facts.message)
    this.facts = facts
  }
}

export interface GraphClientDeps {
  readonly base_url: string
  readonly allowed_hosts: readonly string[]
  readonly bearer: string | undefined
  readonly signal: AbortSignal
  readonly version: string
  /** Names the call, so that both sides can find it. */
  readonly request_id: string
  readonly now: () => number
}

const LARGEST_BODY = 8 << 20
const MOST_PAGES = 20
const LARGEST_BATCH = 20
const LARGEST_DOWNLOAD = 256 << 20
const CLOSE_MS = 1000

const Page = z.object({ value: z.array(z.unknown()), '@odata.nextLink': z.string().optional() })
const BatchReply = z.object({
  responses: z.array(
    z.object({
      id: z.string(),
      status: z.int(),
      headers: z.record(z.string(), z.string()).nullish(),
      body: z.unknown(),
    }),
  ),
})

/** Sends requests to Microsoft Graph for one call, with the token of its identity. */
export class GraphClient {
  readonly #deps: GraphClientDeps
  readonly #base: URL
  readonly #guarded: GuardedFetch

  constructor(deps: GraphClientDeps) {
    this.#deps = deps
    this.#base = new URL(deps.base_url.replace(/(?<!\/)\/+$/, ''))
    this.#guarded = createGuardedFetch(deps.allowed_hosts)
  }

  /** The body of the answer. Undefined if it has none. */
  async send(request: GraphRequest): Promise<unknown> {
    return this.#accept(await this.#request(this.#locate(request), request))
  }

  /** The items of a list, page after page, until there are enough. */
  async list(
    request: GraphRequest,
    max: number,
  ): Promise<{ readonly items: readonly unknown[]; readonly is_complete: boolean }> {
    const items: unknown[] = []
    let url: URL | undefined = this.#locate(request)
    for (let pages = 0; url !== undefined && pages < MOST_PAGES && items.length < max; pages += 1) {
      const page: z.infer<typeof Page> = read(Page, this.#accept(await this.#request(url, request)))
      items.push(...page.value)
      url = page['@odata.nextLink'] === undefined ? undefined : this.#continue(page['@odata.nextLink'])
    }
    return { items: items.slice(0, max), is_complete: url === undefined }
  }

  /** Sends several requests at once. The answers are in the order of the requests. */
  async batch(requests: readonly GraphRequest[]): Promise<GraphReply[]> {
    if (requests.length > LARGEST_BATCH) throw new Error('Too many requests for one batch.')
    const bodies = requests.map(({ method, segments, query, body, headers }, at) => ({
      id: String(at),
      method,
      url: formatPath({ segments, query }),
      ...(body === undefined ? {} : { body, headers: { 'content-type': 'application/json', ...headers } }),
    }))
    const sent = await this.send({ method: 'POST', segments: ['$batch'], body: { requests: bodies } })
    const { responses } = read(BatchReply, sent)
    return requests.map((_request, at) => {
      const found = responses.find(({ id }) => id === String(at))
      if (found === undefined) throw invalid()
      return { status: found.status, headers: lowerNames(found.headers ?? {}), body: found.body }
    })
  }

  /** The body of one answer of a batch. */
  readReply(reply: GraphReply): unknown {
    if (reply.status >= 200 && reply.status < 300) return reply.body
    throw new GraphFault(describeReply(reply, this.#deps.now()))
  }

  /** The content of a file. Its address is good without a token, so none is sent. */
  async *download(address: string, largest = LARGEST_DOWNLOAD): AsyncGenerator<Buffer> {
    const url = new URL(address)
    const rules = { transport: 'remote_http', endpoint_url: url.href } as const
    const isOwnMachine = isLoopbackName(url.hostname) && !isLoopbackName(this.#base.hostname)
    if (isOwnMachine || findEndpointFault(rules, this.#deps.allowed_hosts) !== undefined) {
      throw new GraphFault({ reason_code: 'address_not_allowed', message: 'The address of the file is not allowed.' })
    }
    const reply = await this.#fetch(url, { headers: { 'user-agent': this.#name } })
    if (!reply.ok || reply.body === null) {
      await reply.body?.cancel()
      throw new GraphFault(
        describeReply({ status: reply.status, headers: readHeaders(reply), body: undefined }, this.#deps.now()),
      )
    }
    yield* this.#readPieces(reply.body, largest)
  }

  /** Ends the connections. One that does not end is left to the operating system. */
  async close(): Promise<void> {
    await Promise.race([this.#guarded.close(), pause(CLOSE_MS, undefined, { ref: false })]).catch(() => undefined)
  }

  get #name(): string {
    return `apprentice/${this.#deps.version}`
  }

  #locate(request: GraphRequest): URL {
    return new URL(`${this.#base.href.replace(/(?<!\/)\/+$/, '')}${formatPath(request)}`)
  }

  /** The address of a next page. The token is sent there, so it must be below the base URL. */
  #continue(link: string): URL {
    const url = URL.canParse(link) ? new URL(link) : undefined
    const folder = `${this.#base.pathname.replace(/(?<!\/)\/+$/, '')}/`
    if (url === undefined || url.origin !== this.#base.origin || !url.pathname.startsWith(folder)) {
      throw new GraphFault({ reason_code: 'address_not_allowed', message: 'The next page is at another address.' })
    }
    return url
  }

  async #request(url: URL, { method, body, headers }: GraphRequest): Promise<GraphReply> {
    const { bearer, request_id } = this.#deps
    const reply = await this.#fetch(url, {
      method,
      headers: {
        accept: 'application/json',
        'client-request-id': request_id,
        'user-agent': this.#name,
        ...(bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const pieces: Buffer[] = []
    if (reply.body !== null) for await (const piece of this.#readPieces(reply.body, LARGEST_BODY)) pieces.push(piece)
    return { status: reply.status, headers: readHeaders(reply), body: parseBody(Buffer.concat(pieces), reply.ok) }
  }

  #accept(reply: GraphReply): unknown {
    return this.readReply(reply)
  }

  async #fetch(url: URL, init: RequestInit): Promise<Response> {
    try {
      return await this.#guarded.fetch(url, { ...init, signal: this.#deps.signal })
    } catch (error) {
      throw this.#describe(error)
    }
  }

  async *#readPieces(body: ReadableStream<Uint8Array>, largest: number): AsyncGenerator<Buffer> {
    let bytes = 0
    try {
      for await (const piece of body as unknown as AsyncIterable<Uint8Array>) {
        bytes += piece.byteLength
        if (bytes > largest) {
          throw new GraphFault({
            reason_code: 'graph_too_large',
            message: 'The answer is larger than the daemon accepts.',
            is_answer: true,
          })
        }
        yield Buffer.from(piece)
      }
    } catch (error) {
      throw error instanceof GraphFault ? error : this.#describe(error)
    }
  }

  #describe(error: unknown): GraphFault {
    if (this.#deps.signal.aborted) {
      return new GraphFault({ reason_code: 'timeout', message: 'Microsoft Graph did not answer in time.' })
    }
    for (let at = error; at instanceof Error; at = at.cause) {
      if (at instanceof AddressNotAllowed) {
        return new GraphFault({ reason_code: 'address_not_allowed', message: at.message })
      }
    }
    return new GraphFault({ reason_code: 'unreachable', message: 'Microsoft Graph could not be reached.' })
  }
}

const lowerNames = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))

const readHeaders = (reply: Response): Record<string, string> => Object.fromEntries(reply.headers)

function parseBody(bytes: Buffer, isOk: boolean): unknown {
  if (bytes.length === 0) return undefined
  try {
    return JSON.parse(bytes.toString('utf8'))
  } catch {
    // Proxies answer errors with pages. The status says enough then.
    if (!isOk) return undefined
    throw invalid()
  }
}

export const invalid = (): GraphFault =>
  new GraphFault({ reason_code: 'graph_invalid_response', message: 'The answer of Microsoft Graph has not its form.' })

/** The answer in the expected form. */
export function read<T>(form: z.ZodType<T>, body: unknown): T {
  const parsed = form.safeParse(body)
  if (!parsed.success) throw invalid()
  return parsed.data
}
