import { type DispatchRow, listUnminedDispatches, updateDispatch } from '../../store/connectors/dispatches.ts'
import type { TraceFacts } from '../../store/mining/trace-clusters.ts'
import type { CommandContext } from '../command/context.ts'
import { extractGoalWords, formatGoalKey } from './goal-key.ts'
import { countTrace } from './trace-clustering.ts'
import { collapseRepeats } from './variation.ts'

/** A longer pause ends a piece of work. */
const MAX_PAUSE_MS = 10 * 60_000
const MAX_CALLS = 2000
const OPEN: ReadonlySet<DispatchRow['status']> = new Set(['waiting_for_approval', 'queued', 'running'])

/**
 * Assigns the connector calls that are not counted yet to clusters, as far as the work that they belong to has ended.
 * Tests and probes of servers are no calls of a user and leave none. Returns how many pieces of work were assigned.
 */
export function clusterConnectorCalls(ctx: CommandContext, owner: string | undefined): number {
  const calls = listUnminedDispatches(ctx.tx, { owner, limit: MAX_CALLS })
  const pieces = splitWork(calls)
  // The last piece may go on behind the limit.
  const known = calls.length === MAX_CALLS && pieces.length > 1 ? pieces.slice(0, -1) : pieces
  const ended = known.filter((piece) => hasEnded(piece, ctx.now))
  for (const piece of ended) countWork(ctx, piece)
  return ended.length
}

/** Calls of one user in one session, without a long pause between them. */
export function splitWork(calls: readonly DispatchRow[]): DispatchRow[][] {
  const pieces: DispatchRow[][] = []
  const lastOf = new Map<string, DispatchRow[]>()
  for (const call of calls) {
    const key = JSON.stringify([call.user_id, call.session_ref])
    const piece = lastOf.get(key)
    const before = piece?.at(-1)
    if (piece !== undefined && before !== undefined && measurePause(before, call.created_at) <= MAX_PAUSE_MS) {
      piece.push(call)
      continue
    }
    const started = [call]
    lastOf.set(key, started)
    pieces.push(started)
  }
  return pieces
}

const measurePause = ({ completed_at, created_at }: DispatchRow, until: string): number =>
  Date.parse(until) - Date.parse(completed_at ?? created_at)

function hasEnded(piece: readonly DispatchRow[], now: string): boolean {
  const last = piece.at(-1)
  return last !== undefined && !piece.some(({ status }) => OPEN.has(status)) && measurePause(last, now) > MAX_PAUSE_MS
}

function countWork(ctx: CommandContext, piece: readonly DispatchRow[]): void {
  const [first] = piece
  if (first === undefined) return
  const trace_id = first.dispatch_id
  for (const call of piece) updateDispatch(ctx.tx, { ...call, mined_trace_id: trace_id })
  const created_at = piece.at(-1)?.completed_at ?? ctx.now
  countTrace(ctx, { trace_id, owner_user_id: first.user_id, facts: collectCallFacts(piece), created_at })
}

/** The facts of connector calls that mining counts. What was sent and answered is none of them. */
export function collectCallFacts(calls: readonly DispatchRow[]): TraceFacts {
  const made = calls.filter(({ status }) => status === 'succeeded')
  const goal = (calls.find(({ why_needed }) => why_needed !== undefined)?.why_needed ?? describeTools(calls)).trim()
  const goal_words = extractGoalWords(goal)
  const project_id = calls.find((call) => call.project_id !== undefined)?.project_id
  return {
    goal: goal.slice(0, 240),
    goal_words,
    goal_key: formatGoalKey(goal_words),
    app_family: findMainServer(calls),
    ...(project_id === undefined ? {} : { project_id }),
    surface: 'mcp_connector',
    succeeded: calls.at(-1)?.status === 'succeeded',
    overridden: calls.some(({ status }) => status === 'denied' || status === 'cancelled'),
    step_labels: collapseRepeats(made.map(formatCallLabel)),
    verified: isReadBack(made),
    critical: calls.some(({ error_code }) => error_code === 'MCP_POLICY_DENIED'),
    verification_failed: false,
    in_the_way: false,
  }
}

export const formatCallLabel = ({ server_id, tool_name }: Pick<DispatchRow, 'server_id' | 'tool_name'>): string =>
  `mcp ${server_id}/${tool_name}`.slice(0, 160)

/** The names of the tools as words, each once. */
const describeTools = (calls: readonly DispatchRow[]): string =>
  [...new Set(calls.map(({ tool_name }) => tool_name.replaceAll(/[^\p{L}\p{N}]+/gu, ' ')))].join(', ')

/** The server with the most calls; of equals the first. */
function findMainServer(calls: readonly DispatchRow[]): string {
  const counts = new Map<string, number>()
  for (const { server_id } of calls) counts.set(server_id, (counts.get(server_id) ?? 0) + 1)
  const [first] = [...counts].toSorted(([, a], [, b]) => b - a)
  return (first?.[0] ?? 'unknown').slice(0, 80)
}

/** Whether each server that was changed was read afterwards. */
function isReadBack(made: readonly DispatchRow[]): boolean {
  const unread = new Set<string>()
  for (const { server_id, action_class } of made) {
    if (action_class === 'read') unread.delete(server_id)
    else unread.add(server_id)
  }
  return unread.size === 0
}
