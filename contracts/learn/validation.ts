import { z } from 'zod'
import { DateTime, SchemaVersion, strictRequestBody, text, Uuid } from '../base/fields.ts'
import { PageQuery, pageMarks } from '../base/page.ts'
import { route } from '../base/route.ts'

export const LintFinding = z
  .object({
    code: z.string().regex(/^CKP-\d{3}$/),
    severity: z.enum(['error', 'warning']),
    checkpoint_id: z.string().optional(),
    field: z.string().max(120),
    message: z.string().max(240),
    excerpt: z.string().max(120),
  })
  .meta({ id: 'LintFinding' })
export type LintFinding = z.infer<typeof LintFinding>

/** What is wrong with the checkpoints of a draft, and with its document. Passed means: no error. */
export const CheckpointLintReport = z
  .object({
    proposal_id: Uuid,
    passed: z.boolean(),
    rule_version: z.literal('ckp-1'),
    findings: z.array(LintFinding),
    checked_at: DateTime,
    schema_version: SchemaVersion,
  })
  .meta({ id: 'CheckpointLintReport' })
export type CheckpointLintReport = z.infer<typeof CheckpointLintReport>

export const RunKind = z.enum([
  'lint',
  'trigger',
  'dry_run',
  'canary',
  'adapter_check',
  'dependency_check',
  'rehearsal',
])
export type RunKind = z.infer<typeof RunKind>

/** The kinds that need a phone, and therefore time. */
export const deviceRunKinds: ReadonlySet<RunKind> = new Set(['rehearsal', 'canary'])

/** One run of tests on a draft. Without `completed_at` it is under way, and its result is said to be partial. */
export const ValidationRun = z
  .object({
    validation_run_id: Uuid,
    proposal_id: Uuid,
    run_kind: RunKind,
    run_label: z.string().max(120).optional(),
    draft_hash: z.string().optional().describe('The draft that was tested'),
    started_at: DateTime,
    completed_at: DateTime.optional(),
    overall_result: z.enum(['passed', 'failed', 'partial', 'cancelled']),
    reason: z
      .string()
      .max(240)
      .optional()
      .describe('Why it ended as it did, where steps do not say'),
    result_refs: z.array(z.string().max(240)),
    schema_version: SchemaVersion,
  })
  .meta({ id: 'ValidationRun' })
export type ValidationRun = z.infer<typeof ValidationRun>

export const ValidationStepResult = z
  .object({
    validation_run_id: Uuid,
    test_case_id: z.string().max(160),
    label: z.string().max(240),
    result: z.enum(['passed', 'failed', 'skipped']),
    details: z.string().max(1000).optional(),
    created_at: DateTime,
    schema_version: SchemaVersion,
  })
  .meta({ id: 'ValidationStepResult' })
export type ValidationStepResult = z.infer<typeof ValidationStepResult>

export const ValidateBody = strictRequestBody({
  run_label: text(120).optional(),
  selected_tests: z
    .array(text(120))
    .max(100)
    .default([])
    .describe('Kinds of runs, or ids of cases and the beginnings of such ids; none means all'),
  serial: text(160)
    .optional()
    .describe('The phone to rehearse on; else the session’s, else the only one'),
  inputs: z
    .record(z.string().max(80), z.unknown())
    .optional()
    .describe('Values to plan and rehearse with, in place of the demonstrated ones'),
  wait_ms: z
    .int()
    .min(0)
    .max(120_000)
    .optional()
    .describe('How long to wait for the end; by default only runs without a phone are waited for'),
})
export type ValidateBody = z.infer<typeof ValidateBody>

const tag = 'learn validation'
const url = '/api/learn/proposals/:proposalId'
const params = z.object({ proposalId: Uuid })
const RunReply = z.object({ validation_run: ValidationRun, schema_version: SchemaVersion })
const startFailures = [
  'PROPOSAL_NOT_FOUND',
  'INVALID_LEARN_STATE_TRANSITION',
  'VALIDATION_IN_PROGRESS',
  'CHECKPOINT_LINT_FAILED',
  'TEST_POLICY_VIOLATION',
  'NO_DEVICES',
  'DEVICE_NOT_FOUND',
  'MULTIPLE_DEVICES_DEVICE_ID_REQUIRED',
  'DEVICE_LEASED',
] as const

export const validateProposal = route({
  method: 'POST',
  url: `${url}/validate`,
  tag,
  summary: 'Test a draft; answered at its end, or with 202 while a phone still works on it',
  privilege: 'write',
  params,
  body: ValidateBody,
  reply: RunReply,
  pending_status: 202,
  fails: startFailures,
})

export const requestMoreTests = route({
  method: 'POST',
  url: `${url}/request-more-tests`,
  tag,
  summary: 'Test a draft again that was already found good or wanting',
  privilege: 'write',
  params,
  body: ValidateBody,
  reply: RunReply,
  pending_status: 202,
  fails: startFailures,
})

export const listValidationRuns = route({
  method: 'GET',
  url: `${url}/validation-runs`,
  tag,
  summary: 'The test runs of a draft, newest first, with the steps of those listed',
  privilege: 'read',
  params,
  query: PageQuery,
  reply: z.object({
    runs: z.array(ValidationRun),
    steps: z.array(ValidationStepResult),
    ...pageMarks,
    schema_version: SchemaVersion,
  }),
  fails: ['PROPOSAL_NOT_FOUND'],
})

export const cancelValidationRun = route({
  method: 'POST',
  url: `${url}/validation-runs/:runId/cancel`,
  tag,
  summary: 'Stop a test run, also in the middle of a rehearsal; what it found so far is kept',
  privilege: 'write',
  params: params.extend({ runId: Uuid }),
  body: strictRequestBody({}),
  reply: RunReply,
  fails: ['PROPOSAL_NOT_FOUND', 'VALIDATION_RUN_NOT_FOUND', 'VALIDATION_SETTLED'],
})
