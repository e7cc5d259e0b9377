import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ExecutionClient } from './execution-client.ts'
import { readUsage } from './process-usage.ts'
import { startScaleRig } from './scale-rig.ts'
import { PHONE_LATENCY, TAP } from './scale.ts'
import { type ServiceTimes, simulateLab } from './simulated-lab.ts'

// Prints what a lab would do with the recorded service times. `--record` measures them anew on this machine first.

const RECORDED_FILE = join(import.meta.dirname, 'recorded-service-times.json')
const RECORDED_PHONES = 8
const RECORDED_EACH = 5
const STEPS = 5

/** Records with phones that mostly wait, so that nothing but their own work is in the times. */
async function record(): Promise<ServiceTimes> {
  const rig = await startScaleRig({ hosts: 1, phones: RECORDED_PHONES, latency: PHONE_LATENCY })
  const client = new ExecutionClient(rig.daemon)
  const [host = 0] = rig.hostPids
  const measure = async (actions: readonly object[]) => {
    const run = (each: number) =>
      Promise.all(
        rig.serials.map(async (serial) => {
          const times: number[] = []
          for (let n = 0; n < each; n += 1) {
            const { started_at = '', settled_at = '' } = await client.executeAll(serial, actions)
            times.push(Date.parse(settled_at) - Date.parse(started_at))
          }
          return times
        }),
      ).then((lists) => lists.flat())
    await run(1)
    const before = { daemon: readUsage(rig.daemon.pid).cpuMs, host: readUsage(host).cpuMs }
    const times = await run(RECORDED_EACH)
    const toEach = (now: number, then: number) => (now - then) / times.length
    return {
      times,
      daemonMs: toEach(readUsage(rig.daemon.pid).cpuMs, before.daemon),
      hostMs: toEach(readUsage(host).cpuMs, before.host),
    }
  }
  try {
    const [one, more] = [
      await measure([TAP]),
      await measure(Array.from({ length: STEPS }, (_, at) => ({ ...TAP, id: `tap-${at}` }))),
    ]
    // On a busy machine the first can be larger; then all of it is counted as the work of steps.
    const stepMs = Math.min((more.daemonMs - one.daemonMs) / (STEPS - 1), more.daemonMs / STEPS)
    const startMs = more.daemonMs - STEPS * stepMs
    return { startMs, stepMs, hostStepMs: more.hostMs / STEPS, phoneStepMs: one.times }
  } finally {
    await client.close()
    await rig.close()
  }
}

if (process.argv.includes('--record')) writeFileSync(RECORDED_FILE, `${JSON.stringify(await record())}\n`)
const times = JSON.parse(readFileSync(RECORDED_FILE, 'utf8')) as ServiceTimes
const columns = ['phones', 'hosts', 'pause s', 'executions/s', 'daemon', 'hosts', 'wait p95 ms', 'p50 s', 'p95 s']
const rows = [
  { phones: 256, hosts: 4, pauseMs: 60_000 },
  { phones: 1000, hosts: 10, pauseMs: 60_000 },
  { phones: 10_000, hosts: 100, pauseMs: 600_000 },
  { phones: 10_000, hosts: 100, pauseMs: 300_000 },
  { phones: 10_000, hosts: 100, pauseMs: 120_000 },
  { phones: 10_000, hosts: 100, pauseMs: 60_000 },
].map(({ phones, hosts, pauseMs }) => {
  const lab = simulateLab({ seed: 1, phones, hosts, hostProcessors: 4, steps: STEPS, pauseMs, seconds: 1800, times })
  const toPercent = (share: number) => `${(share * 100).toFixed(0)} %`
  const { executionsPerSecond, daemonBusy, hostBusy, waitP95Ms, durationP50Ms, durationP95Ms } = lab
  return [
    phones,
    hosts,
    pauseMs / 1000,
    executionsPerSecond.toFixed(1),
    toPercent(daemonBusy),
    toPercent(hostBusy),
    waitP95Ms.toFixed(1),
    (durationP50Ms / 1000).toFixed(1),
    (durationP95Ms / 1000).toFixed(1),
  ]
})
const lines = [columns, columns.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`)
process.stdout.write(`${lines.join('\n')}\n`)
