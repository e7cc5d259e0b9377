import type { FastifyInstance } from 'fastify'
import { readTraceContext, type Span, type Traces } from '../traces/traces.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The span of the request, if traces are sent. */
    span: Span | undefined
  }
}

/** Traces each request as a part of its client's trace, and tells the client the id in the header `traceresponse`. */
export function registerRequestTraces(app: FastifyInstance, traces: Traces | undefined): void {
  if (traces === undefined) return
  app.decorateRequest('span', undefined)
  app.addHook('onRequest', (request, reply, done) => {
    const { method, id, headers } = request
    const route = request.routeOptions.url ?? 'unknown route'
    const span = traces.start({
      name: `${method} ${route}`,
      kind: 'server',
      parent: readTraceContext(headers),
      attributes: { 'http.request.method': method, 'http.route': route, 'apprentice.correlation_id': id },
    })
    request.span = span
    reply.raw.setHeader('traceresponse', span.context.traceparent)
    span.run(done)
  })
  // Reading a body leaves the span, because it is done in the events of the connection.
  app.addHook('preHandler', (request, _reply, done) => {
    if (request.span === undefined) done()
    else request.span.run(done)
  })
  app.addHook('onResponse', (request, reply, done) => {
    const { statusCode } = reply
    request.span?.set({ 'http.response.status_code': statusCode })
    if (statusCode >= 500) request.span?.fail(String(statusCode))
    request.span?.end()
    done()
  })
}
