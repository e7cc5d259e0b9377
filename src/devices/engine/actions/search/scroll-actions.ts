import type { UiNode } from '../../../../screen/tree/hierarchy.ts'
import { resolveScrollContainer } from '../../../../screen/scroll-container.ts'
import type { ActionParams } from '../action-params.ts'
import type { EngineExecution } from '../../engine-execution.ts'
import { withRetry } from '../../retry.ts'
import { readScreen } from '../../read-screen.ts'
import { type StepNotes, describeNode } from '../../step-evidence.ts'
import { type StepData, StepFailure } from '../../step-failure.ts'
import { findSweepContainer, formatContainerName, sweepOnce } from './sweep.ts'
import type { SearchEnd } from './sweep-search.ts'
import { findOnCurrentScreen, recordTarget } from '../../target-lookup.ts'
import { touchNode } from '../../touch.ts'
import { searchList } from './list-search.ts'

export function scroll(
  execution: EngineExecution,
  params: ActionParams<'scroll'>,
  notes: StepNotes,
): Promise<StepData> {
  const facts = {
    direction: params.direction,
    distance_ratio: String(params.distanceRatio),
    settle_delay_ms: String(params.settleDelayMs),
  }
  return withRetry(execution, params.retry, async () => {
    const container = await findContainer(execution, params, notes)
    const known = { ...facts, resolved_container: formatContainerName(container) }
    const { outcome, reading } = await sweepOnce(execution, container, params).catch((error: unknown) => {
      throw toGestureFailure(error, known)
    })
    notes.after = reading
    return { scroll_outcome: outcome === 'moved' ? 'moved' : 'edge_reached', ...known }
  })
}

async function findContainer(
  execution: EngineExecution,
  params: ActionParams<'scroll'>,
  notes: StepNotes,
): Promise<UiNode> {
  // The reading after a previous scroll can be reused.
  const reusable = execution.takeReusableReading()
  const isUsable = reusable && resolveScrollContainer(reusable.hierarchy, params).kind === 'found'
  const reading = isUsable ? reusable : await readScreen(execution)
  const node = findSweepContainer(reading, params)
  notes.before = reading
  notes.node = describeNode(node)
  return node
}

function toGestureFailure(error: unknown, known: StepData): unknown {
  if (!(error instanceof StepFailure) || error.error !== 'GESTURE_FAILED') return error
  const data = { scroll_outcome: 'gesture_failed', ...known, ...error.data }
  return new StepFailure(error.error, error.message, { data, cause: error })
}

export function scrollUntil(
  execution: EngineExecution,
  params: ActionParams<'scroll_until'>,
  notes: StepNotes,
): Promise<StepData> {
  return withRetry(execution, params.retry, () => scrollUntilOnce(execution, params, notes))
}

async function scrollUntilOnce(
  execution: EngineExecution,
  params: ActionParams<'scroll_until'>,
  notes: StepNotes,
): Promise<StepData> {
  const { matcher, container, strict, clickAfter, clickType } = params
  const end = await searchList(execution, {
    sweep: params,
    target: matcher && { matcher, container, strict },
    bothWays: params.bothWays === true,
    wholeList: params.wholeList === true,
    patient: matcher !== undefined && params.absent !== true,
    intoView: clickAfter,
    maxSweeps: params.maxScrolls,
    maxDurationMs: params.maxDurationMs,
    stillLimit: params.noPositionChangeThreshold,
  })
  recordSearch(end, clickAfter, notes)
  const data = {
    termination_reason: end.reason,
    scrolls_executed: String(end.sweeps),
    direction: params.direction,
    click_after: String(clickAfter),
    click_types: clickType,
    resolved_container: end.container ?? '',
  }
  if (params.absent === true) return concludeAbsence(end, data)
  const failure = toScrollUntilFailure(end, data, matcher !== undefined)
  if (failure !== undefined) throw failure
  if (!clickAfter || end.found === undefined) return data
  const { x, y } = await touchNode(execution, end.found, clickType, notes)
  delete notes.after
  return { ...data, coordinate: `${x},${y}` }
}

