import type { Recipe, RecipeInput, RecipeStep } from '@apprentice/contracts/recipes/recipe.ts'
import type { GivenNames, LearnedInput } from '../read/inputs.ts'
import { formatName } from '../read/node-text.ts'
import type { Doubt, LearnedCheckpoint, LearnedStep, LearnedVerification, LearnedWorkflow } from '../draft/workflow.ts'
import { type Demonstrated, type MergedRecipe, mergeRecipes } from './merge-recipes.ts'
import type { ChecksOrigin } from './place-units.ts'
import { listReferences, renameReferences } from './step-units.ts'

/** What a person reviewed when the version was installed that a demonstration improves. */
export interface InstalledWorkflow {
  readonly recipe: Recipe
  /** Sentences about steps and checks, by id. */
  readonly descriptions: ReadonlyMap<string, string>
  readonly checkpoints: readonly LearnedCheckpoint[]
  /** The demonstrated value of each input. */
  readonly examples: Readonly<Record<string, string>>
  /** What the person said about when to do it, and hints. */
  readonly conditions: readonly string[]
  readonly hints: readonly string[]
}

/** An improved workflow, and whose checks it has. */
export interface ImprovedWorkflow {
  readonly workflow: LearnedWorkflow
  readonly checks: ChecksOrigin
}

/** Joins a demonstration with the installed workflow: what was not demonstrated stays as it is. */
export function improveWorkflow(
  installed: InstalledWorkflow,
  shown: LearnedWorkflow & { readonly recipe: Recipe },
  { pointed, names = {} }: { readonly pointed: Demonstrated['pointed']; readonly names?: GivenNames | undefined },
): ImprovedWorkflow {
  const from_start = shown.pruned.some(({ reason }) => reason === 'launch')
  const merged = mergeRecipes(installed.recipe, { recipe: shown.recipe, from_start, pointed })
  const { checkpoints: _checkpoints, ...recipe } = merged.recipe
  const workflow: LearnedWorkflow = {
    ...shown,
    steps: describeSteps(installed, shown, merged),
    inputs: describeInputs(installed, shown, merged),
    outputs: recipe.outputs,
    verification: describeChecks(installed, shown, merged),
    checkpoints: mergeCheckpoints(installed, shown, merged),
    conditions: [...new Set([...installed.conditions, ...shown.conditions])],
    hints: [...new Set([...installed.hints, ...shown.hints])],
    recipe,
    doubts: [...selectDoubts(shown, merged), ...(merged.is_skipped ? [SKIPPED] : [])],
    notes: recipe.known_quirks ?? [],
  }
  return { workflow: renameInputs(workflow, names), checks: merged.checks }
}

/** The installed workflow with a repaired recipe: nothing was demonstrated. */
export function restoreWorkflow(installed: InstalledWorkflow, recipe: Recipe, names?: GivenNames): ImprovedWorkflow {
  const ids = recipe.steps.map(({ id }) => [id, id] as const)
  const none = new Map<string, string>()
  const merged: MergedRecipe = {
    recipe,
    checks: 'installed',
    shown_ids: none,
    installed_ids: new Map(ids),
    input_names: none,
    is_skipped: false,
  }
  const { checkpoints: _checkpoints, ...rest } = recipe
  const workflow: LearnedWorkflow = {
    ...NOTHING_SHOWN,
    steps: describeSteps(installed, NOTHING_SHOWN, merged),
    inputs: describeInputs(installed, NOTHING_SHOWN, merged),
    outputs: recipe.outputs,
    verification: describeChecks(installed, NOTHING_SHOWN, merged),
    checkpoints: mergeCheckpoints(installed, NOTHING_SHOWN, merged),
    conditions: installed.conditions,
    hints: installed.hints,
    recipe: rest,
    notes: recipe.known_quirks ?? [],
  }
  return { workflow: renameInputs(workflow, names ?? {}), checks: 'installed' }
}

const NOTHING_SHOWN: LearnedWorkflow = {
  steps: [],
  pruned: [],
  inputs: [],
  verification: [],
  checkpoints: [],
  conditions: [],
  hints: [],
  doubts: [],
  notes: [],
}

const SKIPPED: Doubt = {
  field: 'goal_summary',
  reason:
    'If the outcome is already there, a run would skip the new steps; demonstrate the whole workflow to its end instead',
}

/** The outcome of a part need not be visible: the installed checks stay. */
const selectDoubts = ({ doubts }: LearnedWorkflow, { checks, recipe }: MergedRecipe): readonly Doubt[] =>
  checks === 'installed' && (recipe.verification ?? []).length > 0
    ? doubts.filter(({ field }) => field !== 'success_condition')
    : doubts

