import { rmSync } from 'node:fs'
import Database from 'better-sqlite3'
import { normalizeExecution } from '@apprentice/contracts/devices/execution.ts'
import { AdbClient } from '../../src/devices/adb/adb-client.ts'
import { AndroidDriver } from '../../src/devices/driver/android-driver.ts'
import type { CallLimits } from '../../src/devices/adb/call-limits.ts'
import type { CommandResult, DeviceAddress } from '../../src/devices/shell/command-stream.ts'
import { type CommandRunner, DeviceShell } from '../../src/devices/shell/device-shell.ts'
import type { Driver } from '../../src/devices/driver/driver.ts'
import { runExecution } from '../../src/devices/engine/execution/run-execution.ts'
import {
  NO_LATENCY,
  type BenchDaemon,
  compareTimes,
  startDeviceDaemon,
  startPhones,
  buildTapPayload,
  measureMs,
} from './device-rig.ts'
import { compareToLimit, type Figure, median, quantile } from './figure.ts'
import { getDatabasePath, createHome } from './home.ts'

const ROUNDS = 200
const LIMITS = { timeoutMs: 10_000 }

/**
 * The cost of a tap by text without the time of the phone, which is measured at its shell. A whole request is
 * compared with its minimum: the same dump and tap sent directly through a shell, and the three commits that make it
 * durable (queued, started, finished).
 */
export const deviceTap: Figure = {
  name: 'device tap',
  baseline: 'a limit of 5 ms; for the request, the phone alone and three commits to the same disk',
  run: async () => {
    const phones = await startPhones({ count: 1, latency: NO_LATENCY })
    const [serial = ''] = phones.serials
    const daemon = await startDeviceDaemon(phones)
    const server = { host: '127.0.0.1', port: phones.server }
    const shell = new DeviceShell(new AdbClient(server), serial)
    const disk = openDisk()
    try {
      await shell.openPersistent(LIMITS)
      return await compare(new TimedShell(shell), { server, serial }, { daemon, disk })
    } finally {
      disk.close()
      shell.close()
      await daemon.close()
      await phones.close()
    }
  },
}

async function compare(
  shell: TimedShell,
  device: DeviceAddress,
  { daemon, disk }: { daemon: BenchDaemon; disk: Disk },
) {
  const driver = new AndroidDriver(shell, device)
  const minimum: number[] = []
  const byEngine: number[] = []
  const whole: number[] = []
  for (let round = -30; round < ROUNDS; round += 1) {
    const took = [
      await measureMs(async () => {
        await dumpAndTap(shell)
        for (let commit = 0; commit < 3; commit += 1) disk.commit()
      }),
      (await measureMs(() => tapThroughEngine(driver, shell))) - shell.spentMs,
      await measureMs(() => daemon.execute(device.serial, `tap-${round}`)),
    ] as const
    if (round < 0) continue
    minimum.push(took[0])
    byEngine.push(took[1])
    whole.push(took[2])
  }
  return [
    compareToLimit(5, { what: 'in the engine', ours: quantile(byEngine, 0.95), unit: 'ms p95' }),
    compareTimes(3, {
      what: 'from request to reply',
      ours: median(whole),
      baseline: median(minimum),
      unit: 'ms p50',
    }),
  ]
}

interface Disk {
  commit(): void
  close(): void
}

/** Commits one row at a time with the settings of the daemon. */
function openDisk(): Disk {
  const home = createHome()
  const db = new Database(getDatabasePath(home))
  db.pragma('journal_mode = WAL')
  db.pragma('synchronous = FULL')
  db.exec('CREATE TABLE notes (content TEXT)')
  const insert = db.prepare('INSERT INTO notes VALUES (?)')
  return {
    commit: () => {
      insert.run('x'.repeat(500))
    },
    close: () => {
      db.close()
      rmSync(home, { recursive: true, force: true })
    },
  }
}

/** Measures the time spent in commands since `spentMs` was reset. */
class TimedShell implements CommandRunner {
  readonly #shell: DeviceShell
  spentMs = 0

  constructor(shell: DeviceShell) {
    this.#shell = shell
  }

  get serial(): string {
    return this.#shell.serial
  }

  async run(commandLine: string, callLimits: CallLimits): Promise<CommandResult> {
    const started = performance.now()
    try {
      return await this.#shell.run(commandLine, callLimits)
    } finally {
      this.spentMs += performance.now() - started
    }
  }
}

async function dumpAndTap(shell: CommandRunner): Promise<void> {
  const file = '/data/local/tmp/bench.xml'
  const dump = `rm -f ${file}; uiautomator dump ${file}; cat ${file}; rm -f ${file}`
  const { stdout } = await shell.run(dump, LIMITS)
  if (!stdout.includes('Mark 3')) throw new Error('The phone does not show the node to tap.')
  await shell.run('input tap 540 1', LIMITS)
}

async function tapThroughEngine(driver: Driver, shell: TimedShell): Promise<void> {
  shell.spentMs = 0
  const read = normalizeExecution(buildTapPayload('engine'))
  if (!read.ok) throw new Error(read.failure.message)
  const envelope = await runExecution(read.execution, {
    driver,
    timeoutMs: 10_000,
    signal: new AbortController().signal,
    saveScreenshot: () => Promise.reject(new Error('No screenshot is expected.')),
    onStepStarted: async () => {},
    onStepFinished: async () => {},
  })
  if (envelope.status !== 'success') throw new Error(JSON.stringify(envelope))
}
