import autocannon from 'autocannon'

export interface Load {
  readonly url: string
  readonly connections: number
  readonly seconds: number
  readonly headers?: Readonly<Record<string, string>>
  /** The requests of each connection, one after the other and over again; a GET of the url without. */
  readonly requests?: (connection: number) => autocannon.Request[]
}

/** Requests answered a second. Any that is refused or lost makes the figure worthless, so it throws. */
export async function measureLoad({
  url,
  connections,
  seconds,
  headers,
  requests,
}: Load): Promise<number> {
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
  /** Answers for `seconds`; gives the rate. */
  run(seconds: number): Promise<number>
}

/** Each in turn, several times over, so that what else the machine does falls on all alike. */
export async function measureInterleaved<N extends string>(
  contenders: readonly (Contender & { readonly name: N })[],
  { warmSeconds, seconds, turns }: { warmSeconds: number; seconds: number; turns: number },
): Promise<Record<N, number>> {
  for (const contender of contenders) await contender.run(warmSeconds)
  const rates: Partial<Record<N, number>> = {}
  for (let turn = 0; turn < turns; turn += 1) {
    for (const contender of contenders) {
      const rate = await contender.run(seconds)
      rates[contender.name] = (rates[contender.name] ?? 0) + rate / turns
    }
  }
  return rates as Record<N, number>
}
