import { createParser } from 'eventsource-parser'

/** An event of the daemon as it arrives in a stream. */
export interface StreamEvent {
  readonly event_kind: string
  readonly payload: Readonly<Record<string, unknown>>
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
