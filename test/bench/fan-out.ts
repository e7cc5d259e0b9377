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

/** How soon the last of many readers has an event, and what each of them costs. */
export const fanOut: Figure = {
  name: 'stream',
  baseline: 'limits: 50 ms to the last of 1,000 readers, 64 KB a reader',
  run: async () => {
    const home = createHome()
    const [watched = '', other = ''] = await addSessions(home, 2, 'capturing')
    const daemon = startProgram([daemonProgram, 'serve'], buildDaemonEnv(home, BENCH_TOKEN))
    try {
      const url = String((await daemon.firstLine)['url'])
      // What the first requests and the first seconds cost is not the subscribers'.
      for (let n = 0; n < 300; n += 1) await verifyOneCheckpoint(url, other)
      await sleep(500)
      const before = await readResidentBytes(url)
      const { times, after } = await measureFanOut(url, watched)
      return [
        toLatencyMeasure('request sent to last reader, p50', quantile(times, 0.5)),
        toLatencyMeasure('request sent to last reader, p95', quantile(times, 0.95)),
        compareToLimit(64, {
          what: 'memory a reader',
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

const toLatencyMeasure = (what: string, ours: number) =>
  compareToLimit(50, { what, ours, unit: 'ms' })

async function measureFanOut(
  url: string,
  session: string,
): Promise<{ times: number[]; after: number }> {
  const path = fillPath(streamSessionEvents.url, { sessionId: session })
  const readers = fork(getServerProgram('subscribers'), [
    url,
    path,
    BENCH_TOKEN,
    String(SUBSCRIBERS),
  ])
  try {
    await receiveMessage(readers)
    const times: number[] = []
    for (let n = 0; n < EVENTS; n += 1) {
      // The clock is the machine's, so two processes can read it. The commit lies within the time taken.
      const sent = process.hrtime.bigint()
      const [, last] = await Promise.all([
        verifyOneCheckpoint(url, session),
        receiveMessage(readers),
      ])
      times.push(Number(BigInt(String(last['at'])) - sent) / 1e6)
      await sleep(EVENT_INTERVAL_MS)
    }
    return { times, after: await readResidentBytes(url) }
  } finally {
    readers.kill('SIGKILL')
    await once(readers, 'close')
  }
}

async function receiveMessage(readers: ChildProcess): Promise<Record<string, unknown>> {
  const waiting = new AbortController()
  const gone = once(readers, 'exit', { signal: waiting.signal }).then(([code]) => {
    throw new Error(`the readers ended with ${String(code)}`)
  })
  try {
    const [message] = (await Promise.race([
      once(readers, 'message', { signal: waiting.signal }),
      gone,
    ])) as [Record<string, unknown>]
    return message
  } finally {
    gone.catch(() => undefined)
    waiting.abort()
  }
}

/** One command, one event. */
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
  if (found === null) throw new Error('The daemon does not tell its memory.')
  return Number(found[1])
}
