import type { ContentBlock } from '@modelcontextprotocol/server'
import { z } from 'zod'
import type { Call } from '@apprentice/contracts/client.ts'
import type { StreamEvents } from './api-call.ts'
import type { ScreenRefs } from './screen-lines.ts'

export interface Question {
  readonly message: string
  /** JSON Schema of the answer: an object with plain fields. */
  readonly schema: {
    readonly type: 'object'
    readonly properties: Record<string, unknown>
    readonly required: string[]
  }
}

export interface ProgressReport {
  readonly done: number
  readonly total?: number | undefined
  readonly message?: string | undefined
}

/** What a tool may use. Everything acts with the token of the request. */
export interface ToolContext {
  readonly call: Call
  readonly streamEvents: StreamEvents
  readonly readEvidence: (evidenceId: string) => Promise<Buffer>
  readonly signal: AbortSignal
  /** Reports progress to clients that asked for it. */
  readonly report: (progress: ProgressReport) => Promise<void>
  /** Asks the person behind the client. Undefined if the client cannot ask, or the person did not accept. */
  readonly ask: (question: Question) => Promise<Readonly<Record<string, unknown>> | undefined>
  /** Names the session of the client, for approvals that cover it and for what is learned from it. */
  readonly session_ref: string
  /** The elements this session has seen, by reference. */
  readonly refs: ScreenRefs
}

export interface ToolReply {
  readonly structured: Readonly<Record<string, unknown>>
  /** Replaces the JSON of the structured content where plain lines are shorter. */
  readonly text?: string
  readonly png?: Buffer
  /** Replaces both: blocks that another server wrote. */
  readonly content?: readonly ContentBlock[]
  /** Whether the tool did not do what was asked. */
  readonly is_error?: boolean
}

export interface Tool {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly input: z.ZodType
  readonly output: z.ZodType
  readonly annotations: ToolAnnotations
  run(args: unknown, context: ToolContext): Promise<ToolReply>
}

interface ToolAnnotations {
  readonly readOnlyHint: boolean
  readonly destructiveHint: boolean
  /** Whether the same call twice has the effect of one. */
  readonly idempotentHint: boolean
  readonly openWorldHint: boolean
}

export const READ_ONLY: ToolAnnotations = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
}
/** It may change something on a phone that cannot be taken back. */
export const ACTS_ON_PHONE: ToolAnnotations = {
  readOnlyHint: false,
  destructiveHint: true,
  idempotentHint: false,
  openWorldHint: true,
}
export const WRITES_RECORDS: ToolAnnotations = {
  readOnlyHint: false,
  destructiveHint: false,
  idempotentHint: false,
  openWorldHint: false,
}

interface ToolParts<I extends z.ZodType> extends Omit<Tool, 'input' | 'run'> {
  readonly input: I
  readonly run: (args: z.output<I>, context: ToolContext) => Promise<ToolReply>
}

/** Defines a tool whose arguments have the type of its input schema. */
export function defineTool<I extends z.ZodType>(parts: ToolParts<I>): Tool {
  return { ...parts, run: (args, context) => parts.run(parts.input.parse(args), context) }
}
