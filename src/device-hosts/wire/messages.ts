import type { Action } from '@apprentice/contracts/devices/action.ts'
import type { Execution, ResultEnvelope, StepResult } from '@apprentice/contracts/devices/execution.ts'
import type { AdmissionTarget } from '../../devices/engine/engine-host.ts'
import type { StepEvidence } from '../../devices/engine/step-evidence.ts'
import type { PrintedError } from './errors.ts'

/** What the daemon may ask of a device beside executions. All of them only read. */
export type ReadingMethod =
  | 'dump'
  | 'screenshot'
  | 'facts'
  | 'foreground'
  | 'packages'
  | 'appBuild'
  | 'launchables'
  | 'log'

/** A job of BullMQ: one execution. */
export interface HandedExecution {
  /** Issued for this job only. It is checked at the gate of the device before every command. */
  readonly fence: string
  readonly serial: string
  readonly execution: Execution
  readonly timeoutMs: number
  readonly callTimeoutMs?: number | undefined
  readonly captureEvidence: boolean
  /** Which callbacks of the engine the daemon has. */
  readonly wants: { readonly readings: boolean; readonly admission: boolean; readonly recording: boolean }
}

/** From the daemon to a host. */
export type DownMessage =
  | {
      readonly type: 'read'
      readonly id: string
      readonly serial: string
      readonly method: ReadingMethod
      readonly args: readonly unknown[]
      readonly timeoutMs: number
    }
  | { readonly type: 'answer'; readonly id: string; readonly answer: Answer }
  | { readonly type: 'stop'; readonly fence: string }

/** From a host to the daemon. */
export type UpMessage =
  /** With the tokens of the executions that the host has taken and not yet reported as ended. */
  | { readonly type: 'beat'; readonly running: readonly string[] }
  | { readonly type: 'devices'; readonly devices: readonly AnnouncedDevice[] }
  | { readonly type: 'answer'; readonly id: string; readonly answer: Answer }
  | { readonly type: 'event'; readonly fence: string; readonly event: EngineEvent }
  | { readonly type: 'ask'; readonly fence: string; readonly id: string; readonly question: EngineQuestion }
  | { readonly type: 'result'; readonly fence: string; readonly result: HandedResult }

export type Answer = { readonly value: unknown } | { readonly error: PrintedError }

export type HandedResult =
  | { readonly envelope: ResultEnvelope }
  /** The host stopped the execution: it was told to, or the gate was closed. */
  | { readonly stopped: true }
  | { readonly error: PrintedError }

export interface AnnouncedDevice {
  readonly serial: string
  readonly state: string
}

/** A reading of the screen. Its XML does not contain the text of password fields. */
export interface SentReading {
  readonly id: number
  readonly xml: string
  readonly startedMs: number
  readonly finishedMs: number
  /** The clock of the host, by which the daemon corrects the times. */
  readonly sentMs: number
}

export type SentEvidence = Omit<StepEvidence, 'before' | 'after'> & {
  readonly before?: number | undefined
  readonly after?: number | undefined
}

/** What the daemon is told and nobody waits for. */
export type EngineEvent =
  | { readonly kind: 'reading'; readonly reading: SentReading }
  | { readonly kind: 'step_started'; readonly step: { readonly id: string; readonly type: string } }
  | { readonly kind: 'step_finished'; readonly result: StepResult; readonly seen: SentEvidence }

/** What the engine waits for. */
export type EngineQuestion =
  | Extract<EngineEvent, { kind: 'step_finished' }>
  | { readonly kind: 'admission'; readonly action: Action; readonly target?: AdmissionTarget | undefined }
  | { readonly kind: 'screenshot'; readonly png: Buffer; readonly width: number; readonly height: number }
  | { readonly kind: 'recording'; readonly work: 'start' | 'stop'; readonly sessionId?: string | undefined }
