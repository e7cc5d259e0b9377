import { Failure } from '../../failure/failure.ts'
import { findAbility } from '../../store/abilities/abilities.ts'
import type { StoredSession } from '../../store/sessions/learn-sessions.ts'
import type { CommandContext } from '../command/context.ts'
import { createLearnSession } from '../sessions/create-session.ts'
import { markBoundary } from '../sessions/session-moves.ts'
import type { SlotRule } from '../sessions/session-machine.ts'
import { getOwnRun } from './run-view.ts'

/** Starts a session that improves an ability, marked with the step at which a run of it failed. */
export function improveFromRun(ctx: CommandContext, runId: string, rules: { rule: SlotRule; salt: string }) {
  const run = getOwnRun(ctx.tx, runId, ctx.actor.user_id)
  const { trouble } = run.outcome
  if (trouble === undefined) {
    throw new Failure('ABILITY_RUN_WITHOUT_TROUBLE', 'The run succeeded or is still running.')
  }
  if (run.scene_run_id !== undefined) {
    throw new Failure('ABILITY_RUN_WITHOUT_TROUBLE', 'A scene is changed in its package, not by a demonstration.')
  }
  const session: StoredSession = createLearnSession(
    ctx,
    {
      entry_mode: 'improving_existing_skill',
      observation_mode: 'outside_agent',
      target_skill_id: run.ability_id,
      device_serial: run.serial,
    },
    rules,
  )
  const { learn_session_id } = session
  const title = findAbility(ctx.tx, run.ability_id)?.title ?? run.ability_id
  markBoundary(ctx, learn_session_id, { kind: 'mark_goal', label: title })
  markBoundary(ctx, learn_session_id, {
    kind: 'mark_step',
    // Inferred steps are not used in drafts.
    source: 'system_inferred',
    label: `Drift: ${trouble.step_id ?? 'the outcome'} failed with ${trouble.code}`.slice(0, 400),
    step_kind_hint: 'other',
  })
  const { run_id, ability_id } = run
  return { session, drift: { ...trouble, run_id, ability_id } }
}
