import type { Recipe, RecipeStep } from '@apprentice/contracts/recipes/recipe.ts'
import type { RecipeSelector } from '@apprentice/contracts/recipes/selector.ts'
import { isWithin } from '../../../screen/tree/bounds.ts'
import type { UiNode } from '../../../screen/tree/hierarchy.ts'
import { matchTarget } from '../../../screen/matcher.ts'
import { lowerSelector } from '../../recipes/lower/lower-selector.ts'
import { fillInputs } from '../../recipes/parse/fill-inputs.ts'
import type { Proof } from '../prove/proof.ts'
import type { LearnedInput } from '../read/inputs.ts'
import type { Intent } from '../read/intent.ts'
import { readText } from '../read/node-text.ts'
import { isInside, type Screen } from '../read/screen.ts'
import type { LearnedStep } from './workflow.ts'

/** A part of a recipe that does not do on the screens of the demonstration what the person did there. */
export interface ReplayFault {
  readonly id: string
  readonly part: 'target' | 'guard' | 'question' | 'proof_step'
}

interface Demonstration {
  readonly intents: readonly Intent[]
  /** One per intent. */
  readonly steps: readonly LearnedStep[]
  readonly proof: Proof | undefined
  readonly inputs: readonly LearnedInput[]
}

/**
 * Runs a recipe on the kept screens of its demonstration, with the demonstrated values and the matcher of the engine. Each
 * step must find the node that the person touched, on the screen where it was touched. A guard and the question whether
 * the work is done must be false before and true afterwards. The steps that show the proof must find their targets at the
 * end. Optional steps are left out: the demonstration may lack them.
 */
export function replayRecipe(recipe: Recipe, demonstration: Demonstration): ReplayFault[] {
  const { intents, steps, proof } = demonstration
  const filling = fillInputs(recipe, collectValues(demonstration.inputs))
  if ('violations' in filling) return []
  const byStep = new Map(steps.flatMap((step, at) => step.recipe_steps.map(({ id }) => [id, intents[at]] as const)))
  const asked = findQuestionScreen(recipe, byStep)
  return filling.filled.steps.flatMap((step): ReplayFault[] => {
    const intent = byStep.get(step.id)
    // What a run looks at after a message is on no screen of the demonstration.
    if (intent === undefined && proof?.message !== undefined) return []
    if (intent !== undefined) return intent.optional === true ? [] : replayStep(step, intent)
    if (step.type === 'expect') {
      const isTelling = !holds(step, asked) && holds(step, proof?.end)
      return isTelling ? [] : [{ id: step.id, part: 'question' }]
    }
    // A step that opens a window again finds its target where it did the first time.
    const screens = [proof?.end, asked, ...(proof?.reopen ?? []).map(({ before }) => before)]
    const isFound = step.selector === undefined || screens.some((screen) => find(step, screen).length > 0)
    return isFound ? [] : [{ id: step.id, part: 'proof_step' }]
  })
}

/** Whether an expectation is true on a screen. */
function holds(step: RecipeStep, screen: Screen | undefined): boolean {
  const asksForAbsence = step.params?.['present'] === false && step.params['skipTo'] !== undefined
  if (asksForAbsence) return screen !== undefined && find(step, screen).length === 0
  const text = step.params?.['text'] as { readonly equals?: string } | undefined
  return find(step, screen).some((node) => text?.equals === undefined || readText(node) === text.equals.trim())
}

/** The screen on which the run asks whether the work is done: that of the step after the question. */
function findQuestionScreen({ steps }: Recipe, byStep: ReadonlyMap<string, Intent | undefined>): Screen | undefined {
  const question = steps.findIndex(({ type, id }) => type === 'expect' && !byStep.has(id))
  const next = question < 0 ? undefined : steps.slice(question).find(({ id }) => byStep.has(id))
  return next && byStep.get(next.id)?.before
}

function replayStep(step: RecipeStep, { before, after, node, toggled }: Intent): ReplayFault[] {
  if (before === undefined || node === undefined || step.selector === undefined) return []
  const found = find(step, before)
  const [only] = found
  const isSame = (one: UiNode) => [node, toggled?.control].some((touched) => touched && isPartOf(one, touched))
  const isMissed = only === undefined || found.length > 1 || (PRESSES.has(step.type) && !isSame(only))
  const isWrongGuard = step.unless !== undefined && !guards(step.unless, before, after)
  return [
    ...(isMissed ? [{ id: step.id, part: 'target' as const }] : []),
    ...(isWrongGuard ? [{ id: step.id, part: 'guard' as const }] : []),
  ]
}

const PRESSES: ReadonlySet<string> = new Set(['click', 'scroll_and_click', 'enter_text'])

/** A text that is drawn over a control is touched with it, wherever it is in the tree. */
const isPartOf = (one: UiNode, other: UiNode): boolean =>
  isInside(one, other) ||
  isInside(other, one) ||
  (one.children.length === 0 && other.children.length === 0 && isWithin(one.bounds, other.bounds))

/** Whether a state is not there before a step and is there after it. */
function guards(state: RecipeSelector, before: Screen, after: Screen | undefined): boolean {
  return find({ selector: state }, before).length === 0 && find({ selector: state }, after).length > 0
}

function find({ selector, container }: Pick<RecipeStep, 'selector' | 'container'>, screen: Screen | undefined) {
  if (screen === undefined || selector === undefined) return []
  const target = {
    matcher: lowerSelector(selector),
    ...(container !== undefined && { container: lowerSelector(container) }),
    strict: true,
  }
  const matches = matchTarget(screen.tree, target)
  if (matches.kind !== 'found') return []
  return selector.index === undefined ? matches.nodes : matches.nodes.slice(selector.index, selector.index + 1)
}

function collectValues(inputs: readonly LearnedInput[]): Map<string, string | number | boolean> {
  return new Map(
    inputs.flatMap(({ name, type, example }) => {
      if (example === undefined) return [[name, UNKNOWN]] as const
      const value = type === 'number' ? Number(example) : type === 'boolean' ? example === 'true' : example
      return [[name, value]] as const
    }),
  )
}

/** In place of a secret. */
const UNKNOWN = '‹secret›'
