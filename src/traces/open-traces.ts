import type { Traces } from './traces.ts'

/** Opens traces if there is an address to send them to. Otherwise nothing of OpenTelemetry is loaded. */
export async function openTraces(endpoint: string | undefined, version: string): Promise<Traces | undefined> {
  if (endpoint === undefined) return undefined
  const { openOtlpTraces } = await import('./otlp-traces.ts')
  return openOtlpTraces(endpoint, version)
}
