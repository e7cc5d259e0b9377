import type { EngineHost } from '../../devices/engine/engine-host.ts'
import { ScreenReading } from '../../devices/engine/screen-reading.ts'
import type { StepEvidence } from '../../devices/engine/step-evidence.ts'
import type { ResultEnvelope } from '@apprentice/contracts/devices/execution.ts'
import { parseHierarchyInTurns } from '../../screen/tree/hierarchy.ts'
import { printError, readError } from '../wire/errors.ts'
import { HostLost } from '../wire/host-lost.ts'
import type { Answer, EngineEvent, EngineQuestion, HandedResult, SentEvidence, SentReading } from '../wire/messages.ts'

/** The daemon's side of one execution that a host runs: calls the callbacks of the engine in the order of the messages. */
export class RemoteExecution {
  /** Settles when the host has reported the end, or is lost. */
  readonly ended: Promise<HandedResult>
  /** Whether the host was heard to have it. */
  isTaken = false
  /** The first of the heartbeats since that did not name it. */
  untakenSinceMs: number | undefined
  readonly #host: EngineHost
  readonly #serial: string
  readonly #readings = new Map<number, ScreenReading>()
  #work: Promise<unknown> = Promise.resolve()
  #failed: { readonly error: unknown } | undefined
  #resolve: (result: HandedResult) => void = () => {}
  #reject: (error: unknown) => void = () => {}

  constructor(host: EngineHost, serial: string) {
    this.#host = host
    this.#serial = serial
    this.ended = new Promise((resolve, reject) => {
      this.#resolve = resolve
      this.#reject = reject
    })
    this.ended.catch(() => {})
  }

  event(event: EngineEvent): void {
    this.isTaken = true
    // An error ends the execution: it is the result of `end`.
    this.#inOrder(() => this.#apply(event)).catch(() => {})
  }

  /** Resolves with what the host is answered. */
  ask(question: EngineQuestion): Promise<Answer> {
    return this.#inOrder(() => this.#answer(question)).then(
      (value) => ({ value }),
      (error: unknown) => ({ error: printError(error) }),
    )
  }

  /** The reported end counts once everything before it was processed. */
  end(result: HandedResult): void {
    void this.#work.finally(() => {
      if (this.#failed === undefined) this.#resolve(result)
      else this.#reject(this.#failed.error)
    })
  }

  lose(reason: string): void {
    void this.#work.finally(() => this.#reject(new HostLost(reason)))
  }

  /** The envelope of the end, or the error that it stands for. */
  static readResult(result: HandedResult, serial: string): ResultEnvelope {
    if ('envelope' in result) return result.envelope
    if ('error' in result) throw readError(result.error, serial)
    throw new HostLost('The host stopped the execution.')
  }

  #inOrder<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#work.then(() => {
      if (this.#failed !== undefined) throw this.#failed.error
      return work()
    })
    this.#work = done.catch((error: unknown) => {
      this.#failed ??= { error }
    })
    return done
  }

  async #apply(event: EngineEvent): Promise<void> {
    const host = this.#host
    switch (event.kind) {
      case 'reading':
        return this.#addReading(event.reading)
      case 'step_started':
        return host.onStepStarted(event.step)
      case 'step_finished':
        host.onCommand?.()
        return host.onStepFinished(event.result, this.#toEvidence(event.seen))
    }
  }

  async #answer(question: EngineQuestion): Promise<unknown> {
    const host = this.#host
    switch (question.kind) {
      case 'step_finished':
        return this.#apply(question)
      case 'admission':
        return host.admit?.(question.action, question.target)
      case 'screenshot':
        return host.saveScreenshot(question.png, question)
      case 'recording':
        return host.recording?.[question.work](question.sessionId)
    }
  }

  /** The times of the host are corrected by the difference of the clocks, as far as the message shows it. */
  async #addReading({ id, xml, startedMs, finishedMs, sentMs }: SentReading): Promise<void> {
    const read = await parseHierarchyInTurns(xml)
    if (!read.ok) return
    const offset = Date.now() - sentMs
    const times = { serial: this.#serial, startedMs: startedMs + offset, finishedMs: finishedMs + offset }
    const reading = await new ScreenReading(read.hierarchy, read.removed_characters, times).prepare()
    this.#readings.set(id, reading)
    this.#host.onReading?.(reading)
  }

  #toEvidence({ before, after, ...rest }: SentEvidence): StepEvidence {
    const [first, last] = [before, after].map((id) => (id === undefined ? undefined : this.#readings.get(id)))
    return { ...rest, ...(first && { before: first }), ...(last && { after: last }) }
  }
}
