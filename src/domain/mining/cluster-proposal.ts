import type { Ambiguity, MiningMode, SkillMiningSettings } from '@apprentice/contracts/learn/mining.ts'
import type { QuestionField } from '@apprentice/contracts/learn/proposal.ts'
import type { Reader } from '../../store/db/db.ts'
import { findExecutionSteps } from '../../store/devices/execution-steps.ts'
import { findExecution } from '../../store/devices/executions.ts'
import type { StoredSession } from '../../store/sessions/learn-sessions.ts'
import { type ClusterRow, findCluster, updateCluster } from '../../store/mining/trace-clusters.ts'
import { type CommandContext, asSystem } from '../command/context.ts'
import { armSession, draftSession } from '../sessions/create-session.ts'
import { fillFromPastExecutions, saveAsTraces, type PastExecution } from '../capture/past-executions.ts'
import type { Compile, SkillDraft } from '../proposals/draft/skill-draft.ts'
import { generateProposal } from '../review/generate-proposal.ts'
import { MINER_USER_ID } from '../sessions/session-access.ts'
import { recordEvent, recordReceipt } from '../command/ledger.ts'
import { isReadyToBuild } from './cluster-view.ts'
import { DraftRejected, findDraftProblem } from './draft-check.ts'

/** Each further execution makes the comparison slower and adds little. */
const MAX_EXECUTIONS = 5

/** The latest successful executions of a cluster whose recorded steps still exist. */
export function findExecutionsToLearnFrom(reader: Reader, cluster: ClusterRow): PastExecution[] {
  const executions: PastExecution[] = []
  for (const id of cluster.view.successful_trace_ids.toReversed()) {
    const execution = findExecution(reader, id)
    const kept = findExecutionSteps(reader, id)
    if (execution === undefined || kept === undefined) continue
    executions.unshift({ execution, evidence: kept, goal: execution.goal ?? '' })
    if (executions.length === MAX_EXECUTIONS) break
  }
  return executions
}

export interface ClusterEvidence {
  readonly settings: SkillMiningSettings
  readonly executions: readonly PastExecution[]
  /** Whether a screen of them is kept. A draft needs at least one. */
  readonly has_screens: boolean
  readonly compile: Compile
  readonly salt: string
}

export type BuildResult =
  | { readonly proposal_id: string }
  | { readonly reason: string }
  /** It was built in the meantime, or it no longer passes the gates. */
  | undefined

/**
 * Drafts a proposal from a cluster. The daemon acts for the owner of the executions. Throws `DraftRejected` if the draft
 * must not be offered.
 */
export function buildProposal(given: CommandContext, clusterId: string, source: ClusterEvidence): BuildResult {
  const ready = findReadyCluster(given, clusterId)
  if (ready === undefined) return undefined
  const { ctx, cluster } = ready
  const { settings, executions, has_screens, compile, salt } = source
  if (!has_screens) return saveBuildFailure(ctx, cluster, 'no_screens_kept')
  saveAsTraces(ctx, executions)
  const device_serial = executions.at(-1)?.execution.serial
  const armed = openSession(ctx, cluster, { settings, salt, device_serial })
  const session = fillFromPastExecutions(ctx, armed, { executions, goal: chooseGoal(cluster) })
  return offerDraft(ctx, { cluster, session, settings, compile, findProblem: findDraftProblem })
}

/** The cluster, and the context in which the daemon acts for its owner. Undefined if it must not be built now. */
export function findReadyCluster(
  given: CommandContext,
  clusterId: string,
): { readonly ctx: CommandContext; readonly cluster: ClusterRow } | undefined {
  const cluster = findCluster(given.tx, clusterId)
  if (cluster === undefined || !isReadyToBuild(cluster)) return undefined
  const kind = given.actor.kind === 'nightly' ? 'nightly' : 'system'
  return { ctx: asSystem(given, cluster.owner_user_id, kind), cluster }
}

export const chooseGoal = ({ view, normalized_goal }: ClusterRow): string => view.suggested_name ?? normalized_goal

interface MinedDraft {
  readonly cluster: ClusterRow
  /** Filled with what was done. */
  readonly session: StoredSession
  readonly settings: SkillMiningSettings
  readonly compile: Compile
  readonly findProblem: (draft: SkillDraft, now: string) => string | undefined
}

