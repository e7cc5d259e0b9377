import type { RunFailure } from '@apprentice/contracts/abilities/runs.ts'
import { isSkillFault } from '../../knowledge/verification/skill-fault.ts'
import { isAlreadyDone } from '../../knowledge/recipes/parts/lower-parts.ts'
import { type ExecutionRow, findExecution } from '../../store/devices/executions.ts'
import { appendTrace } from '../../store/capture/traces.ts'
import { type AbilityRunRow, updateAbilityRun } from '../../store/runs/ability-runs.ts'
import { findRunItem, listRunItems, updateRunItem } from '../../store/runs/run-items.ts'
import {
  clearPartPayloads,
  findRunPart as findPart,
  listItemParts,
  type RunPartRow,
} from '../../store/runs/run-parts.ts'
import { appendUseReceipt } from '../../store/runs/use-receipts.ts'
import { findAbilityVersion } from '../../store/abilities/ability-versions.ts'
import { provesRecipe, recordProof } from '../abilities/proofs.ts'
import { asSystem, type CommandContext } from '../command/context.ts'
import { enqueueJob } from '../command/jobs.ts'
import { recordEvent } from '../command/ledger.ts'
import { findRunRepair } from '../proposals/content/run-repair.ts'
import { formatRunSubject, queueNextPart } from './queue-part.ts'
import { findRunPart } from './record-run.ts'
import { reportFailedCheckpoint } from './run-checkpoints.ts'
import { releaseRunLease } from './run-lease.ts'
import { judgeItem, readResults, type RunEnding, toRunEnding } from './run-outcome.ts'
import { buildRunTrace } from './run-trace.ts'
import { buildUseReceipt, recordOutcome } from './use-record.ts'

/** Call when an execution has ended: queues the next part of its run, or ends the item or the run. */
export function recordRunSettled(ctx: CommandContext, executionId: string): void {
  const found = findRunPart(ctx.tx, executionId)
  const execution = findExecution(ctx.tx, executionId)
  if (found === undefined || execution === undefined || found.run.settled_at !== undefined) return
  const { run, part } = found
  const ending = toRunEnding(execution)
  const next = ending.state === 'succeeded' ? findNextPart(ctx, part, execution) : undefined
  if (next?.item !== part.item) return endItem(ctx, run, { part, ending })
  const refusal = queueNextPart(ctx, run, next)
  if (refusal !== undefined) endItem(ctx, run, { part, ending: refusal })
}

function findNextPart(ctx: CommandContext, part: RunPartRow, execution: ExecutionRow): RunPartRow | undefined {
  const { run_id, position, done_at } = part
  const isDone = done_at !== undefined && readResults(execution).some(isAlreadyDone)
  return findPart(ctx.tx, run_id, isDone ? done_at : position + 1)
}

interface ItemEnd {
  readonly part: RunPartRow
  readonly ending: RunEnding
}

/** Stores the outcome of an item. The run ends with it, or continues with the next item. */
function endItem(ctx: CommandContext, run: AbilityRunRow, { part, ending }: ItemEnd): void {
  const { state, outcome } = judgeItem(ctx.tx, part, ending)
  const { trouble } = outcome
  const isAtFault = trouble !== undefined && state !== 'cancelled' && blamesAbility(ctx, run, trouble)
  if (isAtFault) reportFailedCheckpoint(ctx, run, { item: part.item, trouble })
  const { acted, used_fallbacks } = findRunItem(ctx.tx, run.run_id, part.item)?.outcome ?? run.outcome
  recordOutcome(ctx, run, { state, trouble, used_fallbacks: used_fallbacks.length, blameless: !isAtFault })
  if (state === 'success') recordVerifiedRun(ctx, run, acted)
  if (run.items_total === undefined) {
    settleRun(ctx, { ...run, state, outcome: { ...run.outcome, ...outcome } })
    return
  }
  const row = findRunItem(ctx.tx, run.run_id, part.item)
  if (row !== undefined) updateRunItem(ctx.tx, { ...row, state, outcome: { ...row.outcome, ...outcome } })
  recordEvent(ctx, formatRunSubject(run.run_id), 'ability.run.item_settled', {
    run_id: run.run_id,
    item: part.item,
    state,
    ...(trouble === undefined ? {} : { code: trouble.code, step_id: trouble.step_id }),
  })
  const isStopped = ending.state === 'cancelled' || ending.state === 'interrupted'
  const goesOn = state === 'success' || (run.on_item_failure === 'continue' && !isStopped)
  const refusal = goesOn ? startNextItem(ctx, run, part.item + 1) : STOPPED
  if (refusal !== undefined) settleList(ctx, run, refusal)
}