/**
 * Finding the target is a failure. A list that does not scroll shows all its entries; a search that ended early proves
 * nothing.
 */
function concludeAbsence({ reason, found, last }: SearchEnd, data: StepData): StepData {
  const facts = { data, seen: last }
  if (found !== undefined || reason === 'TARGET_FOUND') {
    throw new StepFailure('VERIFY_FAILED', 'The target is still in the list.', facts)
  }
  if (UNFINISHED_REASONS.has(reason)) {
    throw new StepFailure('VERIFY_INDETERMINATE', `The list was not searched to its end: ${reason}.`, facts)
  }
  return data
}

const UNFINISHED_REASONS: ReadonlySet<SearchEnd['reason']> = new Set([
  'MAX_SCROLLS_REACHED',
  'MAX_DURATION_REACHED',
  'CONTAINER_LOST',
])

/** With a target, not finding it is a failure. Without one, only a missing container is. */
function toScrollUntilFailure(
  { reason, sweeps, last }: SearchEnd,
  data: StepData,
  hasTarget: boolean,
): StepFailure | undefined {
  if (reason === 'TARGET_FOUND') return undefined
  const message = `The search ended after ${sweeps} sweeps: ${reason}.`
  // Nothing was touched yet, and the container may still appear.
  const retryable = sweeps === 0 && reason.startsWith('CONTAINER_')
  const facts = { data, retryable, seen: last }
  if (hasTarget) return new StepFailure('TARGET_NOT_FOUND', message, facts)
  if (!reason.startsWith('CONTAINER_')) return undefined
  return new StepFailure(reason, message, facts)
}

/** Searches for the target before each swipe. Two swipes in a row without movement end the search. */
export async function scrollAndClick(
  execution: EngineExecution,
  params: ActionParams<'scroll_and_click'>,
  notes: StepNotes,
): Promise<StepData> {
  const { matcher, container, strict, clickAfter, clickType } = params
  const target = { matcher, container, strict }
  const data = {
    max_swipes: String(params.maxSwipes),
    direction: params.direction,
    click_types: clickType,
    click_after: String(clickAfter),
  }
  const end = await withRetry(execution, params.scrollRetry, async () => {
    const limits = { maxSweeps: params.maxSwipes, maxDurationMs: Infinity, stillLimit: 2 }
    const options = {
      bothWays: params.bothWays === true,
      wholeList: params.wholeList === true,
      patient: true,
      intoView: clickAfter,
    }
    const ended = await searchList(execution, { sweep: params, target, ...options, ...limits })
    recordSearch(ended, clickAfter, notes)
    if (ended.found === undefined) throw toNotReachedFailure(ended, data)
    return ended
  })
  const done = { ...data, swipes_executed: String(end.sweeps) }
  if (!clickAfter) return done
  let found = end.found
  const { x, y } = await withRetry(execution, params.clickRetry, async () => {
    const seen = found ?? (await findOnCurrentScreen(execution, target, notes))
    found = undefined
    return touchNode(execution, seen, clickType, notes)
  })
  delete notes.after
  return { ...done, coordinate: `${x},${y}` }
}

function toNotReachedFailure({ reason, sweeps, last }: SearchEnd, data: StepData): StepFailure {
  const lacksContainer = sweeps === 0 && reason.startsWith('CONTAINER_')
  const facts = {
    data: { ...data, swipes_executed: String(sweeps), termination_reason: reason },
    retryable: lacksContainer,
    seen: last,
  }
  const message = `The target was not found in ${sweeps} swipes: ${reason}.`
  return new StepFailure(lacksContainer ? reason : 'NODE_NOT_FOUND', message, facts)
}

/** A click acts on the last screen of the search. Without a click, the search itself is the action. */
function recordSearch(end: SearchEnd, clickAfter: boolean, notes: StepNotes): void {
  if (end.found !== undefined) recordTarget(end.found, notes)
  if (end.found === undefined || !clickAfter) notes.before = end.first
  if (end.sweeps > 0) notes.after = end.last
}