/** Drafts the proposal of a cluster. Throws `DraftRejected` if the draft must not be offered. */
export function offerDraft(
  ctx: CommandContext,
  { cluster, session, settings, compile, findProblem }: MinedDraft,
): BuildResult {
  const { cluster_id, view } = cluster
  const { learn_session_id } = session
  const questions = selectQuestions(cluster, settings)
  const linked: ClusterRow = {
    ...cluster,
    learn_session_id,
    questions,
    require_tests: settings.require_tests_before_proposal,
    updated_at: ctx.now,
  }
  updateCluster(ctx.tx, linked)
  let problem: string | undefined
  const outcome = generateProposal(ctx, learn_session_id, (draftSource) => {
    const draft = compile(draftSource)
    problem = findProblem(draft, ctx.now)
    if (problem !== undefined) throw new DraftRejected(problem)
    return draft
  })
  if (outcome.failed) throw new DraftRejected(problem ?? 'draft_failed')
  const { proposal_id } = outcome
  updateCluster(ctx.tx, { ...linked, proposal_id, build_error: undefined, failed_at_traces: undefined })
  recordEvent(ctx, `mining/${cluster_id}`, 'learn.mining.cluster_changed', { cluster_id, proposal_id })
  recordReceipt(ctx, 'learn.mining.cluster_built', {
    learn_session_id,
    proposal_id,
    summary: `Drafted a proposal from ${view.successful_trace_ids.length} successful executions.`,
    details: { cluster_id, questions, mode: settings.mode },
  })
  return { proposal_id }
}

/** Records why a cluster could not be built. The scan continues with the others. */
export function recordBuildFailure(given: CommandContext, clusterId: string, reason: string): BuildResult {
  const cluster = findCluster(given.tx, clusterId)
  return cluster && saveBuildFailure(asSystem(given, cluster.owner_user_id), cluster, reason.slice(0, 240))
}

export function saveBuildFailure(ctx: CommandContext, cluster: ClusterRow, reason: string): BuildResult {
  const { cluster_id, view } = cluster
  updateCluster(ctx.tx, {
    ...cluster,
    build_error: reason,
    failed_at_traces: view.successful_trace_ids.length,
    updated_at: ctx.now,
  })
  recordEvent(ctx, `mining/${cluster_id}`, 'learn.mining.cluster_changed', {
    cluster_id,
    build_error: reason,
  })
  recordReceipt(ctx, 'learn.mining.cluster_built', {
    status: 'failed',
    summary:
      'No proposal could be drafted from a repeated workflow. It is tried again after more successful executions.',
    reason,
    details: { cluster_id },
  })
  return { reason }
}

const BUILD_POLICIES: Readonly<Record<MiningMode, StoredSession['build_policy']>> = {
  off: 'build_then_review',
  ask_before_build: 'ask_before_build',
  build_then_review: 'build_then_review',
  auto_install_private: 'private_auto_install',
}

interface MinedSession {
  readonly settings: SkillMiningSettings
  readonly salt: string
  readonly device_serial?: string | undefined
}

export function openSession(
  ctx: CommandContext,
  { view, app_family, owner_user_id }: ClusterRow,
  { settings, salt, device_serial }: MinedSession,
): StoredSession {
  // An ambiguous cluster needs a review by a person.
  const isAmbiguous = view.ambiguities.length > 0
  const mode = settings.mode === 'auto_install_private' && isAmbiguous ? 'build_then_review' : settings.mode
  const drafted = draftSession(
    ctx,
    {
      entry_mode: 'autonomous_agent_practice',
      observation_mode: 'none',
      build_policy: BUILD_POLICIES[mode],
      allow_private_install: mode === 'auto_install_private',
      target_app_family: app_family,
      project_id: view.project_id,
      device_serial,
    },
    salt,
  )
  return armSession(ctx, { ...drafted, owner_user_id: MINER_USER_ID, reviewer_user_id: owner_user_id })
}

const QUESTION_FIELDS: readonly QuestionField[] = [
  'name',
  'use_conditions',
  'non_use_conditions',
  'project_scope',
  'approval_mode',
]

const FIELDS_BY_AMBIGUITY: Readonly<Record<Ambiguity, readonly QuestionField[]>> = {
  unclear_specificity: ['project_scope'],
  two_names: ['name'],
  overlaps_ability: ['use_conditions', 'non_use_conditions'],
  variation_near_limit: ['use_conditions', 'approval_mode'],
}

/** All fields in mode `ask_before_build`; otherwise the fields of the ambiguities, if the settings ask for feedback. */
export function selectQuestions(
  { view }: Pick<ClusterRow, 'view'>,
  settings: Pick<SkillMiningSettings, 'mode' | 'require_user_feedback_before_build_when_ambiguous'>,
): QuestionField[] {
  if (settings.mode === 'ask_before_build') return [...QUESTION_FIELDS]
  if (!settings.require_user_feedback_before_build_when_ambiguous) return []
  const ambiguous = new Set(view.ambiguities.flatMap((ambiguity) => FIELDS_BY_AMBIGUITY[ambiguity]))
  return QUESTION_FIELDS.filter((field) => ambiguous.has(field))
}
