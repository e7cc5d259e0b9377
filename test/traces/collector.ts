import { once } from 'node:events'
import { createServer } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { onTestFinished } from 'vitest'

export interface ReceivedSpan {
  readonly name: string
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly kind: number
  readonly status: { readonly code?: number }
  readonly attributes: readonly { readonly key: string; readonly value: { readonly stringValue?: string } }[]
}

interface OtlpBody {
  readonly resourceSpans: readonly { readonly scopeSpans: readonly { readonly spans: readonly ReceivedSpan[] }[] }[]
}

export interface Collector {
  readonly url: string
  readonly spans: ReceivedSpan[]
  /** Everything that was sent, as text. */
  readonly text: () => string
}

/** A server that receives spans as an OpenTelemetry collector does. */
export async function startCollector(): Promise<Collector> {
  const spans: ReceivedSpan[] = []
  const bodies: string[] = []
  const server = createServer((request, reply) => {
    const isTraces = request.method === 'POST' && request.url === '/v1/traces'
    const receive = async (): Promise<void> => {
      const body = (await buffer(request)).toString()
      if (isTraces) {
        bodies.push(body)
        const { resourceSpans } = JSON.parse(body) as OtlpBody
        for (const { scopeSpans } of resourceSpans) for (const scope of scopeSpans) spans.push(...scope.spans)
      }
      reply.writeHead(isTraces ? 200 : 404, { 'content-type': 'application/json' }).end('{}')
    }
    void receive()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as { port: number }
  return { url: `http://127.0.0.1:${port}`, spans, text: () => bodies.join('\n') }
}

/** The names from the span up to the first one, which the caller's own span may have caused. */
export function listAncestors(spans: readonly ReceivedSpan[], span: ReceivedSpan | undefined): string[] {
  if (span === undefined) return []
  const parent = spans.find(({ spanId }) => spanId === span.parentSpanId)
  return [span.name, ...listAncestors(spans, parent)]
}
