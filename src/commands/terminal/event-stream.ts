import { request } from 'undici'
import { fillPath } from '@apprentice/contracts/client.ts'
import { parseEvents, type StreamEvent } from '@apprentice/contracts/event-stream.ts'
import type { AnyContract } from '@apprentice/contracts/base/route.ts'
import { type ConnectionOptions, resolveAddress } from './connection.ts'

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
