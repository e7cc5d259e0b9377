import type { StartedPhones } from './device-phones.ts'
import {
  NO_LATENCY,
  type BenchDaemon,
  startDeviceDaemon,
  startPhones,
  measureMs,
} from './device-rig.ts'
import { compareRates, type Figure } from './figure.ts'

const SLOW_EXECUTIONS = 15
const QUICK_EXECUTIONS = 150
/** A tenth of what a phone takes. */
const SLOW_LATENCY = { dumpMs: 120, inputMs: 25, launchMs: 0, screencapMs: 0, idleTimeoutMs: 0 }

/** How much eight phones get done in the time of one. */
export const deviceQueues: Figure = {
  name: 'device lanes',
  baseline: 'the same daemon with one phone',
  run: async () => [
    await compareEightToOne({
      what: 'phones that take their time',
      at_least: 4,
      latency: SLOW_LATENCY,
      each: SLOW_EXECUTIONS,
    }),
    await compareEightToOne({
      what: 'phones that answer at once',
      at_least: 1,
      latency: NO_LATENCY,
      each: QUICK_EXECUTIONS,
    }),
  ],
}

async function compareEightToOne(asked: {
  readonly what: string
  readonly at_least: number
  readonly latency: typeof NO_LATENCY
  readonly each: number
}) {
  const phones = await startPhones({ count: 8, latency: asked.latency })
  const daemon = await startDeviceDaemon(phones)
  try {
    await measureRate(daemon, phones, { lanes: 8, each: 5, run: 'warm' })
    const one = await measureRate(daemon, phones, { lanes: 1, each: asked.each, run: 'one' })
    const eight = await measureRate(daemon, phones, { lanes: 8, each: asked.each, run: 'eight' })
    return compareRates(asked.at_least, {
      what: asked.what,
      ours: eight,
      baseline: one,
      unit: 'executions/s',
    })
  } finally {
    await daemon.close()
    await phones.close()
  }
}

/** All are queued at once; each is durable before it runs and after every step. */
async function measureRate(
  daemon: BenchDaemon,
  { serials }: StartedPhones,
  { lanes, each, run }: { lanes: number; each: number; run: string },
): Promise<number> {
  const took = await measureMs(() =>
    Promise.all(
      serials
        .slice(0, lanes)
        .flatMap((serial) =>
          Array.from({ length: each }, (_, n) => daemon.execute(serial, `${run}-${serial}-${n}`)),
        ),
    ),
  )
  return (lanes * each * 1000) / took
}
