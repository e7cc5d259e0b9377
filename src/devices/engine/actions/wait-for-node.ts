import { type Target, resolveTarget } from '../../../screen/matcher.ts'
import type { ParamsOf } from './action-params.ts'
import type { EngineRun } from '../engine-run.ts'
import { clearTheWay } from '../in-the-way.ts'
import type { Look } from '../screen-reading.ts'
import { treeUnavailable } from '../screen-reads.ts'
import { type StepNotes, shownLabel } from '../step-evidence.ts'
import type { StepData, StepFailure } from '../step-failure.ts'
import { noted, unresolved } from '../target-lookup.ts'

/**
 * Looks until the node is there or the time is over; at least once, and once more at the very end.
 * The step's retries play no part: they would end the wait before its time.
 */
export async function waitForNode(
  run: EngineRun,
  params: ParamsOf<'wait_for_node'>,
  notes: StepNotes,
): Promise<StepData> {
  const timeoutMs = params.timeoutMs ?? run.remainingMs()
  // Without a limit of its own the wait ends with the execution, and not a moment before.
  const endsAt = params.timeoutMs === undefined ? Infinity : run.now() + timeoutMs
  let failure: StepFailure | undefined
  for (;;) {
    const offered = run.takeOffered()
    const look: Look = offered === undefined ? await run.look() : { ok: true, reading: offered }
    const outcome = judge(look, params, notes)
    if ('data' in outcome) {
      return { ...outcome.data, timeout_ms: String(Math.round(timeoutMs)) }
    }
    // One good look says more than a later failed one.
    if (look.ok || failure === undefined || failure.error === TREE) failure = outcome.failure
    const { seen } = outcome.failure
    if (seen !== undefined && (await clearTheWay(run, seen))) continue
    if (run.now() >= endsAt) throw failure
    run.lastError = failure.error
    await run.sleep(Math.min(POLL_MS, endsAt - run.now()))
  }
}

const POLL_MS = 200
const TREE = 'UI_TREE_UNAVAILABLE'

function judge(
  look: Look,
  target: Target,
  notes: StepNotes,
): { readonly data: StepData } | { readonly failure: StepFailure } {
  if (!look.ok) return { failure: treeUnavailable(look) }
  const { reading } = look
  const resolution = resolveTarget(reading.hierarchy, target)
  if (resolution.kind !== 'found') return { failure: unresolved(resolution, reading) }
  const { node } = noted({ reading, ...resolution }, notes)
  return {
    data: { resource_id: node.attributes['resource-id'] ?? '', label: shownLabel(node) },
  }
}
