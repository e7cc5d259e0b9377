import { rmSync } from 'node:fs'
import Database from 'better-sqlite3'
import { normalizeExecution } from '@apprentice/contracts/devices/execution.ts'
import { AdbClient } from '../../src/devices/adb/adb-client.ts'
import { AndroidDriver } from '../../src/devices/driver/android-driver.ts'
import type { CallLimits } from '../../src/devices/adb/call-limits.ts'
import type { CommandResult, DeviceAddress } from '../../src/devices/shell/command-stream.ts'
import { type CommandRunner, DeviceShell } from '../../src/devices/shell/device-shell.ts'
import type { Driver } from '../../src/devices/driver/driver.ts'
import { runExecution } from '../../src/devices/engine/run/run-execution.ts'
import {
  atOnce,
  type BenchDaemon,
  shorter,
  startDeviceDaemon,
  startPhones,
  tapByText,
  timed,
} from './device-rig.ts'
import { against, type Figure, median, quantile } from './figure.ts'
import { databaseOf, makeHome } from './home.ts'

const rounds = 200
const limits = { timeoutMs: 10_000 }

/**
 * What a tap by text costs beside the phone's own time, which in the engine is what its shell took, call by call.
 * A whole request is held against the least it can be made of: the same dump and touch sent straight through a
 * shell, and the three commits without which it would not be durable (queued, begun, settled).
 */
export const deviceTap: Figure = {
  name: 'device tap',
  baseline: 'a limit of 5 ms; for the request, the phone alone and three commits to the same disk',
  run: async () => {
    const phones = await startPhones({ count: 1, latency: atOnce })
    const [serial = ''] = phones.serials
    const daemon = await startDeviceDaemon(phones)
    const server = { host: '127.0.0.1', port: phones.server }
    const shell = new DeviceShell(new AdbClient(server), serial)
    const disk = openDisk()
    try {
      await shell.openHot(limits)
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
  const least: number[] = []
  const byEngine: number[] = []
  const whole: number[] = []
  for (let round = -30; round < rounds; round += 1) {
    const took = [
      await timed(async () => {
        await dumpAndTouch(shell)
        for (let commit = 0; commit < 3; commit += 1) disk.commit()
      }),
      (await timed(() => throughEngine(driver, shell))) - shell.spentMs,
      await timed(() => daemon.execute(device.serial, `tap-${round}`)),
    ] as const
    if (round < 0) continue
    least.push(took[0])
    byEngine.push(took[1])
    whole.push(took[2])
  }
  return [
    against(5, { what: 'in the engine', ours: quantile(byEngine, 0.95), unit: 'ms p95' }),
    shorter(3, {
      what: 'from request to reply',
      ours: median(whole),
      baseline: median(least),
      unit: 'ms p50',
    }),
  ]
}

interface Disk {
  commit(): void
  close(): void
}

/** Commits as the daemon does, a row each. */
function openDisk(): Disk {
  const home = makeHome()
  const db = new Database(databaseOf(home))
  db.pragma('journal_mode = WAL')
  db.pragma('synchronous = FULL')
  db.exec('CREATE TABLE notes (words TEXT)')
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

/** Knows how long the phone has kept its callers waiting since it was last asked to count. */
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
    const began = performance.now()
    try {
      return await this.#shell.run(commandLine, callLimits)
    } finally {
      this.spentMs += performance.now() - began
    }
  }
}

async function dumpAndTouch(shell: CommandRunner): Promise<void> {
  const file = '/data/local/tmp/bench.xml'
  const dump = `rm -f ${file}; uiautomator dump ${file}; cat ${file}; rm -f ${file}`
  const { stdout } = await shell.run(dump, limits)
  if (!stdout.includes('Mark 3')) throw new Error('The phone does not show what is to be touched.')
  await shell.run('input tap 540 1', limits)
}

async function throughEngine(driver: Driver, shell: TimedShell): Promise<void> {
  shell.spentMs = 0
  const read = normalizeExecution(tapByText('engine'))
  if (!read.ok) throw new Error(read.failure.message)
  const envelope = await runExecution(read.execution, {
    driver,
    timeoutMs: 10_000,
    signal: new AbortController().signal,
    keepScreenshot: () => Promise.reject(new Error('No picture is taken.')),
    onStepStarted: async () => {},
    onStepFinished: async () => {},
  })
  if (envelope.status !== 'success') throw new Error(JSON.stringify(envelope))
}
