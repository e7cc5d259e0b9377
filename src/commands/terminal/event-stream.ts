import { createParser } from 'eventsource-parser'
import { request } from 'undici'
import { fillPath } from '@apprentice/contracts/client.ts'
import type { AnyContract } from '@apprentice/contracts/base/route.ts'
import { type ConnectionOptions, resolveAddress } from './connection.ts'

/** An event of the daemon as it arrives in a stream. */
export interface StreamEvent {
  readonly event_kind: string
  readonly payload: Readonly<Record<string, unknown>>
}

export interface FollowOptions {
  readonly params: Readonly<Record<string, string>>
  readonly signal?: AbortSignal | undefined
}

/** Yields the events of a stream from its beginning until it ends or the signal is aborted. */
export async function* followEvents(
  options: ConnectionOptions,
  contract: AnyContract,
  { params, signal }: FollowOptions,
): AsyncGenerator<StreamEvent, void, undefined> {
  const { baseUrl, token } = resolveAddress(options)
  const { statusCode, body } = await request(baseUrl + fillPath(contract.url, params), {
    headers: {
      accept: 'text/event-stream',
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    },
    bodyTimeout: 0,
    ...(signal === undefined ? {} : { signal }),
  })
  if (statusCode !== 200) {
    await body.dump()
    if (statusCode === 204) return
    throw new Error(`The event stream could not be opened (HTTP ${statusCode}).`)
  }
  yield* parseEvents(body as AsyncIterable<Uint8Array>)
}

/** Parses the chunks of an event stream, which may be cut anywhere, even within a character. */
export async function* parseEvents(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): AsyncGenerator<StreamEvent, void, undefined> {
  const events: StreamEvent[] = []
  const decoder = new TextDecoder()
  const parser = createParser({
    onEvent: ({ data }) => {
      // The daemon writes one JSON object per event.
      if (data !== '') events.push(JSON.parse(data) as StreamEvent)
    },
  })
  for await (const chunk of chunks) {
    parser.feed(decoder.decode(chunk, { stream: true }))
    yield* events.splice(0)
  }
}
