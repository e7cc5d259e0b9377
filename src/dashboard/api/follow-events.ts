import { streamEvents } from '@apprentice/contracts/admin/events.ts'
import { parseEvents } from '@apprentice/contracts/event-stream.ts'
import type { StreamMessage } from './stream-message.ts'

/** Pages read what they display, so events from before the connection are not needed. */
const EVENTS_URL = `${streamEvents.url}?backlog=0`
const RETRY_MS = 2000

/** Follows all events the user may see, and connects again when the connection is lost. Never returns. */
export function followEvents(send: (message: StreamMessage) => void): void {
  const follow = async (): Promise<void> => {
    for (;;) {
      await readStream(send).catch(() => undefined)
      send({ type: 'state', live: false })
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
    }
  }
  void follow()
}

async function readStream(send: (message: StreamMessage) => void): Promise<void> {
  const response = await fetch(EVENTS_URL, { headers: { accept: 'text/event-stream' } })
  if (!response.ok || response.body === null) return
  send({ type: 'state', live: true })
  for await (const { event_kind } of parseEvents(readChunks(response.body))) {
    if (typeof event_kind === 'string') send({ type: 'event', kind: event_kind })
  }
}

/** Not every browser can iterate a stream. */
async function* readChunks(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = body.getReader()
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    yield value
  }
}
