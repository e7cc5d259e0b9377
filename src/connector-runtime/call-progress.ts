import { EventEmitter } from 'node:events'
import type { ToolProgress } from '../connectors/tool-call.ts'

const MAX_MESSAGE_CHARACTERS = 500

/** How far the running calls are, as their servers say. It is kept in memory, because it ends with the call. */
export class CallProgress {
  readonly #reports = new Map<string, ToolProgress>()
  readonly #listeners = new EventEmitter().setMaxListeners(0)

  find(dispatchId: string): ToolProgress | undefined {
    return this.#reports.get(dispatchId)
  }

  follow(dispatchId: string): (report: ToolProgress) => void {
    return ({ progress, total, message }) => {
      this.#reports.set(dispatchId, {
        progress,
        ...(total === undefined ? {} : { total }),
        ...(message === undefined ? {} : { message: message.slice(0, MAX_MESSAGE_CHARACTERS) }),
      })
      this.#listeners.emit(dispatchId)
    }
  }

  /** Calls `listener` at the next report. Returns a function that ends this. */
  onNextReport(dispatchId: string, listener: () => void): () => void {
    this.#listeners.once(dispatchId, listener)
    return () => this.#listeners.off(dispatchId, listener)
  }

  forget(dispatchId: string): void {
    this.#reports.delete(dispatchId)
  }
}