/** Whether a failure counts against the ability of the run. A step of a called ability does not. */
function blamesAbility(ctx: CommandContext, { ability_id, version }: AbilityRunRow, trouble: RunFailure): boolean {
  if (trouble.step_id?.includes('/') === true) return false
  return isSkillFault(findAbilityVersion(ctx.tx, ability_id, version)?.recipe, trouble)
}

/** A success that the device showed proves the version that ran. */
function recordVerifiedRun(ctx: CommandContext, run: AbilityRunRow, acted: boolean): void {
  const version = findAbilityVersion(ctx.tx, run.ability_id, run.version)
  if (version?.recipe === undefined || !provesRecipe(version.recipe, acted)) return
  const { draft_hash } = version
  recordProof(asSystem(ctx, run.owner_user_id), {
    draft_hash,
    kind: 'verified_run',
    source_ref: `ability_run:${run.run_id}`,
  })
}

/** The list ends after an item that did not succeed, or after the last one. */
const STOPPED = 'stopped'
type ListEnd = typeof STOPPED | (RunEnding & { readonly item: number })

/** Queues the next item. Returns why the list ends instead, if it does. */
function startNextItem(ctx: CommandContext, run: AbilityRunRow, item: number): ListEnd | undefined {
  const row = findRunItem(ctx.tx, run.run_id, item)
  const [part] = row === undefined ? [] : listItemParts(ctx.tx, run.run_id, item)
  if (row === undefined || part === undefined) return STOPPED
  const refusal = queueNextPart(ctx, run, part)
  if (refusal !== undefined) return { ...refusal, item }
  updateRunItem(ctx.tx, { ...row, state: 'running' })
  return undefined
}

/** Stores the outcome of a run over a list. It is a success only if every item was. */
function settleList(ctx: CommandContext, run: AbilityRunRow, end: ListEnd): void {
  const items = listRunItems(ctx.tx, run.run_id)
  const failed = items.find(({ state }) => state !== 'success' && state !== 'not_started')
  const trouble = failed?.outcome.trouble
  const refused: RunFailure | undefined =
    end === STOPPED
      ? undefined
      : { code: end.error_code ?? 'STEP_FAILED', message: (end.error ?? '').slice(0, 500), item: end.item }
  const reported = trouble === undefined ? refused : { ...trouble, item: failed?.item }
  settleRun(ctx, {
    ...run,
    state: decideListState(
      run,
      items.map(({ state }) => state),
    ),
    outcome: {
      ...run.outcome,
      acted: items.some(({ outcome }) => outcome.acted),
      ...(reported === undefined ? {} : { trouble: reported }),
    },
  })
}

function decideListState(run: AbilityRunRow, states: readonly string[]): AbilityRunRow['state'] {
  if (states.every((state) => state === 'success')) return 'success'
  if (states.includes('indeterminate')) return 'indeterminate'
  return run.cancel_requested_at !== undefined || states.includes('cancelled') ? 'cancelled' : 'failed'
}

/** Stores the end of a run with a use receipt and a trace. */
function settleRun(ctx: CommandContext, ended: AbilityRunRow): void {
  const { run_id, ability_id, state, outcome } = ended
  const run = { ...ended, use_receipt_id: ctx.newId(), settled_at: ctx.now, lease_id: undefined }
  releaseRunLease(ctx, ended)
  clearPartPayloads(ctx.tx, run_id)
  updateAbilityRun(ctx.tx, run)
  appendUseReceipt(ctx.tx, run.owner_user_id, buildUseReceipt(ctx, run))
  appendTrace(ctx.tx, buildRunTrace(ctx, run))
  if (findRunRepair(ctx.tx, run) !== undefined) enqueueRepair(ctx, run)
  const { trouble } = outcome
  const facts = { run_id, ability_id, state, ...(trouble && { code: trouble.code, step_id: trouble.step_id }) }
  recordEvent(ctx, formatRunSubject(run_id), 'ability.run.settled', facts)
  recordEvent(ctx, `execution/${run.execution_id}`, 'ability.run.settled', facts)
}

export const REPAIR_JOB_KIND = 'learn.repair'

/** The repair is drafted by a job of its own: the end of the run does not depend on it. */
function enqueueRepair(ctx: CommandContext, { run_id, ability_id, owner_user_id }: AbilityRunRow): void {
  enqueueJob(asSystem(ctx, owner_user_id), {
    job_id: ctx.newId(),
    kind: REPAIR_JOB_KIND,
    lane: `repair/${ability_id}`,
    payload: { run_id },
  })
}
