import { describeStateAfter } from '../../text/label-rewriting.ts'
import { removeExamples } from '../align/examples.ts'
import type { RecipeDraft, RecipeParts } from './recipe-draft.ts'
import { describeReachedState } from './step-text.ts'
import type { InterpretationContext, LearnedCheckpoint } from './workflow.ts'

const MAX_CHECKPOINTS = 20

/** The states that the person named, otherwise those the screens show. The last is the outcome. */
export function draftCheckpoints(
  parts: RecipeParts,
  draft: RecipeDraft,
  context: InterpretationContext,
): LearnedCheckpoint[] {
  const named = listMarkedStates(parts, context)
  const reached = named.length > 0 ? named : listReachedStates(parts)
  const outcome = toOutcome(parts, draft)
  const [last] = outcome
  const all = selectDistinct([...reached.filter(({ goal }) => goal !== last?.goal), ...outcome])
  const first = all.slice(0, MAX_CHECKPOINTS)
  return all.length <= MAX_CHECKPOINTS ? all : [...first.slice(0, -outcome.length), ...outcome]
}

/** The state of a mark is reached after the step before the mark. */
function listMarkedStates({ steps, inputs }: RecipeParts, context: InterpretationContext): LearnedCheckpoint[] {
  return context.marks.flatMap(({ label, kind, after_event_id }) => {
    if (kind === 'guard' || kind === 'decision') return []
    const step = steps.findLast(
      ({ source_event_ids }) => after_event_id !== undefined && source_event_ids.includes(after_event_id),
    )
    const state = describeStateAfter(removeExamples(label, inputs), 200)
    if (state === undefined || step === undefined) return []
    return [toCheckpoint(state, step.step_id)]
  })
}

function listReachedStates({ intents, steps, view }: RecipeParts): LearnedCheckpoint[] {
  return intents.flatMap((intent, at) => {
    const state = describeReachedState(intent, view)
    const last = steps[at]?.recipe_steps.at(-1)
    if (state === undefined || last === undefined || intent.optional === true) return []
    return [toCheckpoint(state, last.id)]
  })
}

function toOutcome({ proof }: RecipeParts, { verification }: RecipeDraft): LearnedCheckpoint[] {
  const last = verification.at(-1)
  if (proof === undefined || last === undefined) return []
  const state = [...new Set(verification.map(({ text }) => text))].join('; ').slice(0, 200)
  return [toCheckpoint(state, `verify.${last.id}`)]
}

function toCheckpoint(state: string, after_step: string): LearnedCheckpoint {
  return { goal: state, success_condition: `The screen shows it: ${state}`, after_step }
}

/** Keeps the first checkpoint of each goal and each step. */
function selectDistinct(checkpoints: readonly LearnedCheckpoint[]): LearnedCheckpoint[] {
  const goals = new Set<string>()
  const steps = new Set<string>()
  return checkpoints.filter(({ goal, after_step }) => {
    const isNew = !goals.has(goal) && !steps.has(after_step)
    goals.add(goal)
    steps.add(after_step)
    return isNew
  })
}
