import type { ValidationRun } from '@apprentice/contracts/learn/validation.ts'
import { Failure } from '../../failure/failure.ts'
import { findAbility, updateAbility } from '../../store/abilities/abilities.ts'
import { findProposal, type StoredProposal } from '../../store/proposals/proposals.ts'
import { findRun, type StoredRun } from '../../store/validation/validation-runs.ts'
import { listSteps, type StoredStep } from '../../store/validation/validation-steps.ts'
import { recordProof } from '../abilities/proofs.ts'
import { type CommandContext, asSystem } from '../command/context.ts'
import { recordEvent } from '../command/ledger.ts'
import { findProposalSession, moveProposal, saveProposal } from '../proposals/moves.ts'
import { provesDraft } from './rehearsal-proof.ts'
import { endValidationRun, recordTestResult, type TestResult } from '../proposals/validation-run-record.ts'

/** Starts the private installation of a draft in the transaction that finishes its run. */
export type InstallPrivately = (ctx: CommandContext, proposal: StoredProposal) => void

interface OpenRun {
  readonly run: StoredRun
  readonly proposal: StoredProposal
  /** The daemon acting on behalf of the owner of the run. */
  readonly ctx: CommandContext
}

/** Undefined if the run has ended. */
export function findOpenRun(ctx: CommandContext, runId: string): OpenRun | undefined {
  const run = findRun(ctx.tx, runId)
  if (run === undefined || run.completed_at !== undefined) return undefined
  const proposal = findProposal(ctx.tx, run.proposal_id)
  if (proposal === undefined) throw new Error(`No row for proposal ${run.proposal_id}.`)
  return { run, proposal, ctx: asSystem(ctx, run.owner_user_id) }
}

/** Records test results. Returns false, without recording, if the run has ended. */
export function recordTests(ctx: CommandContext, runId: string, tests: readonly TestResult[]): boolean {
  const open = findOpenRun(ctx, runId)
  if (open === undefined) return false
  for (const test of tests) recordTestResult(open.ctx, open.proposal, runId, test)
  return true
}

export interface Conclusion {
  /** How the test policy was violated, if it was. */
  readonly breach?: string | undefined
  readonly install?: InstallPrivately | undefined
}

/** Ends a run with the result of its tests and moves the proposal accordingly. */
export function finishRun(caller: CommandContext, runId: string, { breach, install }: Conclusion = {}): void {
  const open = findOpenRun(caller, runId)
  if (open === undefined) return
  const { ctx, run, proposal } = open
  const cleared = { active_validation_run_id: undefined }
  if (breach !== undefined) {
    endValidationRun(ctx, proposal, run, {
      overall_result: 'failed',
      reason: `policy_breach: ${breach}`,
    })
    moveProposal(ctx, proposal, 'quarantined', { reason: 'policy_breach', changes: cleared })
    return
  }
  const steps = listSteps(ctx.tx, [runId])
  const overall_result = computeResult(steps)
  const isProof = overall_result !== 'failed' && provesDraft(ctx.tx, proposal, { run, steps })
  endValidationRun(ctx, proposal, run, { overall_result })
  if (overall_result === 'failed') {
    saveProposal(ctx, proposal, cleared)
    return
  }
  const ready = moveProposal(ctx, proposal, 'ready_for_review', { changes: cleared }).proposal
  if (overall_result === 'passed') markValidated(ctx, ready)
  const { draft_hash = '' } = run
  if (isProof) recordProof(ctx, { draft_hash, kind: 'rehearsal', source_ref: `validation_run:${runId}` })
  if (overall_result === 'passed' && installsAutomatically(ctx, ready)) install?.(ctx, ready)
}

/** `failed` if a test failed, `partial` if a required test was skipped. */
function computeResult(steps: readonly Pick<StoredStep, 'result' | 'required'>[]): ValidationRun['overall_result'] {
  if (steps.some(({ result }) => result === 'failed')) return 'failed'
  return steps.some(({ result, required }) => result === 'skipped' && required) ? 'partial' : 'passed'
}

/** True if the session was created with automatic private installation. */
export function installsAutomatically({ tx }: CommandContext, proposal: StoredProposal): boolean {
  const session = findProposalSession(tx, proposal)
  return session?.build_policy === 'private_auto_install' && session.allow_private_install
}

function markValidated(ctx: CommandContext, { ability_id }: StoredProposal): void {
  const ability = ability_id === undefined ? undefined : findAbility(ctx.tx, ability_id)
  if (ability === undefined) return
  updateAbility(ctx.tx, { ...ability, last_validated_at: ctx.now, updated_at: ctx.now })
  recordEvent(ctx, `ability/${ability.ability_id}`, 'ability.changed', {
    last_validated_at: ctx.now,
  })
}

/** Cancels a run. Its results are kept; the draft counts as untested. */
export function cancelOpenRun(caller: CommandContext, runId: string, reason: string): StoredRun | undefined {
  const open = findOpenRun(caller, runId)
  if (open === undefined) return undefined
  const { ctx, run, proposal } = open
  const cancelled = endValidationRun(ctx, proposal, run, { overall_result: 'cancelled', reason })
  const changes = { active_validation_run_id: undefined }
  if (proposal.proposal_state === 'testing') {
    moveProposal(ctx, proposal, 'draft', { reason, changes })
  } else saveProposal(ctx, proposal, changes)
  return cancelled
}

/** Fails a run because of an internal error. The state of the proposal does not change. */
export function failRun(caller: CommandContext, runId: string): void {
  const open = findOpenRun(caller, runId)
  if (open === undefined) return
  const { ctx, run, proposal } = open
  endValidationRun(ctx, proposal, run, { overall_result: 'failed', reason: 'internal_error' })
  saveProposal(ctx, proposal, { active_validation_run_id: undefined })
}

/** Cancels a run at the request of its owner. */
export function cancelRun(ctx: CommandContext, proposal: StoredProposal, runId: string): StoredRun {
  const run = findRun(ctx.tx, runId)
  if (run === undefined || run.proposal_id !== proposal.proposal_id) {
    throw new Failure('VALIDATION_RUN_NOT_FOUND', `No test run ${runId} of this proposal.`)
  }
  const cancelled = cancelOpenRun(ctx, runId, 'cancelled_by_user')
  if (cancelled === undefined) {
    throw new Failure('VALIDATION_SETTLED', `The run has already ended with result ${run.overall_result}.`)
  }
  return cancelled
}
