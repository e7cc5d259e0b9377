import { z } from 'zod'
import { DateTime, SchemaVersion, Uuid } from './fields.ts'

/** How a timeline groups its entries. */
export const TimelineKind = z.enum([
  'lifecycle',
  'state_change',
  'boundary',
  'checkpoint',
  'receipt',
  'error',
])
export type TimelineKind = z.infer<typeof TimelineKind>

interface EventFacts {
  readonly timeline: TimelineKind
  readonly label: string
  /** Delivered events carry a per-session id and go out over SSE; the rest only mark that something changed. */
  readonly delivered: boolean
}

/** Every event kind there is. Past tense, dotted, never renamed. */
export const eventKinds = {
  'learn.session.started': delivered('lifecycle', 'Session created'),
  'learn.session.state_changed': delivered('state_change', 'State changed'),
  'learn.session.cancelled': delivered('lifecycle', 'Session cancelled'),
  'learn.capture.started': delivered('lifecycle', 'Capture started'),
  'learn.capture.paused': delivered('lifecycle', 'Capture paused'),
  'learn.capture.stopped': delivered('lifecycle', 'Capture stopped'),
  'learn.capture.first_event': delivered('lifecycle', 'First action seen'),
  'learn.proposal.created': delivered('lifecycle', 'Proposal drafted'),
  'learn.proposal.questions_requested': delivered('lifecycle', 'Questions asked'),
  'learn.practice.started': delivered('lifecycle', 'Practice started'),
  'learn.practice.progressed': delivered('lifecycle', 'Practice went on'),
  'learn.practice.ended': delivered('lifecycle', 'Practice ended'),
  'learn.validation.started': delivered('lifecycle', 'Tests started'),
  'learn.validation.step_finished': delivered('lifecycle', 'Test finished'),
  'learn.validation.completed': delivered('lifecycle', 'Tests ended'),
  'checkpoint.reached': delivered('checkpoint', 'Checkpoint reached'),
  'checkpoint.skipped': delivered('checkpoint', 'Checkpoint skipped'),
  'checkpoint.failed': delivered('checkpoint', 'Checkpoint failed'),
  error: delivered('error', 'Something went wrong'),
  'learn.boundary.marked': silent('boundary', 'Boundary marked'),
  'learn.observation.changed': silent('lifecycle', 'Observations changed'),
  'learn.session.changed': silent('lifecycle', 'Session details changed'),
  'learn.session.deleted': silent('lifecycle', 'Session deleted'),
  'learn.session.archived': silent('lifecycle', 'Session archived'),
  'learn.proposal.changed': silent('lifecycle', 'Proposal changed'),
  'learn.proposal.archived': silent('lifecycle', 'Proposal archived'),
  'learn.adapters.changed': silent('lifecycle', 'Adapter health changed'),
  'learn.receipts.rolled': silent('receipt', 'Old receipts archived'),
  'learn.checkpoints.compacted': silent('receipt', 'Checkpoint receipts compacted'),
  'learn.idempotency.changed': silent('lifecycle', 'Remembered replies changed'),
  'learn.mining.settings_changed': silent('lifecycle', 'Mining settings changed'),
  'learn.mining.scanned': silent('lifecycle', 'Past runs looked through'),
  'learn.mining.cluster_changed': silent('lifecycle', 'Repeated workflow changed'),
  'learn.mining.failed': silent('error', 'Past runs could not be looked through'),
  'execution.evidence.changed': silent('lifecycle', 'Kept screens of executions changed'),
  'device.state_changed': silent('lifecycle', 'Device seen or lost'),
  'device.facts_read': silent('lifecycle', 'Device facts read'),
  'device.labelled': silent('lifecycle', 'Device named'),
  'device.leased': silent('lifecycle', 'Device taken'),
  'device.released': silent('lifecycle', 'Device given back'),
  'recording.started': silent('lifecycle', 'Recording started'),
  'recording.grew': silent('lifecycle', 'Something was recorded'),
  'recording.ended': silent('lifecycle', 'Recording ended'),
  'learn.install.started': delivered('lifecycle', 'Installation started'),
  'learn.install.progressed': silent('lifecycle', 'Installation went a step further'),
  'learn.install.completed': delivered('lifecycle', 'Installed'),
  'learn.install.failed': delivered('lifecycle', 'Installation failed'),
  'bridge.rebuild.started': silent('lifecycle', 'Bridge is being built'),
  'bridge.rebuild.completed': silent('lifecycle', 'Bridge built'),
  'bridge.rebuild.failed': silent('error', 'Bridge could not be built'),
  'capability.health.changed': silent('lifecycle', 'Health of a capability changed'),
  'capability.quarantined': silent('lifecycle', 'Capability quarantined'),
  'capability.manifest.created': silent('lifecycle', 'Capability installed'),
  'capability.manifest.updated': silent('lifecycle', 'Capability installed anew'),
  'capability.manifest.deleted': silent('lifecycle', 'Capability removed'),
  'capability.reprobe.started': silent('lifecycle', 'Capability is being probed'),
  'capability.reprobe.succeeded': silent('lifecycle', 'Capability probed: it answers'),
  'capability.reprobe.failed': silent('lifecycle', 'Capability probed in vain'),
  'capability.used': silent('receipt', 'Capability used'),
  'ability.files.edited': silent('error', 'Files of a skill were edited by hand'),
  'ability.run.started': delivered('lifecycle', 'Run of an ability begun'),
  'ability.run.settled': delivered('lifecycle', 'Run of an ability ended'),
  'execution.queued': delivered('lifecycle', 'Execution queued'),
  'execution.started': delivered('lifecycle', 'Execution started'),
  'execution.step_started': delivered('lifecycle', 'Step started'),
  'execution.step_finished': delivered('lifecycle', 'Step finished'),
  'execution.settled': delivered('lifecycle', 'Execution settled'),
  'execution.checked': delivered('lifecycle', 'Outcome looked at'),
  'execution.diagnostics_read': delivered('lifecycle', 'Log read'),
  'skill.run.queued': delivered('lifecycle', 'Run of a skill queued'),
  'skill.run.started': delivered('lifecycle', 'Run of a skill begun'),
  'skill.run.printed': delivered('lifecycle', 'Script printed'),
  'skill.run.called': delivered('lifecycle', 'Script used a device'),
  'skill.run.settled': delivered('lifecycle', 'Run of a skill ended'),
  'ability.snapshot.updated': delivered('lifecycle', 'Abilities looked over'),
  'ability.route.enabled': delivered('lifecycle', 'Ability switched on'),
  'ability.route.disabled': delivered('lifecycle', 'Ability switched off'),
  'ability.quarantined': delivered('lifecycle', 'Ability quarantined'),
  'ability.unquarantined': delivered('lifecycle', 'Ability back from quarantine'),
  'ability.promoted': delivered('lifecycle', 'Ability shared'),
  'ability.registered': silent('lifecycle', 'Ability put on record'),
  'ability.changed': silent('lifecycle', 'Ability changed'),
  'ability.removed': silent('lifecycle', 'Ability removed'),
  'ability.refresh.requested': silent('lifecycle', 'Abilities are to be looked over'),
  'skill.import.state_changed': delivered('state_change', 'Import moved on'),
  'skill.import.progressed': delivered('lifecycle', 'Import went on'),
  'skill.imported': delivered('lifecycle', 'Skill imported'),
  'category.changed': silent('lifecycle', 'Categories changed'),
  'category.assignments.compacted': silent('lifecycle', 'Category assignments compacted'),
  'skill.created': silent('lifecycle', 'Skill folder made'),
  'skill.indexes.written': silent('lifecycle', 'Skill indexes written'),
  'skill.registry.changed': silent('lifecycle', 'Skill registry changed'),
  'config.intent.applied': silent('lifecycle', 'Configuration changed'),
  'config.intent.rejected': silent('error', 'Configuration refused'),
} as const satisfies Record<string, EventFacts>

export type EventKind = keyof typeof eventKinds

/** The data of one SSE frame of a session's stream. */
export const LearnSessionEvent = z
  .object({
    event_kind: z.string().max(80),
    session_id: Uuid,
    payload: z.record(z.string(), z.unknown()),
    timestamp: DateTime,
    checkpoint_id: z.string().optional(),
    evidence: z.string().optional(),
    proposal_id: z.string().optional(),
    schema_version: SchemaVersion,
  })
  .meta({ id: 'LearnSessionEvent' })
export type LearnSessionEvent = z.infer<typeof LearnSessionEvent>

function delivered(timeline: TimelineKind, label: string): EventFacts {
  return { timeline, label, delivered: true }
}

function silent(timeline: TimelineKind, label: string): EventFacts {
  return { timeline, label, delivered: false }
}
