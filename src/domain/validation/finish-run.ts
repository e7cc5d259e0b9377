import type { ValidationRun } from '@apprentice/contracts/learn/validation.ts'
import { Failure } from '../../failure/failure.ts'
import { findAbility, updateAbility } from '../../store/abilities/abilities.ts'
import { findProposal, type StoredProposal } from '../../store/proposals/proposals.ts'
import { findRun, type StoredRun } from '../../store/validation/validation-runs.ts'
import { listSteps, type StoredStep } from '../../store/validation/validation-steps.ts'
import { type CommandContext, asSystem } from '../command/context.ts'
import { recordEvent } from '../command/ledger.ts'
import { findProposalSession, moveProposal, saveProposal } from '../proposals/moves.ts'
import { endRun, recordTest, type TestResult } from '../proposals/validation-run-record.ts'

/** Installs a draft for its owner alone, in the transaction in which it passed its tests. */
export type InstallPrivately = (ctx: CommandContext, proposal: StoredProposal) => void

interface OpenRun {
  readonly run: StoredRun
  readonly proposal: StoredProposal
  /** In the daemon's name, for the owner of the run. */
  readonly act: CommandContext
}

/** A run that is under way; undefined once somebody has ended it. */
export function findOpenRun(ctx: CommandContext, runId: string): OpenRun | undefined {
  const run = findRun(ctx.tx, runId)
  if (run === undefined || run.completed_at !== undefined) return undefined
  const proposal = findProposal(ctx.tx, run.proposal_id)
  if (proposal === undefined) throw new Error(`No row for proposal ${run.proposal_id}.`)
  return { run, proposal, act: asSystem(ctx, run.owner_user_id) }
}

/** Writes down what tests came to. False once the run is over: then nobody wants to know any more. */
export function noteTests(
  ctx: CommandContext,
  runId: string,
  tests: readonly TestResult[],
): boolean {
  const open = findOpenRun(ctx, runId)
  if (open === undefined) return false
  for (const test of tests) recordTest(open.act, open.proposal, runId, test)
  return true
}

export interface Conclusion {
  /** Something was done that the policy did not allow. */
  readonly breach?: string | undefined
  readonly install?: InstallPrivately | undefined
}

/** Ends a run by what its tests came to, and takes the proposal where that leads. */
export function concludeRun(
  given: CommandContext,
  runId: string,
  { breach, install }: Conclusion = {},
): void {
  const open = findOpenRun(given, runId)
  if (open === undefined) return
  const { act: ctx, run, proposal } = open
  const cleared = { active_validation_run_id: undefined }
  if (breach !== undefined) {
    endRun(ctx, proposal, run, { overall_result: 'failed', reason: `policy_breach: ${breach}` })
    moveProposal(ctx, proposal, 'quarantined', { reason: 'policy_breach', changes: cleared })
    return
  }
  const overall_result = resultOf(listSteps(ctx.tx, [runId]))
  endRun(ctx, proposal, run, { overall_result })
  if (overall_result === 'failed') {
    saveProposal(ctx, proposal, cleared)
    return
  }
  const ready = moveProposal(ctx, proposal, 'ready_for_review', { changes: cleared }).proposal
  if (overall_result === 'passed') markValidated(ctx, ready)
  if (overall_result === 'passed' && wantsInstall(ctx, ready)) install?.(ctx, ready)
}

/** One failure fails the whole; something left out that was needed leaves it incomplete. */
function resultOf(
  steps: readonly Pick<StoredStep, 'result' | 'required'>[],
): ValidationRun['overall_result'] {
  if (steps.some(({ result }) => result === 'failed')) return 'failed'
  return steps.some(({ result, required }) => result === 'skipped' && required)
    ? 'partial'
    : 'passed'
}

/** Only a person who asked for it beforehand gets an install without being asked again. */
export function wantsInstall({ tx }: CommandContext, proposal: StoredProposal): boolean {
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

/** Ends a run that will not be finished. What it found is kept; the draft is one that was not tested. */
export function abandonRun(
  given: CommandContext,
  runId: string,
  reason: string,
): StoredRun | undefined {
  const open = findOpenRun(given, runId)
  if (open === undefined) return undefined
  const { act: ctx, run, proposal } = open
  const ended = endRun(ctx, proposal, run, { overall_result: 'cancelled', reason })
  const changes = { active_validation_run_id: undefined }
  if (proposal.proposal_state === 'testing') {
    moveProposal(ctx, proposal, 'draft', { reason, changes })
  } else saveProposal(ctx, proposal, changes)
  return ended
}

/** Ends a run by a fault of ours: nothing was found out about the draft, and it stays where it is. */
export function breakRun(given: CommandContext, runId: string): void {
  const open = findOpenRun(given, runId)
  if (open === undefined) return
  const { act: ctx, run, proposal } = open
  endRun(ctx, proposal, run, { overall_result: 'failed', reason: 'internal_error' })
  saveProposal(ctx, proposal, { active_validation_run_id: undefined })
}

/** The caller stops a run of theirs. */
export function cancelRun(ctx: CommandContext, proposal: StoredProposal, runId: string): StoredRun {
  const run = findRun(ctx.tx, runId)
  if (run === undefined || run.proposal_id !== proposal.proposal_id) {
    throw new Failure('VALIDATION_RUN_NOT_FOUND', `No test run ${runId} of this proposal.`)
  }
  const ended = abandonRun(ctx, runId, 'cancelled_by_user')
  if (ended === undefined) {
    throw new Failure('VALIDATION_SETTLED', `The run has already ended: ${run.overall_result}.`)
  }
  return ended
}
