/** The W3C headers that name a span, so that work elsewhere or later belongs to it. */
export interface TraceContext {
  readonly traceparent: string
  readonly tracestate?: string | undefined
}

export type SpanAttributes = Readonly<Record<string, string | number | boolean>>

export interface SpanStart {
  readonly name: string
  /** `server`: it answers a request. `client`: it waits for another server. Default `internal`. */
  readonly kind?: 'server' | 'client' | 'internal'
  readonly attributes?: SpanAttributes
  /** The span that caused this one. Default: the active one. */
  readonly parent?: TraceContext | undefined
}

export interface Span {
  readonly context: TraceContext
  set(attributes: SpanAttributes): void
  /** Marks the span as failed. The code is that of the failure catalogue, never a message. */
  fail(code: string): void
  /** Runs work while the span is active, also what it awaits. */
  run<T>(work: () => T): T
  end(): void
}

/** Measures what the daemon does. Absent where traces are not sent. */
export interface Traces {
  start(start: SpanStart): Span
  /** The active span, if there is one. */
  active(): Span | undefined
  /** Sends what is left. */
  close(): Promise<void>
}

/** Runs work in a span of its own that ends with it. */
export async function traceWork<T>(
  traces: Traces | undefined,
  start: SpanStart,
  work: (span: Span | undefined) => Promise<T>,
): Promise<T> {
  if (traces === undefined) return work(undefined)
  const span = traces.start(start)
  try {
    return await span.run(() => work(span))
  } catch (error) {
    span.fail(readCode(error))
    throw error
  } finally {
    span.end()
  }
}

function readCode(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code
  return typeof code === 'string' ? code : 'INTERNAL_ERROR'
}

const TRACEPARENT = /^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/
const MAX_TRACESTATE = 512

/** The context that a client sent, if it is well formed. */
export function readTraceContext(
  headers: Readonly<Record<string, string | readonly string[] | undefined>>,
): TraceContext | undefined {
  const { traceparent, tracestate } = headers
  if (typeof traceparent !== 'string' || !TRACEPARENT.test(traceparent)) return undefined
  const isState = typeof tracestate === 'string' && tracestate.length <= MAX_TRACESTATE
  return { traceparent, ...(isState ? { tracestate } : {}) }
}
