import type { Action } from '@apprentice/contracts/devices/action.ts'
import type { StepResult } from '@apprentice/contracts/devices/execution.ts'
import type { Driver } from '../driver/driver.ts'
import type { NodeSummary } from '../../screen/matcher.ts'
import type { ScreenReading } from './screen-reading.ts'
import type { StepEvidence } from './step-evidence.ts'

/** Everything the engine is given: the device, the time and where to leave what it makes. */
export interface EngineHost {
  readonly driver: Driver
  /** All that is left for the whole execution. */
  readonly timeoutMs: number
  /** Ends the execution at once, also in the middle of a wait. */
  readonly signal: AbortSignal
  /** Milliseconds since the epoch. */
  readonly now?: () => number
  /** In [0, 1): where the jitter of retries comes from. */
  readonly random?: () => number
  /** Waits, and gives up when the signal aborts. */
  readonly sleep?: (ms: number, signal: AbortSignal) => Promise<void>
  /** The longest a single command may take; a device silent for longer is given up. */
  readonly callTimeoutMs?: number
  /** Looks at the screen before and after whatever changes it, also where no step needs it. */
  readonly captureEvidence?: boolean
  /** Told of every good look, in the order they are taken. */
  readonly onLook?: (reading: ScreenReading) => void
  readonly keepScreenshot: (
    png: Buffer,
    facts: { readonly width: number; readonly height: number },
  ) => Promise<{ readonly path: string; readonly evidence_id: string }>
  /** Absent: `start_recording` and `stop_recording` fail. */
  readonly recording?: RecordingSwitch
  /**
   * Asked before every step that acts, and again before every touch with the node it goes to (and with
   * the one that would take it, when that is another). An answer refuses the step; nothing is touched.
   */
  readonly admit?: (
    action: Action,
    target?: NodeSummary,
  ) => { readonly code: string; readonly message: string } | undefined
  readonly onStepStarted: (step: { readonly id: string; readonly type: string }) => Promise<void>
  /** Called for every step that was started. Skipped steps are only in the envelope. */
  readonly onStepFinished: (result: StepResult, evidence: StepEvidence) => Promise<void>
}

/** A refusal that bears a `RECORDING_*` code keeps it as the step's error. */
export interface RecordingSwitch {
  start(sessionId?: string): Promise<{ readonly sessionId: string; readonly filePath: string }>
  stop(sessionId?: string): Promise<{
    readonly sessionId: string
    readonly filePath: string
    readonly eventCount: number
  }>
}
