import type { Action } from '@apprentice/contracts/devices/action.ts'
import type { NodeMatcher } from '@apprentice/contracts/devices/matcher.ts'
import { findAgreedAnchor } from '../../screen/matcher.ts'
import type { StepData, StepFailure } from './step-failure.ts'

/**
 * The target of a step is missing, but its other anchors point to one node. Nothing is touched: whether it is the right
 * one is for a person and a rehearsal to decide.
 */
export function describeAgreedAnchor({ seen }: StepFailure, action: Action, next: Action | undefined): StepData {
  const own = readMatcher(action)
  if (seen === undefined || own === undefined) return {}
  const matcher = own.fallbacks === undefined ? borrowFallbacks(own, next && readMatcher(next)) : own
  const anchor = matcher.fallbacks === undefined ? undefined : findAgreedAnchor(seen.hierarchy, matcher)
  return anchor === undefined ? {} : { agreed_anchor: String(anchor) }
}

function readMatcher({ params }: Action): NodeMatcher | undefined {
  return 'matcher' in params && typeof params.matcher === 'object' ? params.matcher : undefined
}

/** A step that only brings the target of the next step into view has the same target. */
function borrowFallbacks(own: NodeMatcher, next: NodeMatcher | undefined): NodeMatcher {
  if (next?.fallbacks === undefined) return own
  const { fallbacks, ...target } = next
  return JSON.stringify(target) === JSON.stringify(own) ? { ...own, fallbacks } : own
}
