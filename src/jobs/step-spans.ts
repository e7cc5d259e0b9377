import type { StepResult } from '@apprentice/contracts/devices/execution.ts'
import type { Span, Traces } from '../traces/traces.ts'

/** Some steps fail with a message, which may contain what the screen showed. */
const CODE = /^[A-Z][A-Z_]+$/

/** The spans of the steps of one execution. */
export class StepSpans {
  readonly #traces: Traces | undefined
  readonly #open = new Map<string, Span>()

  constructor(traces: Traces | undefined) {
    this.#traces = traces
  }

  start({ id, type }: { readonly id: string; readonly type: string }): void {
    const span = this.#traces?.start({ name: `step ${type}`, attributes: { 'apprentice.step_id': id } })
    if (span !== undefined) this.#open.set(id, span)
  }

  /** A skipped step was never started and has no span. */
  end({ id, success, data }: StepResult): void {
    const span = this.#open.get(id)
    this.#open.delete(id)
    if (!success) span?.fail(CODE.exec(data['error'] ?? '')?.[0] ?? 'EXECUTION_FAILED')
    span?.end()
  }

  /** Ends the steps of an execution that was stopped. */
  endAll(): void {
    for (const span of this.#open.values()) {
      span.fail('EXECUTION_CANCELLED')
      span.end()
    }
    this.#open.clear()
  }
}
