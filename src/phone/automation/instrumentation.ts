import type { Device, RunningInstrumentation } from '../model/device.ts'

export type ResultBundle = Readonly<Record<string, string | number | boolean>>

/** The process of an instrumentation, as `am instrument` starts it. */
export interface InstrumentationProcess {
  readonly device: Device
  /** The values given with `-e`. */
  readonly values: ReadonlyMap<string, string>
  /** Aborted when the process is killed. */
  readonly signal: AbortSignal
  readonly own: RunningInstrumentation
  /** Reports a status to the `am` command that waits. */
  report(code: number, bundle: ResultBundle): void
}

export type Instrumentation = (
  process: InstrumentationProcess,
) => Promise<{ readonly code: number; readonly result: ResultBundle }>

/** What every answer of the snapshot helper says first. */
export const PROTOCOL = {
  agentDeviceProtocol: 'android-snapshot-helper-v1',
  helperApiVersion: 2,
  outputFormat: 'uiautomator-xml',
}

/** A Java exception, as a helper reports it. */
export class HelperError extends Error {
  readonly type: string

  constructor(type: string, message: string) {
    super(message)
    this.type = type
  }
}
