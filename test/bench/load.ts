import autocannon from 'autocannon'

export interface Load {
  readonly url: string
  readonly connections: number
  readonly seconds: number
  readonly headers?: Readonly<Record<string, string>>
  /** The requests of each connection, repeated in order. Default: GET of the url. */
  readonly requests?: (connection: number) => autocannon.Request[]
}

/** Measures the answered requests per second. Throws if a request fails. */
export async function measureLoad({ url, connections, seconds, headers, requests }: Load): Promise<number> {
  let opened = 0
  const result = await autocannon({
    url,
    connections,
    duration: seconds,
    ...(headers === undefined ? {} : { headers: { ...headers } }),
    setupClient: (client) => {
      const own = requests?.(opened)
      opened += 1
      if (own !== undefined) client.setRequests(own)
    },
  })
  if (result.errors > 0 || result.non2xx > 0) {
    throw new Error(`${url}: ${result.errors} errors and ${result.non2xx} refusals under load`)
  }
  return result['2xx'] / result.duration
}

export interface Contender {
  readonly name: string
  /** Runs for `seconds` and returns the rate. */
  run(seconds: number): Promise<number>
}

/** Measures in turns, so that other load on the machine affects all contenders alike. */
export async function measureInterleaved<N extends string>(
  contenders: readonly (Contender & { readonly name: N })[],
  { warmupSeconds, seconds, turns }: { warmupSeconds: number; seconds: number; turns: number },
): Promise<Record<N, number>> {
  for (const contender of contenders) await contender.run(warmupSeconds)
  const rates: Partial<Record<N, number>> = {}
  for (let turn = 0; turn < turns; turn += 1) {
    for (const contender of contenders) {
      const rate = await contender.run(seconds)
      rates[contender.name] = (rates[contender.name] ?? 0) + rate / turns
    }
  }
  return rates as Record<N, number>
}
