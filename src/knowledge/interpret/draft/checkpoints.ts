import { stateAfter } from '../../text/label-rewriting.ts'
import { withoutExamples } from '../align/examples.ts'
import type { MadeRecipe, RecipeParts } from './recipe-draft.ts'
import { stateReached } from './step-words.ts'
import type { InterpretationContext, LearnedCheckpoint } from './workflow.ts'

const MAX_CHECKPOINTS = 20

/** States on the way: those a person named, else those the screens show; the last is the outcome. */
export function checkpointsOf(
  parts: RecipeParts,
  made: MadeRecipe,
  context: InterpretationContext,
): LearnedCheckpoint[] {
  const named = namedStates(parts, context)
  const passed = named.length > 0 ? named : reachedStates(parts)
  const outcome = outcomeOf(parts, made)
  const [last] = outcome
  const all = distinct([...passed.filter(({ goal }) => goal !== last?.goal), ...outcome])
  const room = all.slice(0, MAX_CHECKPOINTS)
  return all.length <= MAX_CHECKPOINTS ? all : [...room.slice(0, -outcome.length), ...outcome]
}

interface State {
  readonly words: string
  readonly after_step: string
}

/** A mark holds once the step it was said of is done. */
function namedStates(
  { drafted, inputs }: RecipeParts,
  context: InterpretationContext,
): LearnedCheckpoint[] {
  return context.marks.flatMap(({ label, kind, after_event_id }) => {
    if (kind === 'guard' || kind === 'decision') return []
    const done = drafted.findLast(
      ({ step }) => after_event_id !== undefined && step.source_event_ids.includes(after_event_id),
    )
    const words = stateAfter(withoutExamples(label, inputs), 200)
    if (words === undefined || done === undefined) return []
    return [checkpoint({ words, after_step: done.step.step_id })]
  })
}

function reachedStates({ intents, drafted, sight }: RecipeParts): LearnedCheckpoint[] {
  return intents.flatMap((intent, at) => {
    const words = stateReached(intent, sight)
    const done = drafted[at]?.recipe.at(-1)
    if (words === undefined || done === undefined || intent.optional === true) return []
    return [checkpoint({ words, after_step: done.id })]
  })
}

function outcomeOf({ proof }: RecipeParts, { verification }: MadeRecipe): LearnedCheckpoint[] {
  const last = verification.at(-1)
  if (proof === undefined || last === undefined) return []
  const words = [...new Set(verification.map((one) => one.words))].join('; ').slice(0, 200)
  return [checkpoint({ words, after_step: `verify.${last.id}` })]
}

function checkpoint({ words, after_step }: State): LearnedCheckpoint {
  return { goal: words, success_condition: `The screen shows it: ${words}`, after_step }
}

/** One state, one step: the first says it. */
function distinct(checkpoints: readonly LearnedCheckpoint[]): LearnedCheckpoint[] {
  const goals = new Set<string>()
  const steps = new Set<string>()
  return checkpoints.filter(({ goal, after_step }) => {
    const isNew = !goals.has(goal) && !steps.has(after_step)
    goals.add(goal)
    steps.add(after_step)
    return isNew
  })
}
