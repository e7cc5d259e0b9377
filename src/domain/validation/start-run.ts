import type { ProposalState } from '@apprentice/contracts/learn/proposal.ts'
import { DEVICE_RUN_KINDS } from '@apprentice/contracts/learn/validation.ts'
import { Failure } from '../../failure/failure.ts'
import type { Reader } from '../../store/db/db.ts'
import type { StoredProposal } from '../../store/proposals/proposals.ts'
import { findRun, type StoredRun } from '../../store/validation/validation-runs.ts'
import type { CommandContext } from '../command/context.ts'
import { assertDeviceAvailable } from '../devices/leases.ts'
import { chooseDevice } from '../devices/executions.ts'
import { enqueueJob } from '../command/jobs.ts'
import { findProposalSession, moveProposal, saveProposal } from '../proposals/moves.ts'
import { saveSession } from '../sessions/session-moves.ts'
import { lintFailure, lintProposal } from '../proposals/lint-proposal.ts'
import { type DraftUnderTest, type GivenInputs, readDraft } from './draft-under-test.ts'
import { assertCleanupCompiles } from './cleanup.ts'
import { lintTests } from './lint-tests.ts'
import { isForbidden, planTests } from './plan-tests.ts'
import {
  startValidationRun,
  endValidationRun,
  recordTestResult,
  type TestResult,
} from '../proposals/validation-run-record.ts'
import { assertCasesExist } from './run-tests.ts'
import { readSelection, type Selection } from './test-selection.ts'

export const VALIDATION_JOB_KIND = 'learn.validation'

export interface ValidationRequest {
  readonly selected_tests: readonly string[]
  readonly run_label?: string | undefined
  readonly serial?: string | undefined
  readonly inputs?: GivenInputs | undefined
  readonly cleanup_inputs?: GivenInputs | undefined
}

/** The moves to `testing` from each state in which tests can be requested. */
const PATHS_TO_TESTING: Readonly<Partial<Record<ProposalState, readonly ProposalState[]>>> = {
  draft: ['testing'],
  testing: [],
  ready_for_review: ['draft', 'testing'],
}

/**
 * Starts a validation run; a job executes it. A draft that fails the linter or violates its policy is refused at once.
 * The refusal is returned, not thrown, because the failed run must be committed.
 */
export function startValidation(
  ctx: CommandContext,
  proposal: StoredProposal,
  request: ValidationRequest,
  { from = ['draft', 'testing', 'ready_for_review'] }: { from?: readonly ProposalState[] } = {},
): StoredRun | Failure {
  assertNoActiveRun(ctx.tx, proposal)
  assertTestable(proposal, from)
  const draft = readDraft(ctx.tx, proposal, request.inputs)
  const selection = readSelection(request.selected_tests, draft)
  assertCasesExist(ctx.tx, draft, selection)
  assertCleanupCompiles(ctx.tx, proposal, request)
  const serial = chooseTestDevice(ctx, draft, { selection, request })
  const run = newRun(ctx, proposal, { request, selection, serial })
  const report = lintProposal(ctx, proposal)
  startValidationRun(ctx, proposal, run)
  for (const test of lintTests(report)) recordTestResult(ctx, proposal, run.validation_run_id, test)
  if (!report.passed) {
    endValidationRun(ctx, proposal, run, { overall_result: 'failed', reason: 'checkpoint_lint' })
    moveTo(ctx, proposal, { run, to: 'draft' })
    return lintFailure(report, { validation_run_id: run.validation_run_id })
  }
  const forbidden = listForbiddenTests(draft, selection)
  if (forbidden.length > 0) return refusePlan(ctx, proposal, { run, forbidden })
  moveTo(ctx, proposal, { run, to: 'testing', active: true })
  enqueueJob(ctx, {
    job_id: run.validation_run_id,
    kind: VALIDATION_JOB_KIND,
    lane: `validation/${proposal.proposal_id}`,
    payload: {},
  })
  return run
}

export function assertNoActiveRun(reader: Reader, proposal: StoredProposal): void {
  const { active_validation_run_id: id } = proposal
  const run = id === undefined ? undefined : findRun(reader, id)
  if (run === undefined || run.completed_at !== undefined) return
  throw new Failure('VALIDATION_IN_PROGRESS', 'The draft is being tested.', {
    details: { validation_run_id: run.validation_run_id },
  })
}

