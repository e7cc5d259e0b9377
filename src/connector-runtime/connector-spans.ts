import type { ContactPlan } from '../connectors/contact.ts'

interface CallStart {
  readonly name: string
  readonly kind: 'client'
  readonly attributes: Readonly<Record<string, string>>
}

/** The span of one call to a connector server. */
export interface CallSpan {
  readonly context: NonNullable<ContactPlan['trace']>
  fail(code: string): void
  end(): void
}

/** Begins a span. Undefined if traces are not sent. */
export type StartSpan = (start: CallStart) => CallSpan | undefined

/** Begins the span of a call. It names the server and the tool, never what is sent. */
export function startCallSpan(
  startSpan: StartSpan,
  { server_id, tool_name }: { readonly server_id: string; readonly tool_name?: string | undefined },
): CallSpan | undefined {
  const tool = tool_name === undefined ? {} : { 'apprentice.tool_name': tool_name }
  const attributes = { 'apprentice.server_id': server_id, ...tool }
  return startSpan({ name: 'connector call', kind: 'client', attributes })
}
