import type { RecipeStep } from '@apprentice/contracts/recipes/recipe.ts'
import type { RecipeSelector } from '@apprentice/contracts/recipes/selector.ts'
import { attribute } from '../../../screen/tree/hierarchy.ts'
import type { Intent, Move } from '../read/intent.ts'
import { locateEntry } from '../read/selectors.ts'

type StepBody = Omit<RecipeStep, 'id'>
type Target = Pick<RecipeStep, 'selector' | 'container'>

/** The target is searched for several times. The gesture itself is never repeated. */
const SEARCHES = { count: 5 } as const
/** A finger that carries something moves slowly. */
const CARRY_MS = 1000

/** A swipe across the entry or list that was swiped. */
export function draftSwipe({ swipe }: Intent, { selector, container }: Target): StepBody {
  const { direction = 'left', distance_ratio: distanceRatio = 0.6 } = swipe ?? {}
  return {
    type: 'swipe',
    ...(selector !== undefined && { selector }),
    ...(container !== undefined && { container }),
    retries: SEARCHES,
    params: { direction, distanceRatio, strict: true },
  }
}

/** A drag of an entry to an end of its list or to another entry. Undefined if the goal cannot be named. */
export function draftMove({ move }: Intent, { selector, container }: Target): StepBody | undefined {
  const onto = move && locateGoal(move)
  if (onto === undefined || selector === undefined) return undefined
  return {
    type: 'swipe',
    selector,
    ...(container !== undefined && { container }),
    retries: SEARCHES,
    params: { onto, strict: true, durationMs: CARRY_MS },
  }
}

/** Scrolls a list to one of its ends. A list that does not scroll shows both. */
export function draftScrollToEnd(position: 'first' | 'last', list: Pick<RecipeStep, 'container'>): StepBody {
  const direction = position === 'first' ? 'up' : 'down'
  return { type: 'scroll_until', ...list, params: { direction, absent: true, maxScrolls: 100, maxDurationMs: 60_000 } }
}

function locateGoal({ goal, position, entry }: Move): RecipeSelector | undefined {
  if (position !== undefined) {
    const id = attribute(goal.node, 'resource-id')
    const shape = id === '' ? { class: attribute(goal.node, 'class') } : { resource_id: id }
    return { ...shape, entry_position: position, annotation: 'STRUCTURAL' }
  }
  return entry && locateEntry(entry).selector
}
