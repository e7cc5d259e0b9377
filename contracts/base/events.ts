import { z } from 'zod'
import { DateTime, SchemaVersion, Uuid } from './fields.ts'

/** How a timeline groups its entries. */
export const TimelineKind = z.enum(['lifecycle', 'state_change', 'boundary', 'checkpoint', 'receipt', 'error'])
export type TimelineKind = z.infer<typeof TimelineKind>

interface EventFacts {
  readonly timeline: TimelineKind
  readonly label: string
  /** Delivered events have an id per subject and are sent over SSE. The others only record that something changed. */
  readonly delivered: boolean
  /** Every user may see it, because every user may see what it is about. */
  readonly for_everyone?: true
}

/** All event kinds. They are in the past tense and never renamed. */
export const EVENT_KINDS = {
  'learn.session.started': delivered('lifecycle', 'Session created'),
  'learn.session.state_changed': delivered('state_change', 'State changed'),
  'learn.session.cancelled': delivered('lifecycle', 'Session cancelled'),
  'learn.capture.started': delivered('lifecycle', 'Capture started'),
  'learn.capture.paused': delivered('lifecycle', 'Capture paused'),
  'learn.capture.stopped': delivered('lifecycle', 'Capture stopped'),
  'learn.capture.first_event': delivered('lifecycle', 'First action captured'),
  'learn.proposal.created': delivered('lifecycle', 'Proposal drafted'),
  'learn.proposal.questions_requested': delivered('lifecycle', 'Questions asked'),
  'learn.practice.started': delivered('lifecycle', 'Practice started'),
  'learn.practice.progressed': delivered('lifecycle', 'Practice progressed'),
  'learn.practice.ended': delivered('lifecycle', 'Practice ended'),
  'learn.validation.started': delivered('lifecycle', 'Tests started'),
  'learn.validation.step_finished': delivered('lifecycle', 'Test finished'),
  'learn.validation.completed': delivered('lifecycle', 'Tests completed'),
  'checkpoint.reached': delivered('checkpoint', 'Checkpoint reached'),
  'checkpoint.skipped': delivered('checkpoint', 'Checkpoint skipped'),
  'checkpoint.failed': delivered('checkpoint', 'Checkpoint failed'),
  error: delivered('error', 'Error'),
  'learn.boundary.marked': delivered('boundary', 'Boundary marked'),
  'learn.element.marked': silent('boundary', 'Element marked'),
  'learn.observation.changed': silent('lifecycle', 'Observations changed'),
  'learn.session.changed': silent('lifecycle', 'Session details changed'),
  'learn.session.deleted': silent('lifecycle', 'Session deleted'),
  'learn.session.archived': silent('lifecycle', 'Session archived'),
  'learn.proposal.changed': silent('lifecycle', 'Proposal changed'),
  'learn.proposal.archived': silent('lifecycle', 'Proposal archived'),
  'learn.adapters.changed': silent('lifecycle', 'Adapter health changed'),
  'learn.receipts.rolled': silent('receipt', 'Old receipts archived'),
  'learn.checkpoints.compacted': silent('receipt', 'Checkpoint receipts compacted'),
  'learn.idempotency.changed': silent('lifecycle', 'Idempotency records changed'),
  'learn.mining.settings_changed': silent('lifecycle', 'Mining settings changed'),
  'learn.mining.scanned': silent('lifecycle', 'Past runs scanned'),
  'learn.mining.cluster_changed': silent('lifecycle', 'Repeated workflow changed'),
  'learn.mining.failed': silent('error', 'Scan of past runs failed'),
  'execution.evidence.changed': silent('lifecycle', 'Execution evidence changed'),
  'device.state_changed': shared('lifecycle', 'Device state changed'),
  'device.facts_read': shared('lifecycle', 'Device facts read'),
  'device.labelled': shared('lifecycle', 'Device labelled'),
  'device.prepared': shared('lifecycle', 'Device prepared'),
  'device.unprepared': shared('lifecycle', 'Device restored'),
  'device.leased': shared('lifecycle', 'Device leased'),
  'device.released': shared('lifecycle', 'Device released'),
  'recording.started': silent('lifecycle', 'Recording started'),
  'recording.grew': silent('lifecycle', 'Events recorded'),
  'recording.ended': silent('lifecycle', 'Recording ended'),
  'learn.cleanup.changed': delivered('lifecycle', 'Clean-up of a rehearsal changed'),
  'learn.follow_up.changed': silent('lifecycle', 'Follow-up changed'),
  'learn.install.started': delivered('lifecycle', 'Installation started'),
  'learn.install.progressed': silent('lifecycle', 'Installation progressed'),
  'learn.install.completed': delivered('lifecycle', 'Installed'),
  'learn.install.failed': delivered('lifecycle', 'Installation failed'),
  'bridge.rebuild.started': delivered('lifecycle', 'Bridge rebuild started'),
  'bridge.rebuild.completed': delivered('lifecycle', 'Bridge rebuilt'),
  'bridge.rebuild.failed': delivered('error', 'Bridge rebuild failed'),
  'capability.health.changed': silent('lifecycle', 'Capability health changed'),
  'capability.quarantined': silent('lifecycle', 'Capability quarantined'),
  'capability.manifest.created': silent('lifecycle', 'Capability installed'),
  'capability.manifest.updated': silent('lifecycle', 'Capability updated'),
  'capability.manifest.deleted': silent('lifecycle', 'Capability removed'),
  'capability.reprobe.started': silent('lifecycle', 'Capability probe started'),
  'capability.reprobe.succeeded': silent('lifecycle', 'Capability probe succeeded'),
  'capability.reprobe.failed': silent('lifecycle', 'Capability probe failed'),
  'capability.used': silent('receipt', 'Capability used'),
  'ability.files.edited': silent('error', 'Skill files were edited manually'),
  'ability.run.started': delivered('lifecycle', 'Ability run started'),
  'ability.run.settled': delivered('lifecycle', 'Ability run ended'),
  'ability.run.execution_queued': delivered('lifecycle', 'Execution of a run queued'),
  'ability.run.step_started': delivered('lifecycle', 'Step of a run started'),
  'ability.run.step_finished': delivered('lifecycle', 'Step of a run finished'),
  'ability.run.item_settled': delivered('lifecycle', 'Item of a run ended'),
  'execution.queued': delivered('lifecycle', 'Execution queued'),
  'execution.started': delivered('lifecycle', 'Execution started'),
  'execution.step_started': delivered('lifecycle', 'Step started'),
  'execution.step_finished': delivered('lifecycle', 'Step finished'),
  'execution.settled': delivered('lifecycle', 'Execution settled'),
  'execution.checked': delivered('lifecycle', 'Outcome checked'),
  'execution.diagnostics_read': delivered('lifecycle', 'Log read'),
  'skill.run.queued': delivered('lifecycle', 'Skill run queued'),
  'skill.run.started': delivered('lifecycle', 'Skill run started'),
  'skill.run.printed': delivered('lifecycle', 'Script output'),
  'skill.run.called': delivered('lifecycle', 'Script called the device'),
  'skill.run.settled': delivered('lifecycle', 'Skill run ended'),
  'scene.run.queued': delivered('lifecycle', 'Scene run queued'),
  'scene.run.started': delivered('lifecycle', 'Scene run started'),
  'scene.run.progressed': delivered('lifecycle', 'Scene run progressed'),
  'scene.run.settled': delivered('lifecycle', 'Scene run ended'),
  'scene.reports.expired': silent('lifecycle', 'Reports of a scene deleted'),
  'scene.profile.changed': silent('lifecycle', 'Sign-in of a scene changed'),
  'ability.snapshot.updated': delivered('lifecycle', 'Ability snapshot updated'),
  'ability.route.enabled': delivered('lifecycle', 'Ability enabled'),
  'ability.route.disabled': delivered('lifecycle', 'Ability disabled'),
  'ability.quarantined': delivered('lifecycle', 'Ability quarantined'),
  'ability.unquarantined': delivered('lifecycle', 'Ability removed from quarantine'),
  'ability.promoted': delivered('lifecycle', 'Ability shared'),
  'ability.risk_accepted': delivered('lifecycle', 'Ability used without a rehearsal'),
  'ability.lane.settings_changed': silent('lifecycle', 'Lane settings changed'),
  'ability.registered': silent('lifecycle', 'Ability registered'),
  'ability.changed': silent('lifecycle', 'Ability changed'),
  'ability.removed': silent('lifecycle', 'Ability removed'),
  'ability.refresh.requested': silent('lifecycle', 'Ability refresh requested'),
  'skill.import.state_changed': delivered('state_change', 'Import state changed'),
  'skill.import.progressed': delivered('lifecycle', 'Import progressed'),
  'skill.imported': delivered('lifecycle', 'Skill imported'),
  'category.changed': silent('lifecycle', 'Categories changed'),
  'category.assignments.compacted': silent('lifecycle', 'Category assignments compacted'),
  'skill.pack.changed': silent('lifecycle', 'Skill pack changed'),
  'skill.created': silent('lifecycle', 'Skill folder created'),
  'skill.indexes.written': shared('lifecycle', 'Skill indexes written'),
  'skill.registry.changed': shared('lifecycle', 'Skill registry changed'),
  'project.binding.changed': shared('lifecycle', 'Where the documents of a project are changed'),
  'scene.generation.queued': delivered('lifecycle', 'Scene generation queued'),
  'scene.generation.progressed': delivered('lifecycle', 'Scene generation progressed'),
  'scene.generation.settled': delivered('lifecycle', 'Scene generation ended'),
  'mcp.server.changed': shared('lifecycle', 'Connector server changed'),
  'mcp.auth_profile.changed': silent('lifecycle', 'Sign-in profile changed'),
  'mcp.sign_in.changed': silent('lifecycle', 'Sign-in changed'),
  'mcp.challenge.changed': silent('lifecycle', 'Sign-in challenge changed'),
  'mcp.approval.changed': shared('lifecycle', 'Approval of a connector call changed'),
  'mcp.dispatch.changed': silent('lifecycle', 'Connector call changed'),
  'mcp.content.changed': silent('lifecycle', 'Content of a connector changed'),
  'mcp.secret.changed': silent('lifecycle', 'Secret of the vault changed'),
  'mcp.health.changed': shared('lifecycle', 'Connector health changed'),
  'mcp.policy.changed': shared('lifecycle', 'Connector policy changed'),
  'mcp.receipt.created': shared('receipt', 'Connector receipt created'),
  'document.changed': silent('lifecycle', 'Document changed'),
  'policy.profile.changed': silent('lifecycle', 'Policy profile changed'),
  'policy.profile.removed': silent('lifecycle', 'Policy profile removed'),
  'policy.assignment.changed': silent('lifecycle', 'Policy profile assigned'),
  'config.intent.applied': silent('lifecycle', 'Configuration changed'),
  'config.intent.rejected': silent('error', 'Configuration change rejected'),
} as const satisfies Record<string, EventFacts>

