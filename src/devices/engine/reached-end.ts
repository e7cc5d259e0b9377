import type { Action } from '@apprentice/contracts/devices/action.ts'
import { observeClaim } from './expectation.ts'
import { type Expect, isSettledClaim } from './claims.ts'
import type { EngineExecution } from './engine-execution.ts'
import type { ScreenReading } from './screen-reading.ts'

/**
 * The first claim about the end, if all of them hold before the current action: on the current screen, or on a page that
 * the execution passed. Then the control that brings the state about is missing or says something else because the state
 * is there already. The claims themselves are checked as always.
 */
export function findReachedEnd(execution: EngineExecution, seen: ScreenReading): string | undefined {
  if (execution.action.doneIfMissing !== true) return undefined
  const claims = execution.following.filter(isClaim)
  const [first] = claims
  if (first === undefined || !claims.every(({ params }) => isLasting(params))) return undefined
  const { language, history } = execution
  const holdsAll = ({ hierarchy }: ScreenReading) =>
    claims.every(({ params }) => observeClaim(hierarchy, params, { earlier: [], language }).holds)
  return [seen, ...history.earlier].some(holdsAll) ? first.id : undefined
}

type Claim = Extract<Action, { type: 'expect' }>

const isClaim = (action: Action): action is Claim => isSettledClaim(action)

/** What is absent may never have been there. A message, an addition or a change belongs to this run. */
function isLasting({ present, transient, added, changed, changedBy }: Expect): boolean {
  return present && transient !== true && added !== true && changed !== true && changedBy === undefined
}
