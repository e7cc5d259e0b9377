import { type BenchDaemon, NO_LATENCY, startDeviceDaemon, startPhones } from './device-rig.ts'
import { ExecutionClient } from './execution-client.ts'
import { compareRates, compareToLimit, type Figure, type Measure } from './figure.ts'
import { measureUsage } from './process-usage.ts'

const PHONE_COUNT = 8
const WARMUP_COUNT = 200
const ONE_BY_ONE = 400
const AT_ONCE_EACH = 250

const SLEEP = { id: 'step', type: 'sleep', params: { durationMs: 1 } }
const PRESS = { id: 'step', type: 'press_key', params: { key: 'back' } }

/** What the daemon uses for the smallest pieces of work, and how many of them it does in a second. */
export const stepCost: Figure = {
  name: 'step cost',
  baseline: 'fixed limits',
  run: async () => {
    const phones = await startPhones({ count: PHONE_COUNT, latency: NO_LATENCY })
    const daemon = await startDeviceDaemon(phones)
    const client = new ExecutionClient(daemon)
    try {
      return await measureAll(daemon, client, phones.serials)
    } finally {
      await client.close()
      await daemon.close()
      await phones.close()
    }
  },
}

async function measureAll(
  daemon: BenchDaemon,
  client: ExecutionClient,
  serials: readonly string[],
): Promise<Measure[]> {
  const [serial = ''] = serials
  const perform = async (work: () => Promise<unknown>) => {
    for (let n = 0; n < WARMUP_COUNT; n += 1) await work()
    const used = await measureUsage(daemon.pid, async () => {
      for (let n = 0; n < ONE_BY_ONE; n += 1) await work()
    })
    return { cpuMs: used.cpuMs / ONE_BY_ONE, writes: used.writes / ONE_BY_ONE }
  }
  const slept = await perform(() => client.execute(serial, SLEEP))
  const pressed = await perform(() => client.execute(serial, PRESS))
  const looked = await perform(() => client.post(`/api/devices/${serial}/snapshot`, {}))
  return [
    compareToLimit(1.5, { what: 'processor time of 1 ms of sleep', ours: slept.cpuMs, unit: 'ms' }),
    compareToLimit(25, { what: 'write calls of 1 ms of sleep', ours: slept.writes, unit: 'calls' }),
    compareToLimit(9.4, { what: 'processor time of a key press', ours: pressed.cpuMs, unit: 'ms' }),
    compareToLimit(102, { what: 'write calls of a key press', ours: pressed.writes, unit: 'calls' }),
    compareToLimit(12.7, { what: 'processor time of a snapshot', ours: looked.cpuMs, unit: 'ms' }),
    compareToLimit(10, { what: 'write calls of a snapshot', ours: looked.writes, unit: 'calls' }),
    await measureThroughput(client, serials),
  ]
}

/** Every phone always has some executions in its queue. */
async function measureThroughput(client: ExecutionClient, serials: readonly string[]): Promise<Measure> {
  const run = (each: number) =>
    Promise.all(Array.from({ length: each }, () => serials.map((serial) => client.execute(serial, SLEEP))).flat())
  await run(AT_ONCE_EACH)
  const started = performance.now()
  await run(AT_ONCE_EACH)
  const seconds = (performance.now() - started) / 1000
  return compareRates(1, {
    what: '8 phones at once',
    ours: (serials.length * AT_ONCE_EACH) / seconds,
    baseline: 1000,
    unit: 'executions/s',
  })
}