export type EventKind = keyof typeof EVENT_KINDS

/** What the data of every SSE frame of a subject's stream contains. */
const eventFields = {
  event_kind: z.string().max(80),
  payload: z.record(z.string(), z.unknown()),
  timestamp: DateTime,
  schema_version: SchemaVersion,
}

/** The data of one SSE frame of an execution's stream. */
export const ExecutionEvent = z.object({ ...eventFields, execution_id: Uuid }).meta({ id: 'ExecutionEvent' })
/** The data of one SSE frame of the stream of an ability run or a skill run. */
export const RunEvent = z.object({ ...eventFields, run_id: Uuid }).meta({ id: 'RunEvent' })
/** The data of one SSE frame of an import's stream. */
export const ImportEvent = z.object({ ...eventFields, import_id: Uuid }).meta({ id: 'ImportEvent' })

/** The data of one SSE frame of the stream of a scene generation. */
export const SceneGenerationEvent = z
  .object({ ...eventFields, generation_id: Uuid })
  .meta({ id: 'SceneGenerationEvent' })

/** The data of one SSE frame of a session's stream. */
export const LearnSessionEvent = z
  .object({
    ...eventFields,
    session_id: Uuid,
    checkpoint_id: z.string().optional(),
    evidence: z.string().optional(),
    proposal_id: z.string().optional(),
  })
  .meta({ id: 'LearnSessionEvent' })
export type LearnSessionEvent = z.infer<typeof LearnSessionEvent>

function delivered(timeline: TimelineKind, label: string): EventFacts {
  return { timeline, label, delivered: true }
}

function shared(timeline: TimelineKind, label: string): EventFacts {
  return { timeline, label, delivered: false, for_everyone: true }
}

function silent(timeline: TimelineKind, label: string): EventFacts {
  return { timeline, label, delivered: false }
}
