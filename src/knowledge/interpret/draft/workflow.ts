import type { WorkflowBoundary } from '@apprentice/contracts/learn/observation.ts'
import type { QuestionField } from '@apprentice/contracts/learn/proposal.ts'
import type { Recipe, RecipeVerification } from '@apprentice/contracts/recipes/recipe.ts'
import type { Pruned } from '../read/normalized-run.ts'
import type { GivenNames, LearnedInput } from '../read/inputs.ts'
import type { WorkflowStep } from './recipe-steps.ts'

/** A step the person named while showing it. */
export interface StepMark {
  readonly label: string
  readonly kind: NonNullable<WorkflowBoundary['step_kind_hint']>
  /** The action it was said of; absent when nothing had been seen yet. */
  readonly after_event_id?: string | undefined
}

/** What a demonstration turned out to mean. */
export interface LearnedWorkflow {
  readonly steps: readonly WorkflowStep[]
  readonly pruned: readonly Pruned[]
  readonly inputs: readonly LearnedInput[]
  readonly verification: readonly LearnedVerification[]
  readonly checkpoints: readonly LearnedCheckpoint[]
  /** What must hold for it to be done at all, as it was said. */
  readonly conditions: readonly string[]
  /** What helps whoever does it, as it was said. */
  readonly hints: readonly string[]
  /** Absent when there is no sure way to do it again on a device. */
  readonly recipe?: Recipe
  /** What only a person can say. */
  readonly doubts: readonly Doubt[]
  readonly notes: readonly string[]
}

export interface LearnedVerification extends RecipeVerification {
  /** The same in a person's words. */
  readonly words: string
  readonly inputs: readonly string[]
  /** The run and the event after which the screen showed it. */
  readonly proved_by: { readonly trace_id: string; readonly event_id: string }
}

/** A state on the way, never a touch. */
export interface LearnedCheckpoint {
  readonly goal: string
  readonly success_condition: string
  readonly after_step: string
}

export interface Doubt {
  readonly field: QuestionField
  readonly reason: string
}

/** All that is known beside the screens. */
export interface InterpretationContext {
  readonly goal?: string | undefined
  /** The name and folder of the skill, for the recipe's own. */
  readonly title?: string | undefined
  readonly slug?: string | undefined
  readonly marks: readonly StepMark[]
  /** Coaching: what helps, and what must hold. */
  readonly hints?: readonly string[] | undefined
  readonly constraints?: readonly string[] | undefined
  /** Events whose choice is always the same, because the person says so. */
  readonly always?: readonly string[] | undefined
  /** What a reviewer calls the inputs. */
  readonly input_names?: GivenNames | undefined
  /** Events a reviewer wants back. */
  readonly keep?: readonly string[] | undefined
  /** Events whose list entry a reviewer calls fixed, or says varies. */
  readonly fixed?: readonly string[] | undefined
  readonly varied?: readonly string[] | undefined
  /** The app and the device it was shown on, where that is known. */
  readonly app_build?: Recipe['app_build'] | undefined
  readonly tested_on?: Recipe['tested_on'] | undefined
  /** The installed recipe that is to be improved. */
  readonly target_recipe?: Recipe | undefined
}
