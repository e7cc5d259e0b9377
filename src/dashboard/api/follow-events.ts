import { streamEvents } from '@apprentice/contracts/admin/events.ts'
import { createClient } from '@apprentice/contracts/client.ts'
import type { StreamMessage } from './stream-message.ts'

/** Pages read what they display, so events from before the connection are not needed. */
const QUERY = { backlog: 0 }
const RETRY_MS = 2000

/** Follows all events the user may see, and connects again when the connection is lost. Never returns. */
export function followEvents(send: (message: StreamMessage) => void): void {
  // A worker has no page that it could reload when the login ends, so this is not the client of the pages.
  const client = createClient({ baseUrl: '' })
  const onConnection = (live: boolean): void => send({ type: 'state', live })
  const follow = async (): Promise<void> => {
    for (;;) {
      await readStream().catch(() => undefined)
      onConnection(false)
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
    }
  }
  const readStream = async (): Promise<void> => {
    const events = client.stream(streamEvents, { query: QUERY, reconnect: false, onConnection })
    for await (const { data } of events) send({ type: 'event', kind: data.event_kind })
  }
  void follow()
}
