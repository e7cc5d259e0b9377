import type { Action } from '@apprentice/contracts/devices/action.ts'
import { isShown } from '../../screen/structure/node-kind.ts'
import { readCaption } from '../../screen/control-actions.ts'
import { matchTarget } from '../../screen/matcher.ts'
import { readWantedWords } from '../../screen/anchor-votes.ts'
import { isTrue } from '../../screen/tree/hierarchy.ts'
import { saysOpposite } from '../../screen/words/actions/other-label.ts'
import { observeClaim } from './expectation.ts'
import { type Expect, isSettledClaim } from './claims.ts'
import type { EngineExecution } from './engine-execution.ts'
import type { ScreenReading } from './screen-reading.ts'

/** The outcome is there before the current action. */
export interface ReachedEnd {
  /** The first claim about it. */
  readonly claim: string
  /** All claims hold on the current screen, not only on a page that the execution passed. */
  readonly isShown: boolean
}

/**
 * Whether all claims about the end hold before the current action: on the current screen, or on a page that the execution
 * passed. Then the control that brings the state about is missing or says something else because the state is there
 * already. The claims themselves are checked as always.
 */
export function findReachedEnd(execution: EngineExecution, seen: ScreenReading): ReachedEnd | undefined {
  if (execution.action.doneIfMissing !== true) return undefined
  const claims = execution.following.filter(isClaim)
  const [first] = claims
  if (first === undefined || !claims.every(({ params }) => isLasting(params))) return undefined
  const holdsAll = (reading: ScreenReading) => holdAll(execution, claims, reading)
  if (holdsAll(seen)) return { claim: first.id, isShown: true }
  return execution.history.earlier.some(holdsAll) ? { claim: first.id, isShown: false } : undefined
}

/**
 * The first claim about the end, if the control that the action would press says the opposite by now, such as Unmute where
 * Mute was, and all claims hold but for being new.
 */
export function findReversedEnd(execution: EngineExecution, seen: ScreenReading): string | undefined {
  if (execution.action.doneIfReversed !== true || !showsOpposite(execution.action, seen)) return undefined
  const claims = execution.following.filter(isClaim)
  const relaxed = claims.map((claim) => ({ ...claim, params: withoutNews(claim.params) }))
  return relaxed.length > 0 && holdAll(execution, relaxed, seen) ? relaxed[0]?.id : undefined
}

/** A claim about a state that was there before the run: it need not be new. */
export function withoutNews(params: Expect): Expect {
  const { added: _added, changed: _changed, changedBy: _changedBy, ...rest } = params
  return rest
}

type Claim = Extract<Action, { type: 'expect' }>

const isClaim = (action: Action): action is Claim => isSettledClaim(action)

/** What is absent may never have been there. A message, an addition or a change belongs to this run. */
function isLasting({ present, transient, added, changed, changedBy }: Expect): boolean {
  return present && transient !== true && added !== true && changed !== true && changedBy === undefined
}

function holdAll({ language }: EngineExecution, claims: readonly Claim[], { hierarchy }: ScreenReading): boolean {
  return claims.every(({ params }) => observeClaim(hierarchy, params, { earlier: [], language }).holds)
}

/** Whether a control says that it takes back what the target does: in the entry of the target, if it is in one. */
function showsOpposite({ params }: Action, { hierarchy }: ScreenReading): boolean {
  const matcher = 'matcher' in params && typeof params.matcher === 'object' ? params.matcher : undefined
  const wanted = matcher === undefined ? '' : readWantedWords({ ...matcher, row: undefined })
  if (wanted === '') return false
  const { row } = matcher ?? {}
  const controls = matchTarget(hierarchy, { matcher: { clickable: true, ...(row !== undefined && { row }) } })
  if (controls.kind !== 'found') return false
  return controls.nodes.some(
    (node) => isShown(node) && isTrue(node, 'clickable') && saysOpposite(readCaption(node), wanted),
  )
}