function assertTestable({ proposal_state }: StoredProposal, from: readonly ProposalState[]): void {
  if (from.includes(proposal_state)) return
  throw new Failure(
    'INVALID_LEARN_STATE_TRANSITION',
    `The proposal is ${proposal_state}; this needs ${from.join(' or ')}.`,
    { details: { state: proposal_state, allowed: from } },
  )
}

/** Chooses the device before the run is recorded, if a suite needs one. */
function chooseTestDevice(
  ctx: CommandContext,
  { session }: DraftUnderTest,
  { selection, request }: { selection: Selection; request: ValidationRequest },
): string | undefined {
  if (!selection.suites.some((suite) => DEVICE_RUN_KINDS.has(suite))) return undefined
  const { serial } = chooseDevice(ctx.tx, request.serial ?? session?.device_serial)
  assertDeviceAvailable(ctx.tx, serial, { user_id: ctx.actor.user_id, now: ctx.now })
  return serial
}

function newRun(
  ctx: CommandContext,
  { proposal_id, owner_user_id, draft_hash }: StoredProposal,
  parts: { request: ValidationRequest; selection: Selection; serial: string | undefined },
): StoredRun {
  const { run_label, selected_tests, inputs, cleanup_inputs } = parts.request
  return {
    validation_run_id: ctx.newId(),
    proposal_id,
    owner_user_id,
    run_kind: parts.selection.run_kind,
    ...(run_label === undefined ? {} : { run_label }),
    ...(draft_hash === undefined ? {} : { draft_hash }),
    selected_tests: [...selected_tests],
    ...(parts.serial === undefined ? {} : { serial: parts.serial }),
    ...(inputs === undefined ? {} : { inputs }),
    ...(cleanup_inputs === undefined ? {} : { cleanup_inputs }),
    overall_result: 'partial',
    result_refs: [],
    started_at: ctx.now,
    schema_version: 1,
  }
}

function listForbiddenTests(draft: DraftUnderTest, { suites }: Selection): TestResult[] {
  if (!suites.includes('dry_run')) return []
  const rehearsed = suites.includes('rehearsal')
  if (rehearsed && draft.policy.mode === 'dry_run_only') return [PLAN_ONLY_TEST]
  return planTests(draft, { rehearsed }).filter(isForbidden)
}

const PLAN_ONLY_TEST: TestResult = {
  test_case_id: 'plan:mode',
  label: 'The policy allows a rehearsal',
  result: 'failed',
  details: 'The policy allows only planning; set a policy that allows a rehearsal.',
}

function refusePlan(
  ctx: CommandContext,
  proposal: StoredProposal,
  { run, forbidden }: { run: StoredRun; forbidden: readonly TestResult[] },
): Failure {
  const { validation_run_id } = run
  for (const test of forbidden) recordTestResult(ctx, proposal, validation_run_id, test)
  endValidationRun(ctx, proposal, run, { overall_result: 'failed', reason: 'test_policy' })
  moveTo(ctx, proposal, { run, to: 'testing' })
  const [first] = forbidden
  return new Failure('TEST_POLICY_VIOLATION', first?.details ?? 'The policy forbids the plan.', {
    details: {
      validation_run_id,
      refused: forbidden.slice(0, 20).map(({ test_case_id, details }) => ({ test_case_id, details })),
    },
  })
}

/** Moves proposal and session to the state of the run. In that state already, they are only updated. */
function moveTo(
  ctx: CommandContext,
  proposal: StoredProposal,
  { run, to, active = false }: { run: StoredRun; to: 'draft' | 'testing'; active?: boolean },
): void {
  const { validation_run_id } = run
  const changes = { active_validation_run_id: active ? validation_run_id : undefined }
  const session_changes = { validation_run_id }
  const chain = listHops(proposal.proposal_state, to)
  if (chain.length > 0) {
    moveProposal(ctx, proposal, chain, { changes, session_changes })
    return
  }
  saveProposal(ctx, proposal, changes)
  const session = findProposalSession(ctx.tx, proposal)
  if (session !== undefined) saveSession(ctx, { ...session, ...session_changes })
}

function listHops(from: ProposalState, to: 'draft' | 'testing'): readonly ProposalState[] {
  if (to === 'testing') return PATHS_TO_TESTING[from] ?? ['testing']
  return from === 'draft' ? [] : ['draft']
}
