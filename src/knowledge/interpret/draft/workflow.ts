import type { WorkflowBoundary } from '@apprentice/contracts/learn/observation.ts'
import type { QuestionField } from '@apprentice/contracts/learn/proposal.ts'
import type { Recipe, RecipeOutput, RecipeStep, RecipeVerification } from '@apprentice/contracts/recipes/recipe.ts'
import type { Annotation } from '@apprentice/contracts/recipes/selector.ts'
import type { ElementRef, ProofCandidate } from '../read/element-ref.ts'
import type { GivenNames, LearnedInput } from '../read/inputs.ts'
import type { Intent } from '../read/intent.ts'
import type { Pruned } from '../read/normalized-trace.ts'
import type { Candidate } from '../read/selectors.ts'

/** A step that the person named during the demonstration. */
export interface WorkflowMark {
  readonly label: string
  readonly kind: NonNullable<WorkflowBoundary['step_kind_hint']>
  /** The last action before the mark. Absent if there was none. */
  readonly after_event_id?: string | undefined
}

/** An element whose value a run returns. */
export interface OutputMark extends ElementRef {
  readonly name?: string | undefined
  readonly value_type: 'text' | 'number' | 'list' | 'column'
}

/** The meaning of one or more demonstrations. */
export interface LearnedWorkflow {
  readonly steps: readonly LearnedStep[]
  readonly pruned: readonly Pruned[]
  readonly inputs: readonly LearnedInput[]
  /** The values that a run returns. */
  readonly outputs?: readonly RecipeOutput[]
  readonly verification: readonly LearnedVerification[]
  readonly checkpoints: readonly LearnedCheckpoint[]
  /** Conditions for doing the workflow, as the person stated them. */
  readonly conditions: readonly string[]
  /** Hints of the person. */
  readonly hints: readonly string[]
  /** Absent if no reliable recipe can be made. */
  readonly recipe?: Recipe
  /** Open points that only a person can decide. */
  readonly doubts: readonly Doubt[]
  /** What may show the outcome, best first, at most eight. */
  readonly proof_candidates?: readonly ProofCandidate[]
  readonly notes: readonly string[]
}

/** An intent as a reviewer sees it, with the recipe steps that do it. */
export interface LearnedStep extends Pick<Intent, 'kind' | 'input' | 'optional'> {
  readonly step_id: string
  /** One sentence without any chosen or typed text. */
  readonly description: string
  readonly source_event_ids: readonly string[]
  readonly annotation: Annotation
  readonly candidates: readonly Candidate[]
  /** Empty if a recipe cannot repeat it reliably. `doubt` then says why. */
  readonly recipe_steps: readonly RecipeStep[]
  readonly doubt?: Doubt
}

export interface LearnedVerification extends RecipeVerification {
  /** The verification as a sentence. */
  readonly text: string
  readonly inputs: readonly string[]
  /** The event after which the screen showed it. */
  readonly proved_by: { readonly trace_id: string; readonly event_id: string }
}

/** A state that the workflow reaches. */
export interface LearnedCheckpoint {
  readonly goal: string
  readonly success_condition: string
  readonly after_step: string
}

export interface Doubt {
  readonly field: QuestionField
  readonly reason: string
}

/** What is known besides the traces. */
export interface InterpretationContext {
  readonly goal?: string | undefined
  /** Title and folder name of the skill. They give the recipe its summary and id. */
  readonly title?: string | undefined
  readonly slug?: string | undefined
  readonly marks: readonly WorkflowMark[]
  /** Coaching by the person. */
  readonly hints?: readonly string[] | undefined
  readonly constraints?: readonly string[] | undefined
  /** Events whose value the person declared to be always the same. */
  readonly always?: readonly string[] | undefined
  /** Names that a reviewer gave to inputs. */
  readonly input_names?: GivenNames | undefined
  /** Events that a reviewer restored. */
  readonly pinned?: readonly string[] | undefined
  /** Events whose list entry a reviewer declared to be fixed, or to be an input. */
  readonly fixed?: readonly string[] | undefined
  readonly varied?: readonly string[] | undefined
  /** App build and device of the demonstration, if known. */
  readonly app_build?: Recipe['app_build'] | undefined
  readonly tested_on?: Recipe['tested_on'] | undefined
  /** Elements that the person said show the outcome. */
  readonly proofs?: readonly ElementRef[] | undefined
  /** Elements whose values the person wants returned. */
  readonly outputs?: readonly OutputMark[] | undefined
  /** The installed recipe that this one replaces. */
  readonly target_recipe?: Recipe | undefined
}
