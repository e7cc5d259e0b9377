import { Failure } from '../../failure/failure.ts'
import { type AbilityRow, findAbility } from '../../store/abilities/abilities.ts'
import type { Reader } from '../../store/db/db.ts'
import { type AbilityRunRow, findAbilityRun } from '../../store/runs/ability-runs.ts'
import { listSessionsByTarget, type StoredSession } from '../../store/sessions/learn-sessions.ts'
import { type CommandContext, asSystem } from '../command/context.ts'
import { findRunRepair } from '../proposals/content/run-repair.ts'
import { generateProposal } from '../review/generate-proposal.ts'
import { armSession, draftSession } from '../sessions/create-session.ts'
import { resolveFollowUps } from '../sessions/follow-ups.ts'
import { REPAIR_USER_ID } from '../sessions/session-access.ts'
import { markBoundary, moveSession } from '../sessions/session-moves.ts'

/**
 * Drafts a repair of an ability from the evidence of one of its runs, for its owner to approve. Nothing is installed.
 * Returns undefined if there is nothing to repair, or if a repair of this version was proposed already.
 */
export function proposeRepair(given: CommandContext, runId: string): string | undefined {
  const run = findAbilityRun(given.tx, runId)
  const ability = run && findAbility(given.tx, run.ability_id)
  if (run === undefined || ability === undefined || ability.owner_user_id !== run.owner_user_id) return undefined
  if (findRunRepair(given.tx, run) === undefined || wasProposed(given.tx, run)) return undefined
  const ctx = asSystem(given, run.owner_user_id)
  const { learn_session_id } = openSession(ctx, run, ability)
  const outcome = generateProposal(ctx, learn_session_id)
  if (outcome.failed) throw new Failure('INTERNAL_ERROR', 'The repair could not be drafted.')
  const source_ref = `proposal:${outcome.proposal_id}`
  resolveFollowUps(ctx, ability.ability_id, { result: 'repair_started', source_ref })
  return outcome.proposal_id
}

/** A repair of this version is open, or its owner has decided about it. A cancelled one may be proposed again. */
function wasProposed(reader: Reader, { ability_id, version }: AbilityRunRow): boolean {
  return listSessionsByTarget(reader, REPAIR_USER_ID, ability_id).some(({ state, active_trace_ids: [runId = ''] }) => {
    return state !== 'cancelled' && findAbilityRun(reader, runId)?.version === version
  })
}

/** A session of the daemon takes no slot of the user. Nothing was captured in it. */
function openSession(ctx: CommandContext, run: AbilityRunRow, { title }: AbilityRow): StoredSession {
  const drafted = draftSession(
    ctx,
    {
      entry_mode: 'improving_existing_skill',
      observation_mode: 'none',
      target_skill_id: run.ability_id,
      device_serial: run.serial,
    },
    ctx.newId(),
  )
  const owners = { owner_user_id: REPAIR_USER_ID, reviewer_user_id: run.owner_user_id }
  const armed = armSession(ctx, { ...drafted, ...owners })
  const source = 'system_inferred' as const
  const { learn_session_id } = armed
  const start_boundary_ref = markBoundary(ctx, learn_session_id, { kind: 'start', source })
  markBoundary(ctx, learn_session_id, { kind: 'mark_goal', source, label: title.slice(0, 400) })
  const stop_boundary_ref = markBoundary(ctx, learn_session_id, { kind: 'stop', source })
  return moveSession(ctx, armed, ['capturing', 'stopped'], {
    reason: 'run_repair',
    changes: { start_boundary_ref, stop_boundary_ref, active_trace_ids: [run.run_id] },
  })
}
