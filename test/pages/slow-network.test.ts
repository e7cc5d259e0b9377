import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { startDaemon } from '../kit/daemon.ts'
import { browserPath, openBrowser } from './browser.ts'

const TIMEOUT_MS = 600_000
const LATENCY_MS = 400
const BYTES_PER_MS = (50 * 1024) / 1000
const SLOW_NETWORK = {
  offline: false,
  latency: LATENCY_MS,
  downloadThroughput: BYTES_PER_MS * 1000,
  uploadThroughput: BYTES_PER_MS * 1000,
}
const CONNECTIONS = 6
const LIMIT_MS = 4000
const LIMIT_BYTES = 120 * 1024

interface Reply {
  readonly startMs: number
  readonly endMs: number
  readonly bytes: number
}

/**
 * The time that the network takes for these replies. Each waits for those that ended before it began, and a browser has
 * six connections to a host.
 */
function computeNetworkMs(replies: readonly Reply[]): number {
  const depths = new Map<Reply, number>()
  for (const reply of replies.toSorted((a, b) => a.startMs - b.startMs)) {
    const before = [...depths].filter(([{ endMs }]) => endMs <= reply.startMs).map(([, depth]) => depth)
    depths.set(reply, 1 + Math.max(0, ...before))
  }
  const bytes = replies.reduce((sum, reply) => sum + reply.bytes, 0)
  const counts = new Map<number, number>()
  for (const depth of depths.values()) counts.set(depth, (counts.get(depth) ?? 0) + 1)
  const rounds = [...counts.values()].reduce((sum, count) => sum + Math.ceil(count / CONNECTIONS), 0)
  return rounds * LATENCY_MS + bytes / BYTES_PER_MS
}

function watchReplies(page: Page): Promise<Reply>[] {
  const replies: Promise<Reply>[] = []
  page.on('requestfinished', (request) => {
    const { startTime, responseEnd } = request.timing()
    const reply = request.sizes().then(({ responseBodySize, responseHeadersSize }) => ({
      startMs: startTime,
      endMs: startTime + responseEnd,
      bytes: responseBodySize + responseHeadersSize,
    }))
    // A request may end after the page was measured and closed.
    reply.catch(() => undefined)
    replies.push(reply)
  })
  return replies
}

// The time is computed from what the page requested, because the time of the browser depends on what else runs.
test.skipIf(browserPath === undefined)(
  'with an empty cache and a slow network the first page is there within 4 s, from at most 120 KB',
  { timeout: TIMEOUT_MS },
  async () => {
    const daemon = await startDaemon()
    const { url } = await daemon.listen()
    const context = await openBrowser()
    const { code } = (await daemon.post('/api/login-codes')).json<{ code: string }>()
    await context.request.get(`${url}/login?code=${code}`, { maxRedirects: 0 })
    const page = await context.newPage()
    const network = await context.newCDPSession(page)
    await network.send('Network.enable')
    await network.send('Network.emulateNetworkConditions', SLOW_NETWORK)
    const watched = watchReplies(page)
    await page.goto(url, { waitUntil: 'commit' })
    await page.getByText('Nothing waits for a decision.').waitFor()
    const replies = await Promise.all(watched)
    expect(replies.length).toBeGreaterThan(3)
    expect(replies.reduce((sum, { bytes }) => sum + bytes, 0)).toBeLessThan(LIMIT_BYTES)
    expect(computeNetworkMs(replies)).toBeLessThan(LIMIT_MS)
  },
)
