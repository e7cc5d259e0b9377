import { addConnector } from './connector-rows.ts'
import { randomUUID } from 'node:crypto'
import { refreshAvailability } from '../../src/domain/abilities/availability.ts'
import { registerAbility } from '../../src/domain/abilities/registry.ts'
import type { CommandContext } from '../../src/domain/command/context.ts'
import { createLearnSession } from '../../src/domain/sessions/create-session.ts'
import { recordEvent, recordReceipt, recordSessionEvent } from '../../src/domain/command/ledger.ts'
import { upsertAdapter } from '../../src/store/capture/adapters.ts'
import { appendBoundary } from '../../src/store/capture/boundaries.ts'
import { insertCategory } from '../../src/store/categories/categories.ts'
import { appendAssignmentLog } from '../../src/store/categories/category-log.ts'
import { appendCheckpointReceipt } from '../../src/store/abilities/checkpoint-receipts.ts'
import { appendIntent, upsertConfigDocument } from '../../src/store/config/config-documents.ts'
import { sql } from '../../src/store/db/db.ts'
import { upsertDraftFile } from '../../src/store/proposals/draft-files.ts'
import { insertStoredReply } from '../../src/store/command/idempotency.ts'
import { upsertInterpretation } from '../../src/store/proposals/interpretations.ts'
import { findLearnSession, type StoredSession, updateLearnSession } from '../../src/store/sessions/learn-sessions.ts'
import { appendObservation } from '../../src/store/capture/observations.ts'
import { appendOutboxEntry } from '../../src/store/command/outbox.ts'
import { insertProposal, type StoredProposal } from '../../src/store/proposals/proposals.ts'
import { appendAnswer, appendQuestion } from '../../src/store/proposals/questions.ts'
import { upsertTestPolicy } from '../../src/store/proposals/test-policies.ts'
import { appendTrace } from '../../src/store/capture/traces.ts'
import { addImport } from './import-rows.ts'
import { addInstallation } from './installed-rows.ts'
import { addMining } from './mining-rows.ts'
import { addTestedDraft } from './tested-rows.ts'

/** Each session gets its own user, because a user has one active session. */
export function addSession(ctx: CommandContext, changes: Partial<StoredSession> = {}): string {
  const session = createLearnSession(
    { ...ctx, actor: { kind: 'user', user_id: ctx.newId() } },
    { entry_mode: 'demonstrating_skill', observation_mode: 'inside_agent' },
    { rule: 'settled', salt: 'the-salt' },
  )
  updateLearnSession(ctx.tx, { ...session, ...changes })
  return session.learn_session_id
}

export function changeSession(ctx: CommandContext, id: string, changes: Partial<StoredSession>): void {
  const session = findLearnSession(ctx.tx, id)
  if (session === undefined) throw new Error('There is no such session.')
  updateLearnSession(ctx.tx, { ...session, ...changes, revision: session.revision + 1 })
  recordSessionEvent(ctx, id, 'learn.session.changed')
}

/** Returns the event's id. */
export function addObservation(ctx: CommandContext, sessionId: string, label = 'Tap «Ü» "ok"'): string {
  const event_id = randomUUID()
  appendObservation(ctx.tx, {
    event_id,
    learn_session_id: sessionId,
    adapter_kind: 'wrapper_receipt',
    action_label: label,
    caused_state_change: true,
    redaction_mode: 'mask_text',
    created_at: ctx.now,
    ingest_seq: 1,
    batch_id: randomUUID(),
    received_at: ctx.now,
    schema_version: 1,
  })
  recordSessionEvent(ctx, sessionId, 'learn.observation.changed')
  return event_id
}

export function markBoundary(ctx: CommandContext, sessionId: string): void {
  appendBoundary(ctx.tx, {
    boundary_id: randomUUID(),
    learn_session_id: sessionId,
    kind: 'mark_step',
    source: 'api_call',
    created_at: ctx.now,
    schema_version: 1,
  })
  recordSessionEvent(ctx, sessionId, 'learn.boundary.marked')
}

