import { z } from 'zod'
import { DateTime, SchemaVersion, strictRequestBody, text, Uuid } from '../base/fields.ts'
import { PageQuery, pageFields } from '../base/page.ts'
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

/** Findings about the checkpoints and the document of a draft. `passed` means that none is an error. */
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

/** The kinds that require a device. */
export const DEVICE_RUN_KINDS: ReadonlySet<RunKind> = new Set(['rehearsal', 'canary'])

/** One test run of a draft. Without `completed_at` it is still running, and its result is `partial`. */
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
    reason: z.string().max(240).optional().describe('The reason of the result, if the steps do not contain it'),
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
    .describe('Run kinds, test case ids or prefixes of such ids; empty means all'),
  serial: text(160)
    .optional()
    .describe('The device for the rehearsal; by default the device of the session, else the only connected one'),
  inputs: z
    .record(z.string().max(80), z.unknown())
    .optional()
    .describe('Input values for the plan and the rehearsal instead of the demonstrated ones'),
  cleanup_inputs: z
    .record(z.string().max(80), z.unknown())
    .optional()
    .describe('Input values that undo the rehearsal: the recipe runs again with them, and its verification decides'),
  wait_ms: z
    .int()
    .min(0)
    .max(120_000)
    .optional()
    .describe('How long to wait for the end; by default only for runs without a device'),
})
export type ValidateBody = z.infer<typeof ValidateBody>

const TAG = 'learn validation'
const BASE_URL = '/api/learn/proposals/:proposalId'
const params = z.object({ proposalId: Uuid })
const RunReply = z.object({ validation_run: ValidationRun, schema_version: SchemaVersion })
const START_FAILURES = [
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
  url: `${BASE_URL}/validate`,
  tag: TAG,
  summary: 'Test a draft; 200 at the end, or 202 while a test on a device is running',
  privilege: 'write',
  params,
  body: ValidateBody,
  reply: RunReply,
  pending_status: 202,
  fails: START_FAILURES,
})

export const requestMoreTests = route({
  method: 'POST',
  url: `${BASE_URL}/request-more-tests`,
  tag: TAG,
  summary: 'Test a draft again after a completed test run',
  privilege: 'write',
  params,
  body: ValidateBody,
  reply: RunReply,
  pending_status: 202,
  fails: START_FAILURES,
})

export const listValidationRuns = route({
  method: 'GET',
  url: `${BASE_URL}/validation-runs`,
  tag: TAG,
  summary: 'List the test runs of a draft with their steps, newest first',
  privilege: 'read',
  params,
  query: PageQuery,
  reply: z.object({
    runs: z.array(ValidationRun),
    steps: z.array(ValidationStepResult),
    ...pageFields,
    schema_version: SchemaVersion,
  }),
  fails: ['PROPOSAL_NOT_FOUND'],
})

export const cancelValidationRun = route({
  method: 'POST',
  url: `${BASE_URL}/validation-runs/:runId/cancel`,
  tag: TAG,
  summary: 'Cancel a test run, also during a rehearsal; results so far are stored',
  privilege: 'write',
  params: params.extend({ runId: Uuid }),
  body: strictRequestBody({}),
  reply: RunReply,
  fails: ['PROPOSAL_NOT_FOUND', 'VALIDATION_RUN_NOT_FOUND', 'VALIDATION_SETTLED'],
})
