import { AsyncLocalStorage } from 'node:async_hooks'
import * as api from '@opentelemetry/api'
import { W3CTraceContextPropagator } from '@opentelemetry/core'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources'
import { BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace'
import type { Span, SpanStart, TraceContext, Traces } from './traces.ts'

const KINDS = {
  server: api.SpanKind.SERVER,
  client: api.SpanKind.CLIENT,
  internal: api.SpanKind.INTERNAL,
} as const
/** How long spans are collected before they are sent together. */
const BATCH_MS = 1000
const propagator = new W3CTraceContextPropagator()

/**
 * Sends spans over OTLP/HTTP as JSON. Headers, timeouts and certificates of the exporter, and the attributes of the
 * resource, come from the environment variables of the OpenTelemetry specification.
 */
export function openOtlpTraces(endpoint: string, version: string): Traces {
  const base = endpoint.endsWith('/') ? endpoint.slice(0, -1) : endpoint
  const exporter = new OTLPTraceExporter({ url: `${base}/v1/traces` })
  const provider = new TracerProvider({
    resource: defaultResource()
      .merge(resourceFromAttributes({ 'service.name': 'apprentice', 'service.version': version }))
      .merge(detectResources({ detectors: [envDetector] })),
    spanProcessors: [new BatchSpanProcessor({ exporter, scheduledDelayMillis: BATCH_MS })],
  })
  return new OtlpTraces(provider, provider.getTracer('apprentice', version))
}

/** Nothing is registered globally, so that several daemons of one process keep their spans apart. */
class OtlpTraces implements Traces {
  readonly #provider: TracerProvider
  readonly #tracer: api.Tracer
  readonly #active = new AsyncLocalStorage<Span>()

  constructor(provider: TracerProvider, tracer: api.Tracer) {
    this.#provider = provider
    this.#tracer = tracer
  }

  active(): Span | undefined {
    return this.#active.getStore()
  }

  start({ name, kind = 'internal', attributes = {}, parent = this.active()?.context }: SpanStart): Span {
    const within = parent === undefined ? api.ROOT_CONTEXT : toContext(parent)
    const span = this.#tracer.startSpan(name, { kind: KINDS[kind], attributes: { ...attributes } }, within)
    const started: Span = {
      context: toHeaders(span),
      set: (more) => void span.setAttributes({ ...more }),
      fail: (code) => {
        span.setAttribute('error.type', code)
        span.setStatus({ code: api.SpanStatusCode.ERROR })
      },
      run: (work) => this.#active.run(started, work),
      end: () => span.end(),
    }
    return started
  }

  async close(): Promise<void> {
    // A collector that does not answer must not keep the daemon from stopping.
    await this.#provider.shutdown().catch(() => undefined)
  }
}

const toContext = (parent: TraceContext): api.Context =>
  propagator.extract(api.ROOT_CONTEXT, parent, api.defaultTextMapGetter)

function toHeaders(span: api.Span): TraceContext {
  const headers: Record<string, string> = {}
  propagator.inject(api.trace.setSpan(api.ROOT_CONTEXT, span), headers, api.defaultTextMapSetter)
  const { traceparent = '', tracestate } = headers
  return { traceparent, ...(tracestate === undefined ? {} : { tracestate }) }
}
