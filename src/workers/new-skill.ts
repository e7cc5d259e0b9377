import { hash } from 'node:crypto'
import type { z } from 'zod'
import { createSkill } from '@apprentice/contracts/skills/scaffold.ts'
import { toInvalidRequest } from '../http/invalid-request.ts'
import { parseStrictJson } from '../http/strict-json.ts'
import { type Scaffold, scaffoldSkill } from '../knowledge/skill-format/scaffold.ts'

export interface NewSkill {
  /** The body of the request, with a digest in place of the recording. */
  readonly body: z.output<typeof createSkill.body>
  readonly scaffold: Scaffold
}

/** Parses and validates a request for a new skill, which may contain a large recording, and builds the files. */
export function buildNewSkill(bytes: Uint8Array): NewSkill {
  const parsed = createSkill.body.safeParse(parseStrictJson(bytes) ?? {})
  if (!parsed.success) throw toInvalidRequest(parsed.error.issues, 'body')
  const { recording_context, ...body } = parsed.data
  const scaffold = scaffoldSkill(parsed.data)
  if (recording_context === undefined) return { body, scaffold }
  return { body: { ...body, recording_context: hash('sha256', recording_context, 'hex') }, scaffold }
}
