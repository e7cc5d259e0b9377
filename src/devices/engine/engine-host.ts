import type { Action } from '@apprentice/contracts/devices/action.ts'
import type { StepResult } from '@apprentice/contracts/devices/execution.ts'
import type { Driver } from '../driver/driver.ts'
import type { NodeSummary } from '../../screen/matcher.ts'
import type { ScreenReading } from './screen-reading.ts'
import type { StepEvidence } from './step-evidence.ts'

/** How executions wait. Tests give a clock that only waiting advances. */
export type EngineClock = Required<Pick<EngineHost, 'now' | 'sleep'>>

/** The dependencies and callbacks of one execution. */
export interface EngineHost {
  readonly driver: Driver
  /** Time limit of the whole execution. */
  readonly timeoutMs: number
  /** Aborts the execution at once, also during a wait. */
  readonly signal: AbortSignal
  /** Milliseconds since the epoch. */
  readonly now?: () => number
  /** Returns a number in [0, 1) for the jitter of retries. */
  readonly random?: () => number
  /** Waits. Stops waiting if the signal aborts. */
  readonly sleep?: (ms: number, signal: AbortSignal) => Promise<void>
  /** Time limit of a single device command. */
  readonly callTimeoutMs?: number
  /** Reads the screen before and after every action that changes it, even if the action does not need it. */
  readonly captureEvidence?: boolean
  /** Called with every successful reading, in order. */
  readonly onReading?: (reading: ScreenReading) => void
  /** Called after every command that may change the screen. */
  readonly onCommand?: () => void
  readonly saveScreenshot: (
    png: Buffer,
    facts: { readonly width: number; readonly height: number },
  ) => Promise<{ readonly path: string; readonly evidence_id: string }>
  /** Absent: `start_recording` and `stop_recording` fail. */
  readonly recording?: RecordingSwitch
  /**
   * Called before every acting step, and before every touch with the target node and, if different, the
   * node that receives the touch. A returned value refuses the step before anything is touched.
   */
  readonly admit?: (action: Action, target?: AdmissionTarget) => Refusal | undefined | Promise<Refusal | undefined>
  readonly onStepStarted: (step: { readonly id: string; readonly type: string }) => Promise<void>
  /** Called for every step that was started. Skipped steps are only in the envelope. */
  readonly onStepFinished: (result: StepResult, evidence: StepEvidence) => Promise<void>
}

export interface Refusal {
  readonly code: string
  readonly message: string
}

/** The node of a touch, with the app that shows it. */
export interface AdmissionTarget extends NodeSummary {
  readonly package: string
}

/** Errors with a `RECORDING_*` code keep the code as the error of the step. */
export interface RecordingSwitch {
  start(sessionId?: string): Promise<{ readonly sessionId: string; readonly filePath: string }>
  stop(sessionId?: string): Promise<{
    readonly sessionId: string
    readonly filePath: string
    readonly eventCount: number
  }>
}
