import type { QuestionChoice } from '@apprentice/contracts/learn/proposal.ts'
import type { Recipe, RecipeStep } from '@apprentice/contracts/recipes/recipe.ts'
import type { ObservedTrace } from '../../steps/observed-step.ts'
import { clip } from '../../text/plain-text.ts'
import { bindWords, proposeElements } from '../prove/pointed-elements.ts'
import type { ProofCandidate } from '../read/element-ref.ts'
import { interpretTraces } from './interpret.ts'
import type { InterpretationContext, LearnedWorkflow } from './workflow.ts'

/** All that the interpretation of a demonstration depends on besides its screens. Plain data: a worker may get it. */
export interface Lesson {
  readonly context: InterpretationContext
  /** The outcome in words of the person. They may name an element of a kept screen. */
  readonly outcome_words?: string | undefined
  /** The person insists that nothing shows the outcome. */
  readonly is_outcome_hidden: boolean
  /** Inputs that the person named by pointing at them. */
  readonly named_inputs: readonly { readonly name: string; readonly event_id: string }[]
}

/** What was learned from a demonstration. Plain data. */
export interface LearnedLesson {
  readonly workflow: LearnedWorkflow
  /** The elements that may show the outcome, best first. */
  readonly proof_choices: readonly QuestionChoice[]
}

/** Learns a workflow from the screens of a demonstration. Returns undefined if there are none. */
export function learnLesson(traces: readonly ObservedTrace[], lesson: Lesson): LearnedLesson | undefined {
  const runs = traces.filter(({ steps }) => steps.some(({ before, after }) => before ?? after))
  if (runs.length === 0) return undefined
  const given = addNamedProof(lesson, runs)
  const drafted = interpretTraces(runs, given)
  const context = needsLaunch(drafted, given)
    ? { ...given, pinned: [...(given.pinned ?? []), ...listEvents(runs)] }
    : given
  const workflow = context === given ? drafted : interpretTraces(runs, context)
  const names = nameMarkedInputs(lesson, workflow)
  const named =
    names === undefined
      ? workflow
      : interpretTraces(runs, { ...context, input_names: { ...names, ...context.input_names } })
  return {
    workflow: lesson.is_outcome_hidden ? dropVerification(named) : named,
    proof_choices: listChoices(runs, named),
  }
}

function addNamedProof({ context, outcome_words }: Lesson, runs: readonly ObservedTrace[]): InterpretationContext {
  const named = outcome_words === undefined ? undefined : bindWords(outcome_words, runs)
  return named === undefined ? context : { ...context, proofs: [...(context.proofs ?? []), named] }
}

/** What the recipe would check although nothing shows the outcome proves nothing. */
function dropVerification(workflow: LearnedWorkflow): LearnedWorkflow {
  const { recipe, checkpoints } = workflow
  const isChecked = (after: string): boolean => after.startsWith('verify.')
  return {
    ...workflow,
    verification: [],
    checkpoints: checkpoints.filter(({ after_step }) => !isChecked(after_step)),
    ...(recipe !== undefined && { recipe: withoutChecks(recipe) }),
  }
}

/** Without a check, no step can be skipped because the outcome is there already. */
function withoutChecks({ verification: _, skip_if_done: __, ...recipe }: Recipe): Recipe {
  const isShortcut = ({ params = {} }: RecipeStep): boolean =>
    params['skipTo'] !== undefined || params['elseSkipTo'] !== undefined
  return { ...recipe, steps: recipe.steps.filter((step) => !isShortcut(step)) }
}

/** A workflow that opens an app and reads a value has no other step than the launch. */
const needsLaunch = ({ steps }: LearnedWorkflow, { outputs = [] }: InterpretationContext): boolean =>
  steps.length === 0 && outputs.length > 0

const listEvents = (runs: readonly ObservedTrace[]): string[] =>
  runs.flatMap(({ steps }) => steps.map(({ event_id }) => event_id))

/** The names that the person gave to inputs by pointing at them. Undefined if there are none. */
function nameMarkedInputs({ named_inputs }: Lesson, { inputs }: LearnedWorkflow): InterpretationContext['input_names'] {
  const taken = new Set(inputs.map(({ name }) => name))
  const names = named_inputs.flatMap(({ name, event_id }) => {
    const input = inputs.find(({ source_event_ids }) => source_event_ids.includes(event_id))
    return input === undefined || taken.has(name) ? [] : [[input.name, { name }] as const]
  })
  return names.length === 0 ? undefined : Object.fromEntries(names)
}

/** The elements that may show the outcome, with their places on the kept screens. */
function listChoices(runs: readonly ObservedTrace[], { proof_candidates = [] }: LearnedWorkflow): QuestionChoice[] {
  const candidates = proof_candidates.length > 0 ? proof_candidates : proposeElements(runs)
  const steps = new Map(runs.flatMap((run) => run.steps).map((step) => [step.event_id, step]))
  const toChoice = ({ candidate_id, event_id, node_path, text }: ProofCandidate): QuestionChoice => {
    const step = steps.get(event_id)
    const bounds = step?.after?.nodes.find(({ path }) => path === node_path)?.bounds
    return {
      choice_id: candidate_id,
      label: clip(text, 240),
      event_id,
      node_path,
      ...(step?.after_ref !== undefined && { evidence_ref: step.after_ref }),
      ...(bounds && { bounds: { left: bounds.left, top: bounds.top, right: bounds.right, bottom: bounds.bottom } }),
    }
  }
  return candidates.map(toChoice)
}
