import type { CreateSessionBody } from '@apprentice/contracts/learn/sessions.ts'
import type {
  EntryMode,
  LearnSession,
  ObservationMode,
} from '@apprentice/contracts/learn/session.ts'
import { Failure } from '../../failure/failure.ts'
import { insertLearnSession, type StoredSession } from '../../store/sessions/learn-sessions.ts'
import { findTrace } from '../../store/capture/traces.ts'
import { getVisibleAbility } from '../abilities/visibility.ts'
import type { CommandContext } from '../command/context.ts'
import { recordReceipt, recordSessionEvent } from '../command/ledger.ts'
import { assertSlotFree, moveSession } from './session-moves.ts'
import type { SlotRule } from './session-machine.ts'

const whitelistLimit = 50

/** Writes the session as `idle` and arms it in the same command: no route exists to arm one later. */
export function createLearnSession(
  ctx: CommandContext,
  body: CreateSessionBody,
  { rule, salt }: { rule: SlotRule; salt: string },
): StoredSession {
  const idle = draftSession(ctx, body, salt)
  assertAllowed(ctx, body, idle)
  assertSlotFree(ctx, ctx.actor.user_id, rule)
  return armSession(ctx, idle)
}

export function armSession(ctx: CommandContext, idle: StoredSession): StoredSession {
  insertLearnSession(ctx.tx, idle)
  const { learn_session_id } = idle
  recordSessionEvent(ctx, learn_session_id, 'learn.session.started', {
    payload: { entry_mode: idle.entry_mode, observation_mode: idle.observation_mode },
  })
  const armed = moveSession(ctx, idle, ['armed'])
  recordReceipt(ctx, 'learn.session.started', {
    learn_session_id,
    to_state: 'armed',
    summary: `Session created by ${idle.entry_mode}.`,
  })
  if (armed.observation_mode !== 'none') {
    recordReceipt(ctx, 'learn.observation.armed', {
      learn_session_id,
      summary: `Observation of kind ${armed.observation_mode} armed; nothing is observed before start.`,
    })
  }
  return armed
}

export function uiOf(session: Pick<LearnSession, 'entry_mode' | 'observation_mode'>) {
  switch (session.entry_mode) {
    case 'demonstrating_skill':
      return overlay
    case 'coaching_agent':
      return watchesOutside(session.observation_mode)
        ? overlay
        : ({ ui_mode: 'recent-run', next_action: 'show_recent_run_picker' } as const)
    case 'autonomous_agent_practice':
      return { ui_mode: 'exploratory', next_action: 'launch_exploration' } as const
    case 'improving_existing_skill':
      return { ui_mode: 'drawer', next_action: 'show_skill_delta_editor' } as const
    case 'import_skill':
      return { ui_mode: 'import', next_action: 'show_import_configurator' } as const
  }
}

const overlay = { ui_mode: 'overlay', next_action: 'wait_for_first_meaningful_event' } as const

const watchesOutside = (mode: ObservationMode): boolean =>
  mode === 'outside_agent' || mode === 'mixed'

export function draftSession(
  ctx: CommandContext,
  body: CreateSessionBody,
  salt: string,
): StoredSession {
  const entry_mode = entryModeOf(body)
  const { project_id, room_id, target_skill_id, device_serial, requested_safe_target_ref } = body
  return {
    learn_session_id: ctx.newId(),
    owner_user_id: ctx.actor.user_id,
    entry_mode,
    observation_mode: entry_mode === 'import_skill' ? 'none' : (body.observation_mode ?? 'none'),
    build_policy:
      body.ask_before_build === true
        ? 'ask_before_build'
        : (body.build_policy ?? 'build_then_review'),
    execution_mode: body.execution_mode ?? 'guided',
    target_kind: body.target_kind ?? targetKinds[entry_mode],
    state: 'idle',
    actor_mode: actorModes[entry_mode],
    project_id,
    room_id,
    target_skill_id,
    target_app_family: body.target_app_family ?? body.capability_family_hint,
    target_app_whitelist: tidyWhitelist(body.target_app_whitelist ?? []),
    device_serial,
    active_trace_ids: body.selected_trace_ids ?? [],
    active_observation_batch_ids: [],
    created_at: ctx.now,
    updated_at: ctx.now,
    state_entered_at: ctx.now,
    capture_accumulated_ms: 0,
    retain_observations: false,
    text_capture_consent: false,
    ask_before_build: body.ask_before_build ?? false,
    allow_private_install: body.allow_private_install ?? false,
    requested_safe_target_ref,
    adapters_armed: [],
    redaction_salt: salt,
    captured_event_count: 0,
    off_target_events_dropped: 0,
    revision: 1,
    schema_version: 1,
  }
}

const targetKinds = {
  demonstrating_skill: 'new_skill',
  coaching_agent: 'new_skill',
  autonomous_agent_practice: 'new_skill',
  improving_existing_skill: 'existing_skill',
  import_skill: 'imported_skill',
} as const

const actorModes = {
  demonstrating_skill: 'user_driven',
  coaching_agent: 'mixed',
  autonomous_agent_practice: 'agent_driven',
  improving_existing_skill: 'mixed',
  import_skill: 'user_driven',
} as const

/** The retired teach route had no entry mode; its own keys stand for a demonstration. */
function entryModeOf(body: CreateSessionBody): EntryMode {
  if (body.entry_mode !== undefined) return body.entry_mode
  const legacy = [body.capability_family_hint, body.selected_trace_ids, body.room_id]
  if (legacy.some((key) => key !== undefined)) return 'demonstrating_skill'
  throw refuse('entry_mode', 'is required')
}

function assertAllowed(ctx: CommandContext, body: CreateSessionBody, session: StoredSession): void {
  if (session.target_kind === 'existing_skill') {
    const wanted = session.target_skill_id
    if (wanted === undefined) throw refuse('target_skill_id', 'is required to improve a skill')
    getVisibleAbility(ctx.tx, wanted, ctx.actor.user_id)
  }
  if (session.build_policy === 'private_auto_install' && !session.allow_private_install) {
    throw new Failure('INSTALL_LANE_DENIED', 'private_auto_install needs allow_private_install.')
  }
  for (const trace of body.selected_trace_ids ?? []) {
    if (findTrace(ctx.tx, trace)?.owner_user_id !== ctx.actor.user_id) {
      throw refuse('selected_trace_ids', `names no trace: ${trace}`)
    }
  }
}

const refuse = (field: string, why: string): Failure =>
  new Failure('INVALID_REQUEST', `${field} ${why}.`, { details: { field } })

function tidyWhitelist(entries: readonly string[]): string[] {
  const tidy = entries.map((entry) => entry.trim()).filter((entry) => entry !== '')
  return [...new Set(tidy)].slice(0, whitelistLimit)
}
