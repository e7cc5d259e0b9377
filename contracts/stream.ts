import type { z } from 'zod'
import type { Contract } from './base/route.ts'
import { parseFrames, type StreamFrame } from './event-stream.ts'
import { type AnyCallOptions, ApiFailure, type ClientOptions, readFailure, sendRequest } from './request.ts'

const FIRST_PAUSE_MS = 3000
const MAX_PAUSE_MS = 30_000

export interface StreamOptions extends AnyCallOptions {
  /** The id of the last event that was seen. The stream continues after it. */
  readonly lastEventId?: string | undefined
  /** Whether a lost connection is opened again after the last event. */
  readonly reconnect?: boolean
  /** The longest pause before a lost connection is opened again. */
  readonly maxPauseMs?: number
  /** Called when the stream is connected, and when the connection is lost. */
  readonly onConnection?: ((isConnected: boolean) => void) | undefined
}

/** An event of a stream. `data` has the type of the reply of the contract. */
export interface StreamedEvent<T> {
  readonly id: string
  readonly kind: string
  readonly data: T
}

/**
 * Yields the events of a stream until it is over or the signal is aborted. If the connection is lost, it is opened again
 * after the last event; a stream that is over then answers 204.
 */
export async function* followStream<R extends z.ZodType>(
  client: ClientOptions,
  contract: Contract<z.ZodType, z.ZodType, z.ZodType, R>,
  options: StreamOptions,
): AsyncGenerator<StreamedEvent<z.output<R>>, void, undefined> {
  const { signal, reconnect = true, onConnection, maxPauseMs = MAX_PAUSE_MS } = options
  const position = { id: options.lastEventId, pause_ms: FIRST_PAUSE_MS }
  for (let failures = 0; !isAborted(signal);) {
    // A stream that closes before its first event must not be opened again without a pause.
    let hadEvent = false
    try {
      for await (const frame of openStream(client, contract, { ...options, position })) {
        if (frame.data === undefined) continue
        hadEvent = true
        yield toEvent(contract, frame)
      }
    } catch (error) {
      if (isAborted(signal)) return
      if (!reconnect || !mayHelpToWait(error)) throw error
    }
    if (!reconnect || position.id === OVER) return
    failures = hadEvent ? 0 : failures + 1
    onConnection?.(false)
    await pause(failures === 0 ? 0 : Math.min(position.pause_ms * 2 ** (failures - 1), maxPauseMs), signal)
  }
}

const isAborted = (signal: AbortSignal | undefined): boolean => signal?.aborted === true

/** In place of the id of the last event: the daemon said that no event will follow. */
const OVER = ''

interface Position {
  id: string | undefined
  pause_ms: number
}

async function* openStream(
  client: ClientOptions,
  contract: Contract,
  { position, ...options }: StreamOptions & { readonly position: Position },
): AsyncGenerator<StreamFrame, void, undefined> {
  const headers = { ...options.headers, ...(position.id === undefined ? {} : { 'last-event-id': position.id }) }
  const response = await sendRequest(client, contract, { ...options, headers }, 'text/event-stream')
  if (response.status === 204) position.id = OVER
  else if (!response.ok) throw await readFailure(response)
  if (response.body === null || response.status === 204) return
  options.onConnection?.(true)
  for await (const frame of parseFrames(readChunks(response.body))) {
    if (frame.retry_ms !== undefined) position.pause_ms = frame.retry_ms
    if (frame.id !== undefined && frame.id !== '') position.id = frame.id
    yield frame
  }
}

/** Not every browser can iterate a stream. */
export async function* readChunks(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
  const reader = body.getReader()
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      yield value
    }
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}

function toEvent<R extends z.ZodType>(
  { reply }: { readonly reply: R },
  frame: StreamFrame,
): StreamedEvent<z.output<R>> {
  return { id: frame.id ?? '', kind: frame.event ?? '', data: reply.parse(frame.data) }
}

/** The network failed, or the daemon says that the same request may succeed later. */
const mayHelpToWait = (error: unknown): boolean =>
  error instanceof ApiFailure ? error.retryable || error.status >= 500 : error instanceof TypeError

function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    signal?.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
  })
}
