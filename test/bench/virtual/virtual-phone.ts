import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { normalizeExecution, type Execution, type ResultEnvelope } from '@apprentice/contracts/devices/execution.ts'
import { createManualClock, createPhone, type LatencyProfile, type Phone } from '@apprentice/phone/phone.ts'
import { AndroidDriver } from '../../../src/devices/driver/android-driver.ts'
import type { Driver } from '../../../src/devices/driver/driver.ts'
import { type EngineHost, runExecution } from '../../../src/devices/engine/execution/run-execution.ts'
import type { CommandRunner } from '../../../src/devices/shell/device-shell.ts'
import { copyApp } from '../../apps/app-files.ts'

/** A simulated phone without adb, and an engine that drives it, both on a clock that only waiting advances. */
export interface VirtualPhone {
  readonly phone: Phone
  readonly driver: Driver
  now(): number
  wait(ms: number): Promise<void>
  /** Runs an execution. `host` replaces callbacks and options of the engine. */
  execute(execution: Execution, host?: Partial<EngineHost>): Promise<ResultEnvelope>
  close(): void
}

const START_MS = Date.parse('2026-03-02T09:30:00.000Z')

const LATENCY: LatencyProfile = { dumpMs: 40, inputMs: 20, launchMs: 100, screencapMs: 20, idleTimeoutMs: 2000 }

export function openVirtualPhone(documentFile: string): VirtualPhone {
  const folder = mkdtempSync(join(tmpdir(), 'apprentice-virtual-'))
  copyApp(documentFile, folder)
  const clock = createManualClock(START_MS)
  const phone = createPhone({ appsDirs: [folder], clock, latency: LATENCY })
  const driver = new AndroidDriver(createRunner(phone), {
    server: { host: '127.0.0.1', port: 0 },
    serial: phone.serial,
  })
  const { signal } = new AbortController()
  const options: Omit<EngineHost, 'timeoutMs'> = {
    driver,
    signal,
    now: () => clock.now(),
    random: () => 0.5,
    sleep: (ms) => clock.sleep(ms),
    saveScreenshot: () => Promise.resolve({ path: '', evidence_id: '' }),
    onStepStarted: () => Promise.resolve(),
    onStepFinished: () => Promise.resolve(),
  }
  return {
    phone,
    driver,
    now: () => clock.now(),
    wait: (ms) => clock.sleep(ms),
    execute: (execution, host = {}) => runExecution(execution, { ...options, timeoutMs: execution.timeoutMs, ...host }),
    close: () => rmSync(folder, { recursive: true, force: true }),
  }
}

function createRunner(phone: Phone): CommandRunner {
  const { signal: never } = new AbortController()
  return {
    serial: phone.serial,
    run: async (commandLine, { signal = never }) => {
      const stdout: Buffer[] = []
      const stderr: Buffer[] = []
      const exitCode = await phone.run(commandLine, {
        stdout: (chunk) => stdout.push(chunk),
        stderr: (chunk) => stderr.push(chunk),
        stdin: readNothing(),
        signal,
      })
      return { exitCode, stdout: Buffer.concat(stdout), stderr: Buffer.concat(stderr) }
    },
  }
}

async function* readNothing(): AsyncGenerator<Buffer> {
  // Commands find an empty input.
}

/** An execution of one action. Throws if the action is invalid. */
export function toExecution(action: object): Execution {
  const normalized = normalizeExecution({
    commandId: 'demonstration',
    taskId: 'demonstration',
    source: 'live_screen',
    expectedFormat: 'android-ui-automator',
    timeoutMs: 60_000,
    actions: [action],
  })
  if (!normalized.ok) throw new Error(normalized.failure.message)
  return normalized.execution
}
