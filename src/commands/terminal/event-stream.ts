import { request } from 'undici'
import { fillPath } from '@apprentice/contracts/client.ts'
import type { AnyContract } from '@apprentice/contracts/base/route.ts'
import { addressOf, type ConnectionOptions } from './connection.ts'

/** An event as a stream tells it. */
export interface ToldEvent {
  readonly event_kind: string
  readonly payload: Readonly<Record<string, unknown>>
}

export interface Following {
  readonly params: Readonly<Record<string, string>>
  readonly signal?: AbortSignal | undefined
}

/** The events of a stream from its beginning, until it ends or is broken off. */
export async function* followEvents(
  options: ConnectionOptions,
  contract: AnyContract,
  { params, signal }: Following,
): AsyncGenerator<ToldEvent, void, undefined> {
  const { baseUrl, token } = addressOf(options)
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
    throw new Error(`The events could not be followed (HTTP ${statusCode}).`)
  }
  body.setEncoding('utf8')
  const frames = new Frames()
  for await (const text of body as AsyncIterable<string>) yield* frames.read(text)
}

/** Puts the pieces in which a stream arrives together again. */
export class Frames {
  #rest = ''

  /** What is complete with this piece; comments and frames without data are left out. */
  read(piece: string): ToldEvent[] {
    const frames = (this.#rest + piece).split('\n\n')
    this.#rest = frames.pop() ?? ''
    return frames.flatMap((frame) => {
      const data = frame
        .split('\n')
        .filter((line) => line.startsWith('data:'))
        .map((line) => line.slice(5).trimStart())
        .join('\n')
      // The daemon's own words: an event of its ledger.
      return data === '' ? [] : [JSON.parse(data) as ToldEvent]
    })
  }
}