/** One step for each step of the recipe that does something. */
function describeSteps(
  { descriptions }: InstalledWorkflow,
  shown: LearnedWorkflow,
  { recipe, shown_ids, input_names }: MergedRecipe,
): LearnedStep[] {
  const byId = new Map(shown.steps.map((step) => [step.step_id, step]))
  const steps: LearnedStep[] = []
  let lead: RecipeStep[] = []
  for (const step of recipe.steps) {
    const again = byId.get(shown_ids.get(step.id) ?? '')
    const recipe_steps = [...lead, step]
    const text = descriptions.get(step.id)
    if (again === undefined && text === undefined) {
      lead = recipe_steps
      continue
    }
    lead = []
    const input = again?.input ?? listReferences(step)[0]
    steps.push({
      ...(again ?? { kind: 'press', annotation: 'DERIVED', candidates: [] }),
      step_id: step.id,
      description: again?.description ?? text ?? formatName(step.id),
      source_event_ids: again?.source_event_ids ?? [],
      recipe_steps,
      ...(input !== undefined && { input: input_names.get(input) ?? input }),
    })
  }
  return steps
}

function describeInputs(
  { examples }: InstalledWorkflow,
  shown: LearnedWorkflow,
  { recipe, input_names }: MergedRecipe,
): LearnedInput[] {
  const byName = new Map(shown.inputs.map((input) => [input_names.get(input.name) ?? input.name, input]))
  return recipe.inputs.map((input) => {
    const again = byName.get(input.name)
    const example = again?.example ?? examples[input.name]
    return {
      ...(again ?? toLearnedInput(input)),
      name: input.name,
      summary: input.summary ?? again?.summary ?? '',
      ...(example !== undefined && { example }),
      ...(input.choices !== undefined && { choices: input.choices }),
    }
  })
}

function toLearnedInput(input: RecipeInput): LearnedInput {
  const type = input.type === 'string' || input.type === 'boolean' ? input.type : 'number'
  const value = typeof input.default === 'number' ? String(input.default) : input.default
  return {
    name: input.name,
    type,
    summary: input.summary ?? '',
    source_event_ids: [],
    ...(value !== undefined && { default: value }),
  }
}

function describeChecks(
  { descriptions }: InstalledWorkflow,
  shown: LearnedWorkflow,
  { recipe, checks, input_names }: MergedRecipe,
): LearnedVerification[] {
  const rename = (names: readonly string[]) => names.map((name) => input_names.get(name) ?? name)
  if (checks === 'demonstrated') {
    return shown.verification.map((check) => ({
      ...renameReferences(check, input_names),
      inputs: rename(check.inputs),
    }))
  }
  return (recipe.verification ?? []).map((check) => ({
    ...check,
    text: descriptions.get(check.id) ?? formatName(check.id),
    inputs: listReferences(check),
    proved_by: { trace_id: '', event_id: '' },
  }))
}

/** The checkpoints of kept and replaced steps, and those of the new steps, in the order of the steps. */
function mergeCheckpoints(
  installed: InstalledWorkflow,
  shown: LearnedWorkflow,
  { recipe, checks, shown_ids, installed_ids }: MergedRecipe,
): LearnedCheckpoint[] {
  const order = [...recipe.steps.map(({ id }) => id), ...(recipe.verification ?? []).map(({ id }) => `verify.${id}`)]
  const last = order.at(-1)
  const kept = installed.checkpoints.flatMap((checkpoint) => {
    const { after_step } = checkpoint
    const isEnd = after_step.startsWith('verify.')
    const to = isEnd ? (order.includes(after_step) ? after_step : last) : installed_ids.get(after_step)
    return to === undefined ? [] : [{ ...checkpoint, after_step: to }]
  })
  const moved = new Map([...shown_ids].map(([id, shownId]) => [shownId, id]))
  const added = shown.checkpoints.flatMap((checkpoint) => {
    const { after_step } = checkpoint
    const isEnd = after_step.startsWith('verify.')
    const to = isEnd ? (checks === 'demonstrated' ? after_step : undefined) : moved.get(after_step)
    return to === undefined ? [] : [{ ...checkpoint, after_step: to }]
  })
  const byStep = new Map([...added, ...kept].map((checkpoint) => [checkpoint.after_step, checkpoint]))
  return [...byStep.values()]
    .filter(({ after_step }) => order.includes(after_step))
    .toSorted((a, b) => order.indexOf(a.after_step) - order.indexOf(b.after_step))
    .slice(-MAX_CHECKPOINTS)
}

const MAX_CHECKPOINTS = 20

/** Applies the names that a reviewer gave to inputs of the improved workflow. */
function renameInputs(workflow: LearnedWorkflow, given: GivenNames): LearnedWorkflow {
  const { recipe } = workflow
  const names = new Map(Object.entries(given).map(([from, { name }]) => [from, name]))
  if (names.size === 0 || recipe === undefined) return workflow
  const find = (name: string): string => names.get(name) ?? name
  const describe = <I extends { readonly name: string }>(input: I): I => {
    const edit = given[input.name]
    return { ...input, name: find(input.name), ...(edit?.summary !== undefined && { summary: edit.summary }) }
  }
  const renamed = renameReferences(recipe, names)
  return {
    ...workflow,
    recipe: { ...renamed, inputs: recipe.inputs.map(describe) },
    inputs: workflow.inputs.map(describe),
    steps: workflow.steps.map((step) => ({
      ...step,
      recipe_steps: renameReferences(step.recipe_steps, names),
      ...(step.input !== undefined && { input: find(step.input) }),
    })),
    verification: workflow.verification.map((check) => ({
      ...renameReferences(check, names),
      inputs: check.inputs.map(find),
    })),
  }
}
