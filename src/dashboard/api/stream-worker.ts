import { followEvents } from './follow-events.ts'
import type { StreamMessage } from './stream-message.ts'

/** The shared worker: one stream of events for all tabs of a browser. */
const ports = new Set<MessagePort>()
/** Unknown until the first connection was made or has failed. */
let isLive: boolean | undefined

function broadcast(message: StreamMessage): void {
  if (message.type === 'state') isLive = message.live
  for (const port of ports) port.postMessage(message)
}

interface SharedWorkerScope {
  addEventListener(type: 'connect', listener: (event: MessageEvent) => void): void
}

;(self as unknown as SharedWorkerScope).addEventListener('connect', ({ ports: [port] }) => {
  if (port === undefined) return
  ports.add(port)
  if (isLive !== undefined) port.postMessage({ type: 'state', live: isLive } satisfies StreamMessage)
})

followEvents(broadcast)
