export interface PollRate {
  /** The interval while the page is visible. */
  readonly pollMs: number
  /** The interval while it is hidden. Absent: it is not read then. */
  readonly hiddenPollMs?: number | undefined
}

/** Connectors have no stream of their own: pages ask at these intervals. */
export const CONNECTOR_POLL = { pollMs: 10_000, hiddenPollMs: 60_000 } satisfies PollRate

/** Reads again at an interval. Returns a function that stops it. */
export function poll(read: () => void, { pollMs, hiddenPollMs = Infinity }: PollRate): () => void {
  let last = Date.now()
  const timer = setInterval(() => {
    if (document.hidden && Date.now() - last < hiddenPollMs) return
    last = Date.now()
    read()
  }, pollMs)
  return () => clearInterval(timer)
}
