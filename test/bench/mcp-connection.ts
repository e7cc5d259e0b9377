import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'

/** Connects the official client over a real socket. */
export async function connectBench(url: string, token: string): Promise<Client> {
  const client = new Client({ name: 'bench', version: '1.0.0' })
  const requestInit = { headers: { authorization: `Bearer ${token}` } }
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit }))
  return client
}

/** The milliseconds that the work takes. */
export async function measureTime(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now()
  await work()
  return performance.now() - started
}
