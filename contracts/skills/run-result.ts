import { z } from 'zod'
import { ResultEnvelope } from '../devices/execution.ts'

/** Evidence of a skill: a text, a value, or a reference to a step of an execution. */
export const SkillEvidence = z
  .discriminatedUnion('kind', [
    z.object({ kind: z.literal('text'), text: z.string() }),
    z.object({ kind: z.literal('json'), value: z.unknown() }),
    z.object({
      kind: z.literal('result_envelope_ref'),
      execEnvelopeIndex: z.int().min(0),
      stepResultId: z.string().optional(),
    }),
  ])
  .meta({ id: 'SkillEvidence' })
export type SkillEvidence = z.infer<typeof SkillEvidence>

export const SkillCheckpoint = z.object({
  id: z.string().min(1),
  status: z.enum(['ok', 'failed', 'skipped']),
  observedAt: z.string().optional(),
  evidence: SkillEvidence.optional(),
  note: z.string().optional(),
})

export const TerminalVerification = z.object({
  status: z.enum(['verified', 'failed', 'not_run']),
  expected: SkillEvidence.nullable().optional(),
  observed: SkillEvidence.nullable().optional(),
  note: z.string().nullable().optional(),
})

export const SkillDiagnostics = z.looseObject({
  runtimeState: z.enum(['healthy', 'poisoned', 'unavailable', 'unknown']).optional(),
  warnings: z.array(z.string()).optional(),
  hints: z.array(z.string()).optional(),
})

/** The source of a result. Set by the runtime, never by the skill. */
export const SkillResultSource = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('script') }),
  z.object({ kind: z.literal('agent'), agentCli: z.string() }),
])
export type SkillResultSource = z.infer<typeof SkillResultSource>

/** The report that a skill prints about its own run. */
export const SkillReport = z.object({
  contractVersion: z.string(),
  skillId: z.string().min(1),
  status: z.enum(['success', 'failed', 'indeterminate']),
  checkpoints: z.array(SkillCheckpoint),
  goal: z.record(z.string(), z.unknown()).optional(),
  inputs: z.record(z.string(), z.unknown()).optional(),
  result: SkillEvidence.nullable().optional(),
  terminalVerification: TerminalVerification.nullable().optional(),
  execEnvelopes: z.array(ResultEnvelope).optional(),
  diagnostics: SkillDiagnostics.optional(),
})

export const SkillResult = SkillReport.extend({ source: SkillResultSource }).meta({
  id: 'SkillResult',
})
export type SkillResult = z.infer<typeof SkillResult>
