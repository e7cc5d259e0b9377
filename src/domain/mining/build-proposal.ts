import type {
  Ambiguity,
  MiningMode,
  SkillMiningSettings,
} from '@apprentice/contracts/learn/mining.ts'
import type { QuestionField } from '@apprentice/contracts/learn/proposal.ts'
import type { Reader } from '../../store/db/db.ts'
import { findExecutionSteps } from '../../store/devices/execution-steps.ts'
import { findExecution } from '../../store/devices/executions.ts'
import type { StoredSession } from '../../store/sessions/learn-sessions.ts'
import { type ClusterRow, findCluster, updateCluster } from '../../store/mining/trace-clusters.ts'
import { type CommandContext, asSystem } from '../command/context.ts'
import type { EvidencedRun } from '../../knowledge/interpret/read/evidence.ts'
import { armSession, draftSession } from '../sessions/create-session.ts'
import { cancelSession } from '../learn/end-session.ts'
import { fillWithRuns, keepAsTraces, type PastRun } from '../capture/past-runs.ts'
import { compileWith, generateProposal } from '../review/proposals.ts'
import { minerUser } from '../sessions/session-access.ts'
import { recordEvent, recordReceipt } from '../command/ledger.ts'
import { isToBeBuilt } from './judge-cluster.ts'

/** More demonstrations of the same say nothing new, and each takes time to compare. */
const mostRuns = 5

/** The latest runs of a cluster that went well and whose screens are still kept. */
export function runsToLearnFrom(reader: Reader, cluster: ClusterRow): PastRun[] {
  const runs: PastRun[] = []
  for (const id of cluster.view.successful_trace_ids.toReversed()) {
    const execution = findExecution(reader, id)
    const kept = findExecutionSteps(reader, id)
    if (execution === undefined || kept === undefined) continue
    runs.unshift({ execution, kept, goal: execution.goal ?? '' })
    if (runs.length === mostRuns) break
  }
  return runs
}

export interface Building {
  readonly settings: SkillMiningSettings
  readonly runs: readonly PastRun[]
  readonly evidence: readonly EvidencedRun[]
  readonly salt: string
}

export type Built =
  | { readonly proposal_id: string }
  | { readonly reason: string }
  /** Somebody built it meanwhile, or it is no longer fit. */
  | undefined

/** Makes a proposal of a cluster, in the daemon's name and for the person whose runs they are. */
export function buildProposal(given: CommandContext, clusterId: string, building: Building): Built {
  const cluster = findCluster(given.tx, clusterId)
  if (cluster === undefined || !isToBeBuilt(cluster)) return undefined
  const kind = given.actor.kind === 'nightly' ? 'nightly' : 'system'
  const ctx = asSystem(given, cluster.owner_user_id, kind)
  if (!building.evidence.some(hasScreens)) return failBuild(ctx, cluster, 'no_screens_kept')
  keepAsTraces(ctx, building.runs)
  const session = openSession(ctx, cluster, building)
  const { learn_session_id } = session
  const asked = questionsFor(cluster, building.settings)
  const tied: ClusterRow = {
    ...cluster,
    learn_session_id,
    questions: asked,
    require_tests: building.settings.require_tests_before_proposal,
    updated_at: ctx.now,
  }
  updateCluster(ctx.tx, tied)
  const outcome = generateProposal(ctx, learn_session_id, compileWith(building.evidence))
  if (outcome.failed) {
    cancelSession(ctx, learn_session_id, 'draft_failed')
    return failBuild(ctx, { ...tied, learn_session_id: undefined }, 'draft_failed')
  }
  const { proposal_id } = outcome
  updateCluster(ctx.tx, {
    ...tied,
    proposal_id,
    build_error: undefined,
    failed_at_traces: undefined,
  })
  recordEvent(ctx, `mining/${clusterId}`, 'learn.mining.cluster_changed', {
    cluster_id: clusterId,
    proposal_id,
  })
  recordReceipt(ctx, 'learn.mining.cluster_built', {
    learn_session_id,
    proposal_id,
    summary: `A workflow done ${cluster.view.successful_trace_ids.length} times became a proposal.`,
    details: { cluster_id: clusterId, questions: asked, mode: building.settings.mode },
  })
  return { proposal_id }
}

/** Without screens a draft would be made up. */
const hasScreens = ({ steps }: EvidencedRun): boolean =>
  steps.some(({ before, after }) => (before ?? after) !== undefined)

/** Building it went wrong in a way nobody foresaw; the other clusters do not have to wait for it. */
export function noteBuildFailure(given: CommandContext, clusterId: string, reason: string): Built {
  const cluster = findCluster(given.tx, clusterId)
  return cluster && failBuild(asSystem(given, cluster.owner_user_id), cluster, reason.slice(0, 240))
}

function failBuild(ctx: CommandContext, cluster: ClusterRow, reason: string): Built {
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
    summary: 'A repeated workflow could not be made a proposal; it is tried again with more runs.',
    reason,
    details: { cluster_id },
  })
  return { reason }
}

const policies: Readonly<Record<MiningMode, StoredSession['build_policy']>> = {
  off: 'build_then_review',
  ask_before_build: 'ask_before_build',
  build_then_review: 'build_then_review',
  auto_install_private: 'private_auto_install',
}

function openSession(
  ctx: CommandContext,
  cluster: ClusterRow,
  { settings, runs, salt }: Building,
): StoredSession {
  const { view } = cluster
  // Whatever is in doubt is for a person to look at.
  const isSure = view.ambiguities.length === 0
  const mode =
    settings.mode === 'auto_install_private' && !isSure ? 'build_then_review' : settings.mode
  const drafted = draftSession(
    ctx,
    {
      entry_mode: 'autonomous_agent_practice',
      observation_mode: 'none',
      build_policy: policies[mode],
      allow_private_install: mode === 'auto_install_private',
      target_app_family: cluster.app_family,
      project_id: view.project_id,
      device_serial: runs.at(-1)?.execution.serial,
    },
    salt,
  )
  const armed = armSession(ctx, {
    ...drafted,
    owner_user_id: minerUser,
    reviewer_user_id: cluster.owner_user_id,
  })
  return fillWithRuns(ctx, armed, { runs, goal: view.suggested_name ?? cluster.normalized_goal })
}

const topics: readonly QuestionField[] = [
  'name',
  'use_conditions',
  'non_use_conditions',
  'project_scope',
  'approval_mode',
]

const topicsOf: Readonly<Record<Ambiguity, readonly QuestionField[]>> = {
  unclear_specificity: ['project_scope'],
  two_names: ['name'],
  overlaps_ability: ['use_conditions', 'non_use_conditions'],
  variation_near_limit: ['use_conditions', 'approval_mode'],
}

/** Everything when a person wants to be asked; else only what is in doubt, and only if doubts are to be asked about. */
export function questionsFor(
  { view }: Pick<ClusterRow, 'view'>,
  settings: Pick<SkillMiningSettings, 'mode' | 'require_user_feedback_before_build_when_ambiguous'>,
): QuestionField[] {
  if (settings.mode === 'ask_before_build') return [...topics]
  if (!settings.require_user_feedback_before_build_when_ambiguous) return []
  const doubted = new Set(view.ambiguities.flatMap((ambiguity) => topicsOf[ambiguity]))
  return topics.filter((topic) => doubted.has(topic))
}
