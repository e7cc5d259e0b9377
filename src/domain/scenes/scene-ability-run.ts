import type { AbilityRun, CapabilityUseReceipt } from '@apprentice/contracts/abilities/runs.ts'
import type { SceneRunOutcome, SceneRunState } from '@apprentice/contracts/scenes/run.ts'
import { type AbilityRow, findAbility } from '../../store/abilities/abilities.ts'
import { Failure } from '../../failure/failure.ts'
import {
  type AbilityRunRow,
  findAbilityRun,
  insertAbilityRun,
  type RunOutcome,
  updateAbilityRun,
} from '../../store/runs/ability-runs.ts'
import { appendUseReceipt } from '../../store/runs/use-receipts.ts'
import type { SceneRunRow } from '../../store/scenes/scene-runs.ts'
import { recordCapabilityOutcome } from '../capabilities/outcomes.ts'
import { asSystem, type CommandContext } from '../command/context.ts'
import { recordEvent } from '../command/ledger.ts'
import { formatRunSubject } from '../runs/queue-part.ts'
import { EMPTY_OUTCOME } from '../runs/run-outcome.ts'
import { toSceneAbilityId } from '../../knowledge/scenes/scene-entry.ts'
import { isPackageFault } from '../../knowledge/scenes/scene-fault.ts'

/** What a caller of the ability gave with a run. */
export interface SceneUse {
  readonly dispatch_id?: string | undefined
  readonly project_id?: string | undefined
  readonly input_names?: readonly string[] | undefined
}

/** There is no device; the field of the table has a value for all runs. */
const BROWSER = 'browser'

/**
 * Every run of a scene is a run of its ability too, whatever started it. Both have the same id. An ability that is switched
 * off or in quarantine refuses the run.
 */
export function recordSceneUse(ctx: CommandContext, run: SceneRunRow, use: SceneUse = {}): void {
  const ability = findAbility(ctx.tx, toSceneAbilityId(run.scene_id))
  if (ability === undefined) return
  assertSceneUsable(ability)
  const { run_id, timeout_ms, created_at } = run
  const { ability_id, current_version: version } = ability
  insertAbilityRun(ctx.tx, {
    run_id,
    // The id of the job, by which runs are waited for and cancelled.
    execution_id: run_id,
    scene_run_id: run_id,
    owner_user_id: run.owner_user_id,
    ability_id,
    version,
    state: 'queued',
    dispatch_id: use.dispatch_id,
    project_id: use.project_id,
    serial: BROWSER,
    input_names: [...(use.input_names ?? Object.keys(run.plan.args))].toSorted(),
    outcome: EMPTY_OUTCOME,
    created_at,
    timeout_ms,
    content_hash: run.plan.plan_hash,
  })
  recordEvent(ctx, formatRunSubject(run_id), 'ability.run.started', { run_id, ability_id, version })
}

export function recordSceneUseStarted(ctx: CommandContext, runId: string): void {
  const row = findAbilityRun(ctx.tx, runId)
  if (row?.state === 'queued') updateAbilityRun(ctx.tx, { ...row, state: 'running' })
}

export function assertSceneUsable({ ability_id, usable_now, reason_unusable }: AbilityRow): void {
  if (usable_now) return
  throw new Failure('ABILITY_UNUSABLE', `${ability_id} cannot be used now: ${reason_unusable ?? 'unknown'}.`, {
    details: { ability_id, reason_unusable },
  })
}

const STATES: Readonly<Record<SceneRunState, AbilityRun['state']>> = {
  queued: 'queued',
  running: 'running',
  succeeded: 'success',
  failed: 'failed',
  cancelled: 'cancelled',
  interrupted: 'indeterminate',
}

/** Stores the end of a run with a use receipt, and counts it for the health of the ability. */
export function recordSceneUseSettled(
  ctx: CommandContext,
  run: Pick<SceneRunRow, 'run_id' | 'state' | 'started_at'>,
  outcome: SceneRunOutcome,
): void {
  const row = findAbilityRun(ctx.tx, run.run_id)
  if (row === undefined || row.settled_at !== undefined) return
  const state = STATES[run.state]
  const settled: AbilityRunRow = {
    ...row,
    state,
    outcome: toRunOutcome(run.run_id, outcome),
    use_receipt_id: ctx.newId(),
    settled_at: ctx.now,
  }
  updateAbilityRun(ctx.tx, settled)
  appendUseReceipt(ctx.tx, row.owner_user_id, buildReceipt(ctx, settled, run.started_at))
  const { run_id, ability_id, owner_user_id } = row
  const code = outcome.problem?.code
  if (state !== 'cancelled') {
    recordCapabilityOutcome(asSystem(ctx, owner_user_id), {
      capability_id: ability_id,
      success: state === 'success',
      fingerprint: code,
      blameless: code !== undefined && !isPackageFault(code),
    })
  }
  recordEvent(ctx, formatRunSubject(run_id), 'ability.run.settled', {
    run_id,
    ability_id,
    state,
    ...(code && { code }),
  })
}

function toRunOutcome(runId: string, { artifact_status, problem, report }: SceneRunOutcome): RunOutcome {
  const outputs = {
    artifact_status,
    ...(report !== undefined && {
      title: report.title,
      row_count: report.row_count,
      warnings: report.warnings,
      ...(report.period !== null && { period: report.period }),
      report_url: `/api/scenes/runs/${runId}/report`,
    }),
  }
  return {
    ...EMPTY_OUTCOME,
    // A scene collects a report and changes nothing.
    acted: false,
    outputs,
    ...(problem !== undefined && { trouble: { code: problem.code, message: problem.message.slice(0, 500) } }),
  }
}

const USE_RESULTS: Readonly<Record<AbilityRun['state'], CapabilityUseReceipt['result']>> = {
  success: 'success',
  failed: 'failure',
  indeterminate: 'failure',
  cancelled: 'cancelled',
  queued: 'failure',
  running: 'failure',
}

function buildReceipt(ctx: CommandContext, run: AbilityRunRow, startedAt: string | undefined): CapabilityUseReceipt {
  const { dispatch_id, project_id, outcome, state, ability_id } = run
  return {
    receipt_id: run.use_receipt_id ?? ctx.newId(),
    capability_id: ability_id,
    ...(dispatch_id === undefined ? {} : { dispatch_id }),
    operation_id: run.run_id,
    approval_mode: 'autonomous',
    receipt_detail_level: 'standard',
    ...(project_id === undefined ? {} : { project_id }),
    result: USE_RESULTS[state],
    identity_asserted_kind: 'local_user',
    identity_asserted_ref: run.owner_user_id,
    correlation_id: ctx.correlation_id,
    route_surface: 'browser_script',
    summary: `${ability_id} in a browser: ${outcome.trouble?.code ?? state}`.slice(0, 240),
    started_at: startedAt ?? run.created_at,
    completed_at: ctx.now,
    created_at: ctx.now,
    schema_version: 1,
  }
}
