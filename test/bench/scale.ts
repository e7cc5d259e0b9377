import { cpus } from 'node:os'
import { ExecutionClient } from './execution-client.ts'
import { compareRates, compareToLimit, type Figure, type Measure, quantile } from './figure.ts'
import { readMemoryMb, readUsage } from './process-usage.ts'
import { type ScaleRig, startScaleRig } from './scale-rig.ts'

const readCounts = (name: string, counts: string): number[] => (process.env[name] ?? counts).split(',').map(Number)

/** SCALE_HOSTS and SCALE_PHONES choose others, for a quick look. */
const HOSTS = readCounts('SCALE_HOSTS', '1,2,4')
const PHONES = readCounts('SCALE_PHONES', '1,8,64,256')
const MOST_PHONES = Math.max(...PHONES)
/** Phones whose processor is not measured; one tap takes about 1.5 s, as on a phone without a fast source of screens. */
export const PHONE_LATENCY = { dumpMs: 1200, inputMs: 250, launchMs: 0, screencapMs: 0, idleTimeoutMs: 0 }
const WARMUP_MS = 3000
const MEASURED_MS = 12_000
/** From this share of the processors on, the machine bounds the rate and not the program. */
const BUSY = 0.9

export const TAP = { id: 'tap', type: 'click', params: { matcher: { textEquals: 'Mark 3' } } }

/** How far more phones on more hosts do more work, and what one step costs the daemon. */
export const scale: Figure = {
  name: 'scale',
  baseline: 'as many times what one phone does; fixed limits',
  repeats: 1,
  run: async () => {
    const measures: Measure[] = []
    for (const hosts of HOSTS) {
      const rig = await startScaleRig({ hosts, phones: MOST_PHONES, latency: PHONE_LATENCY })
      try {
        measures.push(...(await measureRig(rig, hosts)))
      } finally {
        await rig.close()
      }
    }
    return measures
  },
}

async function measureRig(rig: ScaleRig, hosts: number): Promise<Measure[]> {
  const client = new ExecutionClient(rig.daemon)
  const measures: Measure[] = []
  let one: number | undefined
  try {
    for (const phones of PHONES) {
      const found = await load(rig, client, phones)
      one ??= found.rate
      const name = `${phones} phones on ${hosts} hosts`
      const isBusy = found.busy >= BUSY
      measures.push(
        compareRates(isBusy ? 0 : 0.9, {
          what: isBusy ? `${name} (processors ${Math.round(found.busy * 100)} % busy, no target)` : name,
          ours: found.rate,
          baseline: one * phones,
          unit: 'executions/s',
        }),
        compareToLimit(100, {
          what: `${name}, wait in the queue p95`,
          ours: found.waitMs,
          unit: 'ms',
        }),
        compareToLimit(9.4, { what: `${name}, processor time of the daemon per step`, ours: found.cpuMs, unit: 'ms' }),
        compareToLimit(22, {
          what: `${name}, processor time of the hosts per step`,
          ours: found.hostCpuMs,
          unit: 'ms',
        }),
        compareToLimit(1024, { what: `${name}, memory of the daemon`, ours: found.memoryMb, unit: 'MB' }),
        compareToLimit(1024, { what: `${name}, memory of the largest host`, ours: found.hostMemoryMb, unit: 'MB' }),
      )
    }
  } finally {
    await client.close()
  }
  return measures
}

/** Each phone gets its next execution when it has done the one before. */
async function load({ daemon, hostPids, serials }: ScaleRig, client: ExecutionClient, phones: number) {
  const startedMs = performance.now()
  const endsMs = startedMs + WARMUP_MS + MEASURED_MS
  const waits: number[] = []
  const working = Promise.all(
    serials.slice(0, phones).map(async (serial) => {
      while (performance.now() < endsMs) {
        const { queued_at, started_at } = await client.execute(serial, TAP)
        const nowMs = performance.now()
        if (nowMs > startedMs + WARMUP_MS && nowMs <= endsMs)
          waits.push(Date.parse(started_at ?? queued_at) - Date.parse(queued_at))
      }
    }),
  )
  // It is awaited below, after the measurement.
  working.catch(() => {})
  await pause(WARMUP_MS)
  const hostsBefore = readAll(hostPids)
  const [usage, processors] = [readUsage(daemon.pid), readProcessors()]
  await pause(endsMs - performance.now())
  const cpuMs = readUsage(daemon.pid).cpuMs - usage.cpuMs
  const hostCpuMs = readAll(hostPids) - hostsBefore
  const busy = share(processors, readProcessors())
  await working
  return {
    rate: (waits.length * 1000) / MEASURED_MS,
    waitMs: quantile(waits, 0.95),
    cpuMs: cpuMs / waits.length,
    hostCpuMs: hostCpuMs / waits.length,
    busy,
    memoryMb: readMemoryMb(daemon.pid),
    hostMemoryMb: Math.max(...hostPids.map(readMemoryMb)),
  }
}

const readAll = (pids: readonly number[]): number => pids.reduce((sum, pid) => sum + readUsage(pid).cpuMs, 0)

const pause = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms)
  })

/** The time of all processors so far, and how much of it was idle. */
function readProcessors(): { readonly all: number; readonly idle: number } {
  const times = cpus().map(({ times: one }) => one)
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0)
  return { all: sum(times.flatMap((one) => Object.values(one))), idle: sum(times.map(({ idle }) => idle)) }
}

const share = (from: ReturnType<typeof readProcessors>, to: ReturnType<typeof readProcessors>): number =>
  1 - (to.idle - from.idle) / (to.all - from.all)
