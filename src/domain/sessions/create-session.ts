import type { CreateSessionBody } from '@apprentice/contracts/learn/sessions.ts'
import type { EntryMode, LearnSession, ObservationMode } from '@apprentice/contracts/learn/session.ts'
import { Failure } from '../../failure/failure.ts'
import { insertLearnSession, type StoredSession } from '../../store/sessions/learn-sessions.ts'
import { findTrace } from '../../store/capture/traces.ts'
import { getVisibleAbility } from '../abilities/visibility.ts'
import { readPreferences } from '../intents/configuration.ts'
import type { CommandContext } from '../command/context.ts'
import { recordReceipt, recordSessionEvent } from '../command/ledger.ts'
import { assertSlotFree, moveSession } from './session-moves.ts'
import type { SlotRule } from './session-machine.ts'

const MAX_WHITELIST_ENTRIES = 50

/** Inserts the session as `idle` and arms it in the same command. No route arms a session later. */
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

export function chooseUi(session: Pick<LearnSession, 'entry_mode' | 'observation_mode'>) {
  switch (session.entry_mode) {
    case 'demonstrating_skill':
      return OVERLAY
    case 'coaching_agent':
      return observesOutside(session.observation_mode)
        ? OVERLAY
        : ({ ui_mode: 'recent-run', next_action: 'show_recent_run_picker' } as const)
    case 'autonomous_agent_practice':
      return { ui_mode: 'exploratory', next_action: 'launch_exploration' } as const
    case 'improving_existing_skill':
      return { ui_mode: 'drawer', next_action: 'show_skill_delta_editor' } as const
    case 'import_skill':
      return { ui_mode: 'import', next_action: 'show_import_configurator' } as const
  }
}

const OVERLAY = { ui_mode: 'overlay', next_action: 'wait_for_first_meaningful_event' } as const

const observesOutside = (mode: ObservationMode): boolean => mode === 'outside_agent' || mode === 'mixed'

export function draftSession(ctx: CommandContext, body: CreateSessionBody, salt: string): StoredSession {
  const entry_mode = readEntryMode(body)
  const { project_id, room_id, target_skill_id, device_serial, requested_safe_target_ref } = body
  return {
    learn_session_id: ctx.newId(),
    owner_user_id: ctx.actor.user_id,
    entry_mode,
    observation_mode: entry_mode === 'import_skill' ? 'none' : (body.observation_mode ?? 'none'),
    build_policy:
      body.ask_before_build === true
        ? 'ask_before_build'
        : (body.build_policy ?? readPreferences(ctx.tx, ctx.actor.user_id).build_policy ?? 'build_then_review'),
    execution_mode: body.execution_mode ?? 'guided',
    target_kind: body.target_kind ?? TARGET_KINDS[entry_mode],
    state: 'idle',
    actor_mode: ACTOR_MODES[entry_mode],
    project_id,
    room_id,
    target_skill_id,
    target_app_family: body.target_app_family ?? body.capability_family_hint,
    target_app_whitelist: normalizeWhitelist(body.target_app_whitelist ?? []),
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

const TARGET_KINDS = {
  demonstrating_skill: 'new_skill',
  coaching_agent: 'new_skill',
  autonomous_agent_practice: 'new_skill',
  improving_existing_skill: 'existing_skill',
  import_skill: 'imported_skill',
} as const

const ACTOR_MODES = {
  demonstrating_skill: 'user_driven',
  coaching_agent: 'mixed',
  autonomous_agent_practice: 'agent_driven',
  improving_existing_skill: 'mixed',
  import_skill: 'user_driven',
} as const

/** The retired teach route has no entry mode. A body with one of its own keys means a demonstration. */
function readEntryMode(body: CreateSessionBody): EntryMode {
  if (body.entry_mode !== undefined) return body.entry_mode
  const legacy = [body.capability_family_hint, body.selected_trace_ids, body.room_id]
  if (legacy.some((key) => key !== undefined)) return 'demonstrating_skill'
  throw invalidField('entry_mode', 'is required')
}

function assertAllowed(ctx: CommandContext, body: CreateSessionBody, session: StoredSession): void {
  if (session.target_kind === 'existing_skill') {
    const target = session.target_skill_id
    if (target === undefined) throw invalidField('target_skill_id', 'is required to improve a skill')
    getVisibleAbility(ctx.tx, target, ctx.actor.user_id)
  }
  if (session.build_policy === 'private_auto_install' && !session.allow_private_install) {
    throw new Failure('INSTALL_LANE_DENIED', 'build_policy private_auto_install requires allow_private_install.')
  }
  for (const trace of body.selected_trace_ids ?? []) {
    if (findTrace(ctx.tx, trace)?.owner_user_id !== ctx.actor.user_id) {
      throw invalidField('selected_trace_ids', `contains an unknown trace: ${trace}`)
    }
  }
}

const invalidField = (field: string, problem: string): Failure =>
  new Failure('INVALID_REQUEST', `${field} ${problem}.`, { details: { field } })

function normalizeWhitelist(entries: readonly string[]): string[] {
  const trimmed = entries.map((entry) => entry.trim()).filter((entry) => entry !== '')
  return [...new Set(trimmed)].slice(0, MAX_WHITELIST_ENTRIES)
}
