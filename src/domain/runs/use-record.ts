import type { AbilityRun, CapabilityUseReceipt, RunFailure } from '@apprentice/contracts/abilities/runs.ts'
import { findAbility } from '../../store/abilities/abilities.ts'
import { findExecution } from '../../store/devices/executions.ts'
import type { AbilityRunRow } from '../../store/runs/ability-runs.ts'
import { type CommandContext, asSystem } from '../command/context.ts'
import { recordCapabilityOutcome } from '../capabilities/outcomes.ts'

/** Records one use of the capability: of the run, or of one item of a list. */
export function recordOutcome(
  ctx: CommandContext,
  run: AbilityRunRow,
  use: {
    readonly state: AbilityRun['state']
    readonly trouble?: RunFailure | undefined
    readonly used_fallbacks: number
    /** The failure is not the skill's fault. */
    readonly blameless: boolean
  },
): void {
  const { trouble } = use
  // A run whose steps all succeeded, but whose outcome no check covers, says nothing about the capability.
  if (use.state === 'cancelled' || trouble?.code === 'NOT_VERIFIED') return
  recordCapabilityOutcome(asSystem(ctx, run.owner_user_id), {
    capability_id: findCapability(ctx, run),
    success: use.state === 'success',
    fingerprint: trouble && `${trouble.code}@${trouble.step_id ?? 'end'}`.slice(0, 160),
    fallback_used: use.used_fallbacks > 0,
    blameless: use.blameless,
  })
}

const USE_RESULTS = {
  success: 'success',
  failed: 'failure',
  indeterminate: 'failure',
  cancelled: 'cancelled',
  queued: 'failure',
  running: 'failure',
} as const

export function buildUseReceipt(ctx: CommandContext, run: AbilityRunRow): CapabilityUseReceipt {
  const { dispatch_id, project_id, outcome, state } = run
  return {
    receipt_id: run.use_receipt_id ?? ctx.newId(),
    capability_id: findCapability(ctx, run),
    ...(dispatch_id === undefined ? {} : { dispatch_id }),
    operation_id: run.run_id,
    route_trace_id: run.execution_id,
    approval_mode: 'autonomous',
    receipt_detail_level: 'standard',
    ...(project_id === undefined ? {} : { project_id }),
    result: USE_RESULTS[state],
    identity_asserted_kind: 'local_user',
    identity_asserted_ref: run.owner_user_id,
    correlation_id: ctx.correlation_id,
    route_surface: 'raw_ui',
    summary: `${run.ability_id} on ${run.serial}: ${outcome.trouble?.code ?? state}`.slice(0, 240),
    started_at: findExecution(ctx.tx, run.execution_id)?.started_at ?? run.created_at,
    completed_at: ctx.now,
    created_at: ctx.now,
    schema_version: 1,
  }
}

const findCapability = (ctx: CommandContext, { ability_id }: AbilityRunRow): string =>
  findAbility(ctx.tx, ability_id)?.primary_capability_id ?? ability_id
