import type { RecipeStep } from '@apprentice/contracts/recipes/recipe.ts'
import type { Annotation, RecipeSelector } from '@apprentice/contracts/recipes/selector.ts'
import type { Intent } from '../align/intent.ts'
import { literal } from '../read/matching.ts'
import { isSameView, nodeAt } from '../read/screen.ts'
import type { Candidate, ScreenView } from '../read/selectors.ts'
import { bodyOf, bringIntoView, candidatesOf } from './step-bodies.ts'
import { describe } from './step-words.ts'
import { canBeStructural } from '../read/structural-words.ts'
import { shownWords, slug } from '../read/words.ts'

/** A normalised step: what it does, what it stands on, and the recipe's way to do it. */
export interface WorkflowStep {
  readonly step_id: string
  readonly kind: Intent['kind']
  /** In plain words, without anything that was chosen or typed. */
  readonly description: string
  readonly source_event_ids: readonly string[]
  readonly input?: string
  readonly optional?: boolean
  readonly annotation: Annotation
  readonly candidates: readonly Candidate[]
}

export interface DraftedStep {
  readonly step: WorkflowStep
  /** Empty when nothing can be done that is sure to be the same thing. */
  readonly recipe: readonly RecipeStep[]
  readonly trouble?: string
}

export function draftSteps(intents: readonly Intent[], sight: ScreenView): DraftedStep[] {
  const taken = new Set<string>()
  return intents.map((intent) => draftStep(intent, sight, taken))
}

export function freeId(wanted: string, taken: Set<string>): string {
  let id = wanted
  for (let count = 2; taken.has(id); count += 1) id = `${wanted}_${count}`
  taken.add(id)
  return id
}

function idOf(intent: Intent, sight: ScreenView): string {
  const { kind, input, entry } = intent
  const about = input ?? (kind === 'choose' ? entry?.input : undefined)
  const verb = VERBS[kind]
  return about === undefined ? slug(describe(intent, sight)) || verb : `${verb}_${about}`
}

const VERBS: Readonly<Record<Intent['kind'], string>> = {
  choose: 'choose',
  pick: 'select',
  type: 'fill',
  adjust: 'set',
  toggle: 'switch',
  press: 'press',
  key: 'key',
  open_app: 'open',
  scroll: 'scroll',
  slide: 'move',
}

function draftStep(intent: Intent, sight: ScreenView, taken: Set<string>): DraftedStep {
  const { kind, input, optional, move } = intent
  const candidates = candidatesOf(intent, sight)
  const [best] = candidates
  const wanted = idOf(intent, sight)
  const body = bodyOf(intent, best, sight)
  const finding = typeof body === 'string' ? [] : bringIntoView(intent, body)
  const prelude = finding.map((one) => ({ id: freeId(`find_for_${wanted}`, taken), ...one }))
  const step_id = freeId(wanted, taken)
  const step: WorkflowStep = {
    step_id,
    kind,
    description: describe(intent, sight),
    source_event_ids: move.event_ids,
    annotation: kind === 'type' ? 'USER_SPECIFIC' : (best?.annotation ?? 'DERIVED'),
    candidates,
    ...(input !== undefined && { input }),
    ...(optional === true && { optional }),
  }
  if (typeof body === 'string') return { step, recipe: [], trouble: body }
  const guard =
    optional === true && best !== undefined
      ? { when: best.selector }
      : flipGuard(intent, best, sight)
  return {
    step,
    recipe: [...prelude, { id: step_id, ...body }].map((one) => ({ ...one, ...guard })),
  }
}

/** A button that says what it would do next: once it says the other thing, there is nothing to do. */
function flipGuard(
  { kind, move }: Intent,
  best: Candidate | undefined,
  sight: ScreenView,
): { readonly unless?: RecipeSelector } {
  const { node, before, after } = move
  if (kind !== 'press' || best?.source !== 'resource_id' || node === undefined) return {}
  if (before === undefined || after === undefined || !isSameView(before, after)) return {}
  const now = nodeAt(after, node.path)
  const [old, said] = [shownWords(node), now === undefined ? '' : shownWords(now)]
  if (said === old || !canBeStructural(said) || !canBeStructural(old)) return {}
  if (sight.variable_words.has(said)) return {}
  return { unless: { ...best.selector, text_equals: literal(said) } }
}
