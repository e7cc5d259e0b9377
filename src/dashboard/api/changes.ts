import { effect, signal } from '@preact/signals'
import { reachable } from './client.ts'
import type { StreamMessage } from './stream-message.ts'

type Listener = () => void

/** True while events arrive as they happen. Otherwise pages read again at an interval. */
export const live = signal(true)

const FALLBACK_POLL_MS = 5000
/** One action causes several events within a moment, and one reading shows what all of them changed. */
const COLLECT_MS = 150
/** A hidden page needs only its title. */
const COLLECT_HIDDEN_MS = 2000
const listeners = new Map<Listener, readonly string[]>()
/** The listeners that will be called soon. */
const due = new Set<Listener>()
let timer: number | undefined

/**
 * Calls the listener soon after events whose kind begins with one of the prefixes, and when events may have been missed.
 * Returns a function that stops it.
 */
export function onChange(prefixes: readonly string[], listener: Listener): () => void {
  listeners.set(listener, prefixes)
  return () => {
    listeners.delete(listener)
    due.delete(listener)
  }
}

function announce(kind: string): void {
  for (const [listener, prefixes] of listeners) {
    if (prefixes.some((prefix) => kind.startsWith(prefix))) due.add(listener)
  }
  if (due.size > 0) timer ??= window.setTimeout(callDue, document.hidden ? COLLECT_HIDDEN_MS : COLLECT_MS)
}

function callDue(): void {
  timer = undefined
  const called = [...due]
  due.clear()
  for (const listener of called) listener()
}

let isConnected = false

const receive = (message: StreamMessage): void => {
  if (message.type === 'event') {
    announce(message.kind)
    return
  }
  const isNew = message.live && !isConnected
  isConnected = message.live
  live.value = message.live
  // Events may have been missed while the stream was down, and between the first reading of a page and its connection.
  if (isNew) announceAll()
}

function announceAll(): void {
  for (const listener of listeners.keys()) listener()
}

/** All tabs share one stream of events. A browser without shared workers opens one per tab. */
export async function followChanges(): Promise<void> {
  if (typeof SharedWorker === 'undefined') {
    const { followEvents } = await import('./follow-events.ts')
    followEvents(receive)
  } else {
    const worker = new SharedWorker(new URL('./stream-worker.ts', import.meta.url), { type: 'module' })
    worker.port.addEventListener('message', ({ data }: MessageEvent<StreamMessage>) => receive(data))
    worker.port.start()
  }
  effect(() => {
    if (reachable.value) announceAll()
  })
  setInterval(() => {
    if (!live.value && !document.hidden) announceAll()
  }, FALLBACK_POLL_MS)
}
