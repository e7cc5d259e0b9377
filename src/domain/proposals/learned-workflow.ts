import type { ElementMark } from '@apprentice/contracts/learn/elements.ts'
import type { Recipe, RecipeStep } from '@apprentice/contracts/recipes/recipe.ts'
import { interpretTraces } from '../../knowledge/interpret/draft/interpret.ts'
import type { InterpretationContext, LearnedWorkflow } from '../../knowledge/interpret/draft/workflow.ts'
import type { ElementRef } from '../../knowledge/interpret/read/element-ref.ts'
import { bindWords } from '../../knowledge/interpret/prove/pointed-elements.ts'
import type { ObservedTrace } from '../../knowledge/steps/observed-step.ts'
import { type DraftSource, chooseTitle } from './draft-source.ts'

/** Learns a workflow from the screens of a demonstration. Returns undefined if there are none. */
export function learnWorkflow(source: DraftSource): LearnedWorkflow | undefined {
  const runs = listRunsWithScreens(source)
  if (runs.length === 0) return undefined
  const given = buildContext(source, runs)
  const drafted = interpretTraces(runs, given)
  const context = needsLaunch(drafted, given)
    ? { ...given, pinned: [...(given.pinned ?? []), ...listEvents(runs)] }
    : given
  const workflow = context === given ? drafted : interpretTraces(runs, context)
  const names = nameMarkedInputs(source, workflow)
  const named =
    names === undefined
      ? workflow
      : interpretTraces(runs, { ...context, input_names: { ...names, ...context.input_names } })
  return source.shown?.nothing === true && listMarks(source, 'proof').length === 0 ? dropVerification(named) : named
}

/** The person insists that nothing shows the outcome. What the recipe would check instead proves nothing. */
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

const listRunsWithScreens = ({ runs = [] }: DraftSource): ObservedTrace[] =>
  runs.filter(({ steps }) => steps.some(({ before, after }) => before ?? after))

function buildContext(source: DraftSource, runs: readonly ObservedTrace[]): InterpretationContext {
  const { demonstration, answers, edits, coaching } = source
  const constants = listMarks(source, 'constant').map(({ event_id }) => event_id)
  const inputs = listMarks(source, 'input').map(({ event_id }) => event_id)
  return {
    goal: demonstration.goal ?? answers.goal_summary,
    title: edits?.title ?? chooseTitle(source),
    marks: demonstration.marks,
    hints: coaching?.hints,
    constraints: coaching?.constraints,
    always: [...(coaching?.always ?? []), ...constants],
    fixed: constants,
    varied: [...(coaching?.varied ?? []), ...inputs].filter((id) => !constants.includes(id)),
    pinned: source.keep_event_ids ?? edits?.keep_event_ids,
    // The edits of an improvement name the inputs of the improved workflow.
    input_names: source.installed?.workflow === undefined ? edits?.inputs : source.installed.given_names,
    app_build: source.app_build,
    tested_on: source.tested_on,
    target_recipe: source.target_recipe,
    proofs: listProofs(source, runs),
    outputs: listMarks(source, 'output').map((mark) => ({ ...mark, value_type: mark.value_type ?? 'text' })),
  }
}

/** The elements that the person said show the outcome: marked, chosen, or named in the answer. */
function listProofs(source: DraftSource, runs: readonly ObservedTrace[]): ElementRef[] {
  const named = source.shown?.words === undefined ? undefined : bindWords(source.shown.words, runs)
  return [...listMarks(source, 'proof'), ...(source.shown?.elements ?? []), ...(named === undefined ? [] : [named])]
}

const listMarks = ({ element_marks = [] }: DraftSource, kind: ElementMark['kind']): ElementMark[] =>
  element_marks.filter((mark) => mark.kind === kind)

/** The names that the person gave to inputs by pointing at them. Undefined if there are none. */
function nameMarkedInputs(source: DraftSource, { inputs }: LearnedWorkflow): InterpretationContext['input_names'] {
  const taken = new Set(inputs.map(({ name }) => name))
  const names = listMarks(source, 'input').flatMap(({ name, event_id }) => {
    const input = inputs.find(({ source_event_ids }) => source_event_ids.includes(event_id))
    if (name === undefined || input === undefined || taken.has(name)) return []
    return [[input.name, { name }] as const]
  })
  return names.length === 0 ? undefined : Object.fromEntries(names)
}