export function addProposal(ctx: CommandContext, sessionId: string, changes: Partial<StoredProposal> = {}): string {
  const proposal_id = randomUUID()
  insertProposal(ctx.tx, {
    proposal_id,
    learn_session_id: sessionId,
    owner_user_id: 'local',
    source_trace_ids: [randomUUID()],
    title: 'Reply to a message',
    proposed_skill_slug: 'reply-to-a-message',
    trigger_phrases: ['reply'],
    negative_triggers: [],
    draft_skill_path: `learning/proposals/${proposal_id}/draft/SKILL.md`,
    draft_manifest_path: `learning/proposals/${proposal_id}/draft/manifest.json`,
    proposal_state: 'draft',
    install_lane: 'pending',
    support_pack_refs: [],
    created_at: ctx.now,
    updated_at: ctx.now,
    revision: 1,
    schema_version: 1,
    ...changes,
  })
  upsertDraftFile(ctx.tx, proposal_id, { name: 'SKILL.md', content: '# Reply\n' })
  upsertDraftFile(ctx.tx, proposal_id, { name: 'manifest.json', content: '{}' })
  recordSessionEvent(ctx, sessionId, 'learn.proposal.created', { payload: { proposal_id } })
  return proposal_id
}

export function addReceipt(ctx: CommandContext, sessionId?: string): void {
  recordReceipt(ctx, 'learn.session.started', {
    summary: 'Session created.',
    ...(sessionId === undefined ? {} : { learn_session_id: sessionId }),
  })
  recordEvent(ctx, 'receipts', 'learn.session.changed')
}

/** Moves the oldest live receipts to the file of a month. */
export function rollReceipts(ctx: CommandContext, month: string, count: number): void {
  sql(
    ctx.tx,
    `UPDATE receipts SET archive_month = ? WHERE position IN
       (SELECT position FROM receipts WHERE archive_month IS NULL ORDER BY position LIMIT ?)`,
  ).run(month, count)
  recordEvent(ctx, 'receipts', 'learn.receipts.rolled')
}

export function assignCategory(ctx: CommandContext, op: 'add' | 'remove', item = 'item-1'): void {
  appendAssignmentLog(ctx.tx, {
    op,
    category_id: randomUUID(),
    item_kind: 'skill',
    item_id: item,
    at: ctx.now,
  })
  recordEvent(ctx, 'category/x', 'category.changed')
}

/** Adds rows to every table that has a projection. */
export function fillAll(ctx: CommandContext): {
  session: string
  archived: string
  proposal: string
} {
  const session = addSession(ctx)
  const archived = addSession(ctx, { archived_at: ctx.now })
  for (let n = 0; n < 3; n += 1) addObservation(ctx, session)
  markBoundary(ctx, session)
  const proposal = addProposal(ctx, session)
  addProposal(ctx, archived, { archived_at: ctx.now })
  fillLearning(ctx, session, proposal)
  addTestedDraft(ctx, session, proposal)
  fillCheckpoints(ctx)
  for (let n = 0; n < 4; n += 1) addReceipt(ctx, session)
  rollReceipts(ctx, '2025-11', 2)
  fillRest(ctx)
  addConnector(ctx)
  return { session, archived, proposal }
}

function fillLearning(ctx: CommandContext, session: string, proposal: string): void {
  const at = { created_at: ctx.now, schema_version: 1 as const }
  const question_id = randomUUID()
  upsertInterpretation(ctx.tx, {
    interpretation_id: randomUUID(),
    learn_session_id: session,
    title: 'Reply',
    goal_summary: 'A reply is sent.',
    use_conditions: [],
    non_use_conditions: [],
    success_conditions: [],
    project_scope: 'global',
    preferred_control_surfaces: [],
    checkpoints: [],
    user_confirmed: false,
    ...at,
  })
  appendQuestion(ctx.tx, {
    question_id,
    proposal_id: proposal,
    field: 'name',
    prompt: 'What is it called?',
    required: true,
    ...at,
  })
  appendAnswer(ctx.tx, { question_id, proposal_id: proposal, answer: 'Reply', ...at })
  const policy = {
    policy_id: randomUUID(),
    mode: 'dry_run_only' as const,
    safe_targets: [],
    forbid_destructive_writes: true,
    forbid_external_send: true,
    allowed_domains: [],
    max_actions: 40,
    cleanup_required: false,
    schema_version: 1 as const,
  }
  upsertTestPolicy(ctx.tx, { learn_session_id: session, policy }, ctx.now)
  const trace_id = randomUUID()
  const body = JSON.stringify({ trace_id, steps: [], schema_version: 1 })
  appendTrace(ctx.tx, {
    trace_id,
    owner_user_id: 'local',
    body,
    created_at: ctx.now,
  })
  recordSessionEvent(ctx, session, 'learn.session.changed')
}

