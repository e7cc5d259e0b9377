import { createParser } from 'eventsource-parser'

/** One frame of an event stream. The daemon writes one JSON object per event. */
export interface StreamFrame {
  readonly id?: string
  readonly event?: string
  readonly data?: unknown
  /** The pause before a reconnection that the daemon asks for. */
  readonly retry_ms?: number
}

/** An event of the daemon as it arrives in a stream. */
export interface StreamEvent {
  readonly event_kind: string
  readonly payload: Readonly<Record<string, unknown>>
}

type Chunks = AsyncIterable<Uint8Array> | Iterable<Uint8Array>

/** Parses the chunks of an event stream, which may be cut anywhere, even within a character. */
export async function* parseFrames(chunks: Chunks): AsyncGenerator<StreamFrame, void, undefined> {
  const frames: StreamFrame[] = []
  const decoder = new TextDecoder()
  const parser = createParser({
    onEvent: ({ id, event, data }) => {
      if (data === '') return
      const parsed: unknown = JSON.parse(data)
      frames.push({ ...(id === undefined ? {} : { id }), ...(event === undefined ? {} : { event }), data: parsed })
    },
    onRetry: (retry_ms) => {
      frames.push({ retry_ms })
    },
  })
  for await (const chunk of chunks) {
    parser.feed(decoder.decode(chunk, { stream: true }))
    yield* frames.splice(0)
  }
}

/** The data of the events of a stream. */
export async function* parseEvents(chunks: Chunks): AsyncGenerator<StreamEvent, void, undefined> {
  for await (const { data } of parseFrames(chunks)) if (data !== undefined) yield data as StreamEvent
}
