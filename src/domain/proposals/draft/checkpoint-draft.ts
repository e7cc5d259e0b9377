import type { Checkpoint } from '@apprentice/contracts/learn/proposal.ts'
import { removeExamples } from '../../../knowledge/interpret/align/examples.ts'
import type { LearnedWorkflow } from '../../../knowledge/interpret/draft/workflow.ts'
import { type DraftSource, findApp } from './draft-source.ts'
import { describeStateAfter } from '../../../knowledge/text/label-rewriting.ts'
import { distinct, toOneLine } from '../../../knowledge/text/plain-text.ts'
import { mergeRepeats } from './workflow-graph.ts'

const MAX_CHECKPOINTS = 20
const MAX_USER_TEXT = 200
/** Text from an app is untrusted. It is limited to a length that can name something but not give instructions. */
const MAX_APP_TEXT = 80

/**
 * The states a workflow passes through: one per step the user marked, or else one per action that changed something.
 * The last one is the goal.
 */
export function draftCheckpoints(
  source: DraftSource,
  endState: string | undefined,
  workflow?: LearnedWorkflow,
): Checkpoint[] {
  if (workflow !== undefined && workflow.checkpoints.length > 0) return toCheckpoints(workflow)
  const { marks } = source.demonstration
  const reached = marks.length > 0 ? listMarkedStates(source) : listObservedStates(source)
  const before = distinct(reached.filter((state) => state !== endState))
  const room = endState === undefined ? MAX_CHECKPOINTS : MAX_CHECKPOINTS - 1
  const states = [...sampleEvenly(before, room), ...(endState === undefined ? [] : [endState])]
  return states.map((state, index) => ({
    checkpoint_id: formatCheckpointId(index),
    goal: state,
    success_condition: `Visible result: ${state}`,
    order_hint: index,
  }))
}

export const formatCheckpointId = (index: number): string => `cp-${String(index + 1).padStart(2, '0')}`

function toCheckpoints({ checkpoints }: LearnedWorkflow): Checkpoint[] {
  return checkpoints.map(({ goal, success_condition }, index) => ({
    checkpoint_id: formatCheckpointId(index),
    goal: toOneLine(goal, 240),
    success_condition: toOneLine(success_condition, 240),
    order_hint: index,
  }))
}

/** The state at the end of the workflow: from the goal, or else from the last state. */
export function findEndState(source: DraftSource, workflow?: LearnedWorkflow): string | undefined {
  const goal = source.demonstration.goal ?? source.answers.goal_summary
  const goalText = goal && removeExamples(goal, workflow?.inputs ?? [])
  const goalState = goalText === undefined ? undefined : describeStateAfter(goalText, MAX_USER_TEXT)
  // Conditions proved by screens are better than a state derived from a label.
  if (workflow !== undefined && workflow.verification.length > 0) return goalState
  return (
    goalState ?? (source.demonstration.marks.length > 0 ? listMarkedStates(source) : listObservedStates(source)).at(-1)
  )
}

function listMarkedStates({ demonstration }: DraftSource): string[] {
  return demonstration.marks.map(
    ({ label }, index) => describeStateAfter(label, MAX_USER_TEXT) ?? `Step ${index + 1} has taken effect`,
  )
}

function listObservedStates(source: DraftSource): string[] {
  const app = findApp(source)
  return mergeRepeats(source.demonstration.steps)
    .filter((cluster) => cluster.caused_state_change)
    .map(
      ({ step }, index) =>
        describeStateAfter(step.action_label, MAX_APP_TEXT) ??
        `Step ${index + 1}${app === undefined ? '' : ` in ${app}`} has taken effect`,
    )
}

/** Picks at most `limit` entries at even distances, including the first and the last. */
function sampleEvenly<T>(entries: readonly T[], limit: number): T[] {
  if (entries.length <= limit) return [...entries]
  const last = entries.length - 1
  return entries.filter((_, index) => {
    const slot = Math.round((index * (limit - 1)) / last)
    return Math.round((slot * last) / (limit - 1)) === index
  })
}
