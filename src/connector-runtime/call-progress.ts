import type { ToolProgress } from '../connectors/tool-call.ts'

/** How far the running calls are, as their servers say. It is kept in memory, because it ends with the call. */
export class CallProgress {
  readonly #reports = new Map<string, ToolProgress>()

  find(dispatchId: string): ToolProgress | undefined {
    return this.#reports.get(dispatchId)
  }

  follow(dispatchId: string): (report: ToolProgress) => void {
    return ({ progress, total }) => {
      this.#reports.set(dispatchId, { progress, ...(total === undefined ? {} : { total }) })
    }
  }

  forget(dispatchId: string): void {
    this.#reports.delete(dispatchId)
  }
}
