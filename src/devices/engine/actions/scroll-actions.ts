import type { UiNode } from '../../../screen/hierarchy.ts'
import { resolveScrollContainer } from '../../../screen/scroll-container.ts'
import type { ParamsOf } from './action-params.ts'
import type { EngineRun } from '../engine-run.ts'
import { retrying } from '../retrying.ts'
import { readScreen } from '../screen-reads.ts'
import { type StepNotes, describeNode } from '../step-evidence.ts'
import { type StepData, StepFailure } from '../step-failure.ts'
import { containerOn, nameOf, sweepOnce } from './sweeping.ts'
import type { SearchEnd } from './sweep-search.ts'
import { findNow, noted } from '../target-lookup.ts'
import { touchNode } from '../touching.ts'
import { searchList } from './whole-list.ts'

export function scroll(
  run: EngineRun,
  params: ParamsOf<'scroll'>,
  notes: StepNotes,
): Promise<StepData> {
  const facts = {
    direction: params.direction,
    distance_ratio: String(params.distanceRatio),
    settle_delay_ms: String(params.settleDelayMs),
  }
  return retrying(run, params.retry, async () => {
    const container = await findContainer(run, params, notes)
    const known = { ...facts, resolved_container: nameOf(container) }
    const { outcome, reading } = await sweepOnce(run, container, params).catch((error: unknown) => {
      throw gestureFailed(error, known)
    })
    notes.after = reading
    return { scroll_outcome: outcome === 'moved' ? 'moved' : 'edge_reached', ...known }
  })
}

async function findContainer(
  run: EngineRun,
  params: ParamsOf<'scroll'>,
  notes: StepNotes,
): Promise<UiNode> {
  // After a scroll that has just looked at the list, there is no need to look again.
  const offered = run.takeOffered()
  const serves = offered && resolveScrollContainer(offered.hierarchy, params).kind === 'found'
  const reading = serves ? offered : await readScreen(run)
  const node = containerOn(reading, params)
  notes.before = reading
  notes.node = describeNode(node)
  return node
}

function gestureFailed(error: unknown, known: StepData): unknown {
  if (!(error instanceof StepFailure) || error.error !== 'GESTURE_FAILED') return error
  const data = { scroll_outcome: 'gesture_failed', ...known, ...error.data }
  return new StepFailure(error.error, error.message, { data, cause: error })
}

export function scrollUntil(
  run: EngineRun,
  params: ParamsOf<'scroll_until'>,
  notes: StepNotes,
): Promise<StepData> {
  return retrying(run, params.retry, () => scrollUntilOnce(run, params, notes))
}

async function scrollUntilOnce(
  run: EngineRun,
  params: ParamsOf<'scroll_until'>,
  notes: StepNotes,
): Promise<StepData> {
  const { matcher, container, strict, clickAfter, clickType } = params
  const end = await searchList(run, {
    sweep: params,
    target: matcher && { matcher, container, strict },
    bothWays: params.bothWays === true,
    wholeList: params.wholeList === true,
    intoView: clickAfter,
    maxSweeps: params.maxScrolls,
    maxDurationMs: params.maxDurationMs,
    stillLimit: params.noPositionChangeThreshold,
  })
  note(end, clickAfter, notes)
  const data = {
    termination_reason: end.reason,
    scrolls_executed: String(end.sweeps),
    direction: params.direction,
    click_after: String(clickAfter),
    click_types: clickType,
    resolved_container: end.container ?? '',
  }
  const failure = untilFailure(end, data, matcher !== undefined)
  if (failure !== undefined) throw failure
  if (!clickAfter || end.found === undefined) return data
  const { x, y } = await touchNode(run, end.found, clickType, notes)
  delete notes.after
  return { ...data, coordinate: `${x},${y}` }
}

/** With a target only finding it will do; without one only the lack of a container is a failure. */
function untilFailure(
  { reason, sweeps, last }: SearchEnd,
  data: StepData,
  hasTarget: boolean,
): StepFailure | undefined {
  if (reason === 'TARGET_FOUND') return undefined
  const message = `The search ended after ${sweeps} sweeps: ${reason}.`
  // Nothing was touched yet, and a container may still appear.
  const retryable = sweeps === 0 && reason.startsWith('CONTAINER_')
  const facts = { data, retryable, seen: last }
  if (hasTarget) return new StepFailure('TARGET_NOT_FOUND', message, facts)
  if (!reason.startsWith('CONTAINER_')) return undefined
  return new StepFailure(reason, message, facts)
}

/** Looks for the target before each swipe; two swipes in a row that move nothing end the search. */
export async function scrollAndClick(
  run: EngineRun,
  params: ParamsOf<'scroll_and_click'>,
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
  const end = await retrying(run, params.scrollRetry, async () => {
    const limits = { maxSweeps: params.maxSwipes, maxDurationMs: Infinity, stillLimit: 2 }
    const ways = {
      bothWays: params.bothWays === true,
      wholeList: params.wholeList === true,
      intoView: clickAfter,
    }
    const ended = await searchList(run, { sweep: params, target, ...ways, ...limits })
    note(ended, clickAfter, notes)
    if (ended.found === undefined) throw notReached(ended, data)
    return ended
  })
  const done = { ...data, swipes_executed: String(end.sweeps) }
  if (!clickAfter) return done
  let found = end.found
  const { x, y } = await retrying(run, params.clickRetry, async () => {
    const seen = found ?? (await findNow(run, target, notes))
    found = undefined
    return touchNode(run, seen, clickType, notes)
  })
  delete notes.after
  return { ...done, coordinate: `${x},${y}` }
}

function notReached({ reason, sweeps, last }: SearchEnd, data: StepData): StepFailure {
  const lacksContainer = sweeps === 0 && reason.startsWith('CONTAINER_')
  const facts = {
    data: { ...data, swipes_executed: String(sweeps), termination_reason: reason },
    retryable: lacksContainer,
    seen: last,
  }
  const message = `The target was not seen in ${sweeps} swipes: ${reason}.`
  return new StepFailure(lacksContainer ? reason : 'NODE_NOT_FOUND', message, facts)
}

/** A click acts on the last screen of the search; without one the search itself is what was done. */
function note(end: SearchEnd, clickAfter: boolean, notes: StepNotes): void {
  if (end.found !== undefined) noted(end.found, notes)
  if (end.found === undefined || !clickAfter) notes.before = end.first
  if (end.sweeps > 0) notes.after = end.last
}
