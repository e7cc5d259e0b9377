import type { AbilityRunRow } from '../../store/runs/ability-runs.ts'
import type { ExecutionRow } from '../../store/devices/executions.ts'
import { findAbility } from '../../store/abilities/abilities.ts'
import type { TraceRow } from '../../store/capture/traces.ts'
import type { CommandContext } from '../command/context.ts'

/** The execution trace of a run, which mining and statistics read. */
export function buildRunTrace(ctx: CommandContext, run: AbilityRunRow, execution: ExecutionRow): TraceRow {
  const { outcome } = run
  const ability = findAbility(ctx.tx, run.ability_id)
  const results = execution.envelope?.stepResults ?? execution.step_results
  const startedMs = Date.parse(execution.started_at ?? run.created_at)
  const body = {
    trace_id: run.run_id,
    capability_id: ability?.primary_capability_id ?? run.ability_id,
    app_id: ability?.family ?? 'unknown',
    goal: ability?.title ?? run.ability_id,
    surfaces_attempted: ['raw_ui'],
    steps: results.map(({ id, actionType, success }) => ({
      step_id: id.slice(0, 80),
      action_label: actionType,
      surface: 'raw_ui',
      success,
    })),
    verification_results: outcome.verification.map(({ verification_id, held, observed }) => ({
      kind: verification_id.slice(0, 80),
      passed: held === true,
      ...(observed === undefined ? {} : { detail: 'read from the device' }),
    })),
    fallback_used: outcome.used_fallbacks.length > 0,
    user_takeover: false,
    success: run.state === 'success',
    ...(outcome.trouble === undefined
      ? {}
      : { failure_fingerprint: `${outcome.trouble.code}@${outcome.trouble.step_id ?? 'end'}` }),
    elapsed_ms: Math.max(0, Date.parse(ctx.now) - startedMs),
    execution_id: run.execution_id,
    created_at: ctx.now,
    schema_version: 1,
  }
  return {
    trace_id: run.run_id,
    owner_user_id: run.owner_user_id,
    body: JSON.stringify(body),
    created_at: ctx.now,
  }
}
