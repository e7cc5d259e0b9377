/** The response of a request, or a fake one in tests. */
export interface OpenResponse {
  readonly destroyed: boolean
  destroy(): unknown
  once(event: 'close', listener: () => void): unknown
}

/** The requests that are being answered, by what they were sent with. A stream is open as long as its request. */
export class OpenRequests {
  readonly #byKey = new Map<string, Set<OpenResponse>>()

  add(key: string, response: OpenResponse): void {
    const responses = this.#byKey.get(key) ?? new Set()
    this.#byKey.set(key, responses.add(response))
    response.once('close', () => {
      responses.delete(response)
      if (responses.size === 0 && this.#byKey.get(key) === responses) this.#byKey.delete(key)
    })
  }

  /** Disconnects the clients of all requests whose key is no longer active, except the one being answered. */
  endInactive(isActive: (key: string) => boolean, answering: OpenResponse | undefined): void {
    for (const [key, responses] of this.#byKey) {
      if (isActive(key)) continue
      for (const response of responses) if (response !== answering) response.destroy()
    }
  }
}
