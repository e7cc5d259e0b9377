import type { StartedPhones } from './device-phones.ts'
import { NO_LATENCY, type BenchDaemon, startDeviceDaemon, startPhones, measureMs } from './device-rig.ts'
import { compareRates, type Figure } from './figure.ts'

const SLOW_EXECUTIONS = 15
const QUICK_EXECUTIONS = 150
/** A tenth of the latency of a phone. */
const SLOW_LATENCY = { dumpMs: 120, inputMs: 25, launchMs: 0, screencapMs: 0, idleTimeoutMs: 0 }

/** The throughput of eight phones compared to one. */
export const deviceQueues: Figure = {
  name: 'device queues',
  baseline: 'the same daemon with one phone',
  run: async () => [
    await compareEightToOne({
      what: 'phones with latency',
      at_least: 4,
      latency: SLOW_LATENCY,
      each: SLOW_EXECUTIONS,
    }),
    await compareEightToOne({
      what: 'phones without latency',
      at_least: 1,
      latency: NO_LATENCY,
      each: QUICK_EXECUTIONS,
    }),
  ],
}

async function compareEightToOne(options: {
  readonly what: string
  readonly at_least: number
  readonly latency: typeof NO_LATENCY
  readonly each: number
}) {
  const phones = await startPhones({ count: 8, latency: options.latency })
  const daemon = await startDeviceDaemon(phones)
  try {
    await measureRate(daemon, phones, { phoneCount: 8, each: 5, label: 'warm' })
    const one = await measureRate(daemon, phones, {
      phoneCount: 1,
      each: options.each,
      label: 'one',
    })
    const eight = await measureRate(daemon, phones, {
      phoneCount: 8,
      each: options.each,
      label: 'eight',
    })
    return compareRates(options.at_least, {
      what: options.what,
      ours: eight,
      baseline: one,
      unit: 'executions/s',
    })
  } finally {
    await daemon.close()
    await phones.close()
  }
}

/** All executions are queued at once. Each is committed before it starts and after every step. */
async function measureRate(
  daemon: BenchDaemon,
  { serials }: StartedPhones,
  { phoneCount, each, label }: { phoneCount: number; each: number; label: string },
): Promise<number> {
  const took = await measureMs(() =>
    Promise.all(
      serials
        .slice(0, phoneCount)
        .flatMap((serial) => Array.from({ length: each }, (_, n) => daemon.execute(serial, `${label}-${serial}-${n}`))),
    ),
  )
  return (phoneCount * each * 1000) / took
}
