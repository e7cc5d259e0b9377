import type { SubGoal } from '../../src/knowledge/goal-search/goal/goal.ts'
import { parseGoal } from '../../src/knowledge/goal-search/goal/parse-goal.ts'

/** The first sub-goal of the preferred reading. */
export function readSubGoal(sentence: string): SubGoal {
  const result = parseGoal(sentence)
  const goal = result.clear ? result.goal.readings[0]?.[0] : undefined
  if (goal === undefined) throw new Error(`"${sentence}" is not a goal.`)
  return goal
}
