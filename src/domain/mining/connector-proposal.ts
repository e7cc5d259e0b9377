import type { SkillMiningSettings } from '@apprentice/contracts/learn/mining.ts'
import { appendTrace, findTrace } from '../../store/capture/traces.ts'
import { type DispatchRow, listDispatchesOfTrace } from '../../store/connectors/dispatches.ts'
import { describeCall } from '../capture/connector-calls.ts'
import { fillFromTraces } from '../capture/past-executions.ts'
import type { CommandContext } from '../command/context.ts'
import { compileDraft } from '../proposals/draft/skill-draft.ts'
import {
  type BuildResult,
  chooseGoal,
  findReadyCluster,
  offerDraft,
  openSession,
  saveBuildFailure,
} from './cluster-proposal.ts'
import { findLintProblem } from './draft-check.ts'

/**
 * Drafts a guidance from repeated connector calls: a document that names the tools in their order. It has no recipe, and
 * nothing can test it, so a person reviews it in every mode.
 */
export function buildConnectorProposal(
  given: CommandContext,
  clusterId: string,
  { settings, salt }: { readonly settings: SkillMiningSettings; readonly salt: string },
): BuildResult {
  const ready = findReadyCluster(given, clusterId)
  if (ready === undefined) return undefined
  const { ctx, cluster } = ready
  const trace_id = cluster.view.successful_trace_ids.at(-1) ?? ''
  const calls = listDispatchesOfTrace(ctx.tx, trace_id).filter(({ status }) => status === 'succeeded')
  if (calls.length === 0) return saveBuildFailure(ctx, cluster, 'no_calls_kept')
  const goal = chooseGoal(cluster)
  saveCallTrace(ctx, { trace_id, calls, goal })
  const mode = settings.mode === 'auto_install_private' ? 'build_then_review' : settings.mode
  const reviewed = { ...settings, mode }
  const armed = openSession(ctx, cluster, { settings: reviewed, salt })
  const what = `the last of ${cluster.view.successful_trace_ids.length} equal pieces of work`
  const session = fillFromTraces(ctx, armed, { captured_trace_ids: [trace_id], goal, what })
  return offerDraft(ctx, { cluster, session, settings: reviewed, compile: compileDraft, findProblem: findLintProblem })
}

interface CallTrace {
  readonly trace_id: string
  readonly calls: readonly DispatchRow[]
  readonly goal: string
}

function saveCallTrace(ctx: CommandContext, { trace_id, calls, goal }: CallTrace): void {
  const [first] = calls
  if (first === undefined || findTrace(ctx.tx, trace_id) !== undefined) return
  const ended = calls.at(-1)?.completed_at ?? ctx.now
  const body = {
    trace_id,
    capability_id: `observed.${first.server_id}`.slice(0, 160),
    app_id: first.server_id.slice(0, 80),
    goal,
    surfaces_attempted: ['mcp_connector'],
    steps: calls.map((call) => ({
      step_id: call.dispatch_id,
      action_label: describeCall(ctx.tx, call),
      surface: 'mcp_connector',
      caused_state_change: call.action_class !== 'read',
      success: true,
    })),
    verification_results: [],
    fallback_used: false,
    user_takeover: false,
    success: true,
    elapsed_ms: Math.max(0, Date.parse(ended) - Date.parse(first.created_at)),
    created_at: ctx.now,
    schema_version: 1,
  }
  appendTrace(ctx.tx, {
    trace_id,
    owner_user_id: first.user_id,
    body: JSON.stringify(body),
    created_at: ctx.now,
  })
}
