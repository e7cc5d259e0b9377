import type { Redis } from 'ioredis'
import { AndroidDriver } from '../../devices/driver/android-driver.ts'
import type { UiSource } from '../../devices/driver/ui-source.ts'
import type { ServerAddress } from '../../devices/adb/adb-socket.ts'
import type { EngineHost } from '../../devices/engine/engine-host.ts'
import { runExecution } from '../../devices/engine/execution/run-execution.ts'
import type { CommandRunner } from '../../devices/shell/device-shell.ts'
import { printError } from '../wire/errors.ts'
import type { HostKeys } from '../wire/keys.ts'
import type { EngineEvent, EngineQuestion, HandedExecution, HandedResult } from '../wire/messages.ts'
import { DeviceGate, GatedRunner } from './device-gate.ts'
import { SentReadings } from './sent-readings.ts'

/** What an execution needs of its device. */
export interface HostedDevice {
  readonly server: ServerAddress
  readonly shell: CommandRunner
  /** Shared by everything that reads the screen: two dumps at a time make each other fail. */
  readonly screens: UiSource
}

/** Reports of an execution to the daemon. */
export interface ReportLink {
  /** `event` may still be in preparation; the order of the calls is kept. */
  tell(event: EngineEvent | Promise<EngineEvent>): void
  ask(question: EngineQuestion): Promise<unknown>
}

export interface HandedDeps {
  readonly redis: Redis
  readonly keys: HostKeys
  readonly connectionId: string
  readonly epoch: string
  readonly device: HostedDevice
  readonly link: ReportLink
  /** Stops the execution at once. */
  readonly controller: AbortController
}

/** Runs one execution on the engine. Every command of it asks at the gate of its device first. */
export async function runHanded(handed: HandedExecution, deps: HandedDeps): Promise<HandedResult> {
  const { redis, keys, connectionId, epoch, device, controller } = deps
  const { serial, fence } = handed
  const gate = new DeviceGate({
    redis,
    keys,
    connectionId,
    epoch,
    serial,
    fence,
    onClosed: (error) => controller.abort(error),
  })
  const address = { server: device.server, serial }
  const driver = new AndroidDriver(new GatedRunner(device.shell, gate), address, device.screens)
  try {
    // A job that ended before it was taken has no open gate.
    await gate.pass({ timeoutMs: handed.timeoutMs, signal: controller.signal })
    return { envelope: await runExecution(handed.execution, createHost(handed, deps, driver)) }
  } catch (error) {
    return controller.signal.aborted ? { stopped: true } : { error: printError(error) }
  }
}

/** The callbacks of the engine, answered by the daemon. */
function createHost(
  { timeoutMs, callTimeoutMs, captureEvidence, wants }: HandedExecution,
  { link, controller }: HandedDeps,
  driver: AndroidDriver,
): EngineHost {
  const readings = new SentReadings()
  return {
    driver,
    timeoutMs,
    signal: controller.signal,
    captureEvidence,
    ...(callTimeoutMs === undefined ? {} : { callTimeoutMs }),
    ...(wants.readings && {
      onReading: (reading) =>
        link.tell(readings.prepare(reading).then((sent) => ({ kind: 'reading' as const, reading: sent }))),
    }),
    ...(wants.admission && {
      admit: async (action, target) =>
        // The daemon answers with what its own callback returned.
        (await link.ask({ kind: 'admission', action, target })) as Awaited<
          ReturnType<NonNullable<EngineHost['admit']>>
        >,
    }),
    ...(wants.recording && {
      recording: {
        start: async (sessionId) =>
          (await link.ask({ kind: 'recording', work: 'start', sessionId })) as StartedRecording,
        stop: async (sessionId) => (await link.ask({ kind: 'recording', work: 'stop', sessionId })) as StoppedRecording,
      },
    }),
    saveScreenshot: async (png, { width, height }) =>
      (await link.ask({ kind: 'screenshot', png, width, height })) as SavedScreenshot,
    onStepStarted: async (step) => link.tell({ kind: 'step_started', step }),
    onStepFinished: async (result, evidence) => {
      const event = { kind: 'step_finished' as const, result, seen: readings.describe(evidence) }
      // What a capture stores of a step is read from the device before the next step begins.
      if (captureEvidence) await link.ask(event)
      else link.tell(event)
    },
  }
}

type Recording = NonNullable<EngineHost['recording']>
type StartedRecording = Awaited<ReturnType<Recording['start']>>
type StoppedRecording = Awaited<ReturnType<Recording['stop']>>
type SavedScreenshot = Awaited<ReturnType<EngineHost['saveScreenshot']>>
