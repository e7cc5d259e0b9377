import type { PhonesFound } from './device-phones.ts'
import { atOnce, type BenchDaemon, startDeviceDaemon, startPhones, timed } from './device-rig.ts'
import { compared, type Figure } from './figure.ts'

const eachSlow = 15
const eachQuick = 150
/** A tenth of what a phone takes. */
const slow = { dumpMs: 120, inputMs: 25, launchMs: 0, screencapMs: 0, idleTimeoutMs: 0 }

/** How much eight phones get done in the time of one. */
export const deviceLanes: Figure = {
  name: 'device lanes',
  baseline: 'the same daemon with one phone',
  run: async () => [
    await eightAgainstOne({
      what: 'phones that take their time',
      at_least: 4,
      latency: slow,
      each: eachSlow,
    }),
    await eightAgainstOne({
      what: 'phones that answer at once',
      at_least: 1,
      latency: atOnce,
      each: eachQuick,
    }),
  ],
}

async function eightAgainstOne(asked: {
  readonly what: string
  readonly at_least: number
  readonly latency: typeof atOnce
  readonly each: number
}) {
  const phones = await startPhones({ count: 8, latency: asked.latency })
  const daemon = await startDeviceDaemon(phones)
  try {
    await perSecond(daemon, phones, { lanes: 8, each: 5, run: 'warm' })
    const one = await perSecond(daemon, phones, { lanes: 1, each: asked.each, run: 'one' })
    const eight = await perSecond(daemon, phones, { lanes: 8, each: asked.each, run: 'eight' })
    return compared(asked.at_least, {
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
async function perSecond(
  daemon: BenchDaemon,
  { serials }: PhonesFound,
  { lanes, each, run }: { lanes: number; each: number; run: string },
): Promise<number> {
  const took = await timed(() =>
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
