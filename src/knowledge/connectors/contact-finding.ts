import type { ToolFacts } from './tool-facts.ts'

/** Why a contact with a server failed. `http_status` is the reply of the server, if it sent one. */
export interface ContactFault {
  readonly reason_code: string
  readonly message: string
  readonly http_status?: number | undefined
  readonly retry_after_ms?: number | undefined
}

/** How far a contact with a server came. */
export interface ContactFinding {
  readonly connected: boolean
  readonly protocol_revision?: string | undefined
  /** Absent if they were not listed. */
  readonly tools?: readonly ToolFacts[] | undefined
  readonly call: 'none' | 'done' | 'refused' | 'failed'
  readonly fault?: ContactFault | undefined
}