function fillCheckpoints(ctx: CommandContext): void {
  const receipt = { checkpoint_receipt_id: randomUUID(), created_at: ctx.now }
  appendCheckpointReceipt(ctx.tx, 'local', {
    ...receipt,
    checkpoint_id: 'sent',
    status: 'skipped',
    evidence: '',
    unknown_checkpoint: false,
    schema_version: 1,
  })
  sql(ctx.tx, "INSERT OR REPLACE INTO checkpoint_aggregates VALUES ('a:1', 'sent', 1, 2, 3, 'then', 'now')").run()
  const entry = { ...receipt, summary: 'The checkpoint was not reached.' }
  appendOutboxEntry(ctx.tx, {
    ...entry,
    outbox_id: randomUUID(),
    target: 'doc8',
    kind: 'friction.checkpoint_skipped',
  })
  appendOutboxEntry(ctx.tx, {
    ...entry,
    outbox_id: randomUUID(),
    target: 'doc9',
    kind: 'repair.checkpoint_failed',
  })
  recordEvent(ctx, 'checkpoints', 'learn.checkpoints.compacted')
}

export function addAbility(ctx: CommandContext, id = 'learned.reply'): void {
  registerAbility(ctx, {
    ability_id: id,
    owner_user_id: 'local',
    title: 'Reply «to» a message',
    family: 'messages',
    source: 'learned',
    install_lane: 'experimental_private',
    current_version: 1,
    trigger_phrases: ['reply', 'answer a message'],
  })
  refreshAvailability(ctx, 'test', { ability_ids: [id] })
}

function fillRest(ctx: CommandContext): void {
  addAbility(ctx)
  addInstallation(ctx)
  addImport(ctx)
  addMining(ctx)
  recordEvent(ctx, 'phone/1', 'error', { code: 'X' })
  insertStoredReply(ctx.tx, {
    user_id: 'local',
    route: 'POST /api/categories',
    request_id: `body:${randomUUID()}`,
    body_sha256: '00',
    status: 201,
    reply: '{"secret answer":true}',
    created_at: ctx.now,
    expires_at: '2026-03-02T12:00:00.000Z',
  })
  recordEvent(ctx, 'idempotency', 'learn.idempotency.changed')
  upsertAdapter(ctx.tx, {
    adapter_id: 'chrome:1',
    kind: 'browser_dom',
    enabled: true,
    healthy: true,
    last_seen_at: ctx.now,
  })
  recordEvent(ctx, 'adapter/chrome:1', 'learn.adapters.changed')
  const category_id = randomUUID()
  insertCategory(ctx.tx, {
    category_id,
    owner_user_id: 'local',
    title: 'Mail',
    title_folded: category_id,
    color: '#6366F1',
    created_at: ctx.now,
    updated_at: ctx.now,
    schema_version: 1,
  })
  assignCategory(ctx, 'add')
  assignCategory(ctx, 'remove')
  for (const name of ['gmail.send', '_user_preferences/local', '_support_packs/gmail.send']) {
    configureDocument(ctx, name)
  }
}

export function configureDocument(ctx: CommandContext, name: string): void {
  upsertConfigDocument(ctx.tx, { name, body: { theme: 'dark' }, updated_at: ctx.now })
  appendIntent(ctx.tx, {
    intent_id: randomUUID(),
    owner_user_id: 'local',
    target: 'skill_config',
    payload: { theme: 'dark' },
    requested_by: 'ui',
    correlation_id: 'test',
    created_at: ctx.now,
    status: 'applied',
    receipt_id: randomUUID(),
  })
  recordEvent(ctx, `config/${name}`, 'config.intent.applied')
}
