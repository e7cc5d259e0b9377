import { Agent, request as sendHttp } from 'node:http'
import { connect } from 'node:net'
import type { Answer } from './figures.ts'
import type { FuzzedRequest } from './fuzzed-requests.ts'
import { readSchedulerTimes } from './scheduler-times.mjs'

const TIMEOUT_MS = 60_000
/** A reply that is longer is read to its end, but not kept. */
const KEPT_CHARACTERS = 200_000

export interface Target {
  readonly url: string
  readonly pid: number
}

/** Sends requests and measures how long their replies take. */
export class RequestSender {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 32 })

  /** Undefined if the connection was closed without a reply. */
  async send(target: Target, fuzzed: FuzzedRequest, token: string | undefined): Promise<Answer | undefined> {
    const start = { at: performance.now(), waited: readWaiting(target), ran: readSchedulerTimes(target.pid).ran_ms }
    const reply = await this.#exchange(target, fuzzed, token)
    if (reply === undefined) return undefined
    const took_ms = performance.now() - start.at
    const own_ms = Math.max(0, took_ms - (readWaiting(target) - start.waited))
    const ran_ms = readSchedulerTimes(target.pid).ran_ms - start.ran
    return { what: fuzzed.what, ...reply, took_ms, own_ms, ran_ms, asked_ms: fuzzed.asked_ms }
  }

  close(): void {
    this.#agent.destroy()
  }

  #exchange(
    { url }: Target,
    { method, path, headers, body, stream }: FuzzedRequest,
    token: string | undefined,
  ): Promise<Pick<Answer, 'status' | 'body' | 'session'> | undefined> {
    return new Promise((resolve) => {
      const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` }
      const length = method === 'GET' ? {} : { 'content-length': String(body?.length ?? 0) }
      const request = sendHttp(url + path, {
        method,
        headers: { ...authorization, ...length, ...headers },
        agent: this.#agent,
        timeout: TIMEOUT_MS,
      })
      request.on('timeout', () => request.destroy())
      request.on('error', () => resolve(undefined))
      request.on('response', (reply) => {
        const status = reply.statusCode ?? 0
        if (stream && status === 200) {
          resolve({ status, body: '' })
          request.destroy()
          return
        }
        let text = ''
        reply.setEncoding('utf8')
        reply.on('data', (chunk: string) => {
          if (text.length < KEPT_CHARACTERS) text += chunk
        })
        const session = reply.headers['mcp-session-id']
        reply.on('end', () => resolve({ status, body: text, ...(typeof session === 'string' && { session }) }))
        reply.on('error', () => resolve(undefined))
      })
      request.end(body)
    })
  }
}

/** How long the daemon waited for a processor, and how long the attacker waited for one or was busy itself. */
function readWaiting({ pid }: Target): number {
  const { ran_ms, waited_ms } = readSchedulerTimes(process.pid)
  return readSchedulerTimes(pid).waited_ms + waited_ms + ran_ms
}

/** Writes bytes that are no whole request, and closes the connection after a reply or a moment. */
export function sendBytes({ url }: Target, bytes: string | Buffer, closeAfterMs: number): Promise<string> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve) => {
    let text = ''
    const socket = connect({ host: hostname, port: Number(port) }, () => socket.write(bytes))
    const timer = setTimeout(() => socket.destroy(), closeAfterMs)
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1')
    })
    socket.on('error', () => undefined)
    socket.on('close', () => {
      clearTimeout(timer)
      resolve(text)
    })
  })
}
