import type { Checkpoint } from '@apprentice/contracts/learn/proposal.ts'
import { withoutExamples } from '../../knowledge/interpret/align/examples.ts'
import type { LearnedWorkflow } from '../../knowledge/interpret/draft/workflow.ts'
import { type DraftSource, knownApp } from './draft-source.ts'
import { stateAfter } from '../../knowledge/text/label-rewriting.ts'
import { distinct, oneLine } from '../../knowledge/text/plain-text.ts'
import { collapse } from './workflow-graph.ts'

const checkpointLimit = 20
const ownWordsLimit = 200
/** Text that comes from an app is not the person's: it is kept short, so that it can name but not instruct. */
const appWordsLimit = 80

/**
 * The states a run passes through: one per step the person named, else one per action that changed something.
 * The last one is the goal.
 */
export function draftCheckpoints(
  source: DraftSource,
  endState: string | undefined,
  workflow?: LearnedWorkflow,
): Checkpoint[] {
  if (workflow !== undefined && workflow.checkpoints.length > 0) return seenCheckpoints(workflow)
  const { marks } = source.shown
  const passed = marks.length > 0 ? namedStates(source) : observedStates(source)
  const before = distinct(passed.filter((state) => state !== endState))
  const room = endState === undefined ? checkpointLimit : checkpointLimit - 1
  const states = [...spread(before, room), ...(endState === undefined ? [] : [endState])]
  return states.map((state, index) => ({
    checkpoint_id: checkpointId(index),
    goal: state,
    success_condition: `Visible result: ${state}`,
    order_hint: index,
  }))
}

export const checkpointId = (index: number): string => `cp-${String(index + 1).padStart(2, '0')}`

/** The states the screens showed. */
function seenCheckpoints({ checkpoints }: LearnedWorkflow): Checkpoint[] {
  return checkpoints.map(({ goal, success_condition }, index) => ({
    checkpoint_id: checkpointId(index),
    goal: oneLine(goal, 240),
    success_condition: oneLine(success_condition, 240),
    order_hint: index,
  }))
}

/** What holds at the end: what the goal says, else what the last change left behind. */
export function endStateOf(source: DraftSource, workflow?: LearnedWorkflow): string | undefined {
  const goal = source.shown.goal ?? source.answers.goal_summary
  const plain = goal && withoutExamples(goal, workflow?.inputs ?? [])
  const said = plain === undefined ? undefined : stateAfter(plain, ownWordsLimit)
  // What the screens proved says it better than any label.
  if (workflow !== undefined && workflow.verification.length > 0) return said
  return (
    said ?? (source.shown.marks.length > 0 ? namedStates(source) : observedStates(source)).at(-1)
  )
}

function namedStates({ shown }: DraftSource): string[] {
  return shown.marks.map(
    ({ label }, index) => stateAfter(label, ownWordsLimit) ?? `Step ${index + 1} has taken effect`,
  )
}

function observedStates(source: DraftSource): string[] {
  const app = knownApp(source)
  return collapse(source.shown.steps)
    .filter((cluster) => cluster.caused_state_change)
    .map(
      ({ step }, index) =>
        stateAfter(step.action_label, appWordsLimit) ??
        `Step ${index + 1}${app === undefined ? '' : ` in ${app}`} has taken effect`,
    )
}

/** At most `limit` entries, evenly over the whole, first and last always among them. */
function spread<T>(entries: readonly T[], limit: number): T[] {
  if (entries.length <= limit) return [...entries]
  const last = entries.length - 1
  return entries.filter((_, index) => {
    const place = Math.round((index * (limit - 1)) / last)
    return Math.round((place * last) / (limit - 1)) === index
  })
}
