import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { fillPath } from '@apprentice/contracts/client.ts'
import { verifyCheckpoint } from '@apprentice/contracts/learn/receipts.ts'
import { streamSessionEvents } from '@apprentice/contracts/learn/sessions.ts'
import { compareToLimit, type Figure, quantile } from './figure.ts'
import { addSessions, BENCH_TOKEN, createHome } from './home.ts'
import { buildDaemonEnv, daemonProgram, startProgram } from './program.ts'
import { getServerProgram } from './servers.ts'

const SUBSCRIBERS = 1000
const EVENTS = 100
const EVENT_INTERVAL_MS = 50

/** The time until the last of many subscribers receives an event, and the memory per subscriber. */
export const fanOut: Figure = {
  name: 'stream',
  baseline: 'limits: 50 ms to the last of 1,000 subscribers, 64 KB per subscriber',
  run: async () => {
    const home = createHome()
    const [watched = '', other = ''] = await addSessions(home, 2, 'capturing')
    const daemon = startProgram([daemonProgram, 'serve'], buildDaemonEnv(home, BENCH_TOKEN))
    try {
      const url = String((await daemon.firstLine)['url'])
      // The cost of the first requests must not count for the subscribers.
      for (let n = 0; n < 300; n += 1) await verifyOneCheckpoint(url, other)
      await sleep(500)
      const before = await readResidentBytes(url)
      const { times, after } = await measureFanOut(url, watched)
      return [
        toLatencyMeasure('request sent to last subscriber, p50', quantile(times, 0.5)),
        toLatencyMeasure('request sent to last subscriber, p95', quantile(times, 0.95)),
        compareToLimit(64, {
          what: 'memory per subscriber',
          ours: (after - before) / SUBSCRIBERS / 1024,
          unit: 'KB',
        }),
      ]
    } finally {
      await daemon.end('SIGKILL')
      rmSync(home, { recursive: true, force: true })
    }
  },
}

const toLatencyMeasure = (what: string, ours: number) => compareToLimit(50, { what, ours, unit: 'ms' })

async function measureFanOut(url: string, session: string): Promise<{ times: number[]; after: number }> {
  const path = fillPath(streamSessionEvents.url, { sessionId: session })
  const subscribers = fork(getServerProgram('subscribers'), [url, path, BENCH_TOKEN, String(SUBSCRIBERS)])
  try {
    await receiveMessage(subscribers)
    const times: number[] = []
    for (let n = 0; n < EVENTS; n += 1) {
      // hrtime is the same clock in both processes. The time includes the commit.
      const sent = process.hrtime.bigint()
      const [, last] = await Promise.all([verifyOneCheckpoint(url, session), receiveMessage(subscribers)])
      times.push(Number(BigInt(String(last['at'])) - sent) / 1e6)
      await sleep(EVENT_INTERVAL_MS)
    }
    return { times, after: await readResidentBytes(url) }
  } finally {
    subscribers.kill('SIGKILL')
    await once(subscribers, 'close')
  }
}

async function receiveMessage(subscribers: ChildProcess): Promise<Record<string, unknown>> {
  const waiting = new AbortController()
  const exited = once(subscribers, 'exit', { signal: waiting.signal }).then(([code]) => {
    throw new Error(`the subscriber process ended with ${String(code)}`)
  })
  try {
    const [message] = (await Promise.race([once(subscribers, 'message', { signal: waiting.signal }), exited])) as [
      Record<string, unknown>,
    ]
    return message
  } finally {
    exited.catch(() => undefined)
    waiting.abort()
  }
}

/** Sends one command, which causes one event. */
async function verifyOneCheckpoint(url: string, session: string): Promise<void> {
  const response = await fetch(url + verifyCheckpoint.url, {
    method: verifyCheckpoint.method,
    headers: { authorization: `Bearer ${BENCH_TOKEN}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      checkpoint_id: 'basket-filled',
      status: 'reached',
      evidence: 'Three items are in the basket.',
      learn_session_id: session,
    }),
  })
  if (!response.ok) throw new Error(`a checkpoint was refused with ${response.status}`)
  await response.arrayBuffer()
}

async function readResidentBytes(url: string): Promise<number> {
  const response = await fetch(`${url}/metrics`, {
    headers: { authorization: `Bearer ${BENCH_TOKEN}` },
  })
  const found = /^process_resident_memory_bytes (\S+)$/m.exec(await response.text())
  if (found === null) throw new Error('The metrics do not contain the memory of the daemon.')
  return Number(found[1])
}
