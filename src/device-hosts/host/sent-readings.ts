import type { ScreenReading } from '../../devices/engine/screen-reading.ts'
import type { StepEvidence } from '../../devices/engine/step-evidence.ts'
import type { SentEvidence, SentReading } from '../wire/messages.ts'

/** Numbers the readings of one execution, so that the evidence of steps can refer to them. */
export class SentReadings {
  readonly #ids = new WeakMap<ScreenReading, number>()
  #last = 0

  /** The reading in a form that can be sent. Its number is known at once. */
  prepare(reading: ScreenReading): Promise<SentReading> {
    this.#last += 1
    const id = this.#last
    this.#ids.set(reading, id)
    const { startedMs, finishedMs } = reading.times
    return reading.printXml().then((xml) => ({ id, xml, startedMs, finishedMs, sentMs: Date.now() }))
  }

  describe({ before, after, ...rest }: StepEvidence): SentEvidence {
    return { ...rest, before: before && this.#ids.get(before), after: after && this.#ids.get(after) }
  }
}
