import type { RecipeSelector } from '@apprentice/contracts/recipes/selector.ts'
import { readControlActions } from '../../../screen/control-actions.ts'
import type { Proof } from '../prove/proof.ts'
import type { Intent } from '../read/intent.ts'
import { escapeReferences } from '../read/matching.ts'
import { readText, toSlug } from '../read/node-text.ts'
import { findNode, isSameView } from '../read/screen.ts'
import type { Candidate, ScreenView } from '../read/selectors.ts'
import { isStructuralText } from '../read/structural-text.ts'
import { onlyOpens } from './opening.ts'
import { draftScrollIntoView, draftStepBody, findStepCandidates } from './step-bodies.ts'
import { describeIntent } from './step-text.ts'
import { mayUndo } from './undo-risk.ts'
import { draftWindowWait } from './window-wait.ts'
import type { LearnedStep } from './workflow.ts'

/** Drafts the recipe steps of each intent. */
export function draftSteps(intents: readonly Intent[], view: ScreenView, proof: Proof | undefined): LearnedStep[] {
  const taken = new Set<string>()
  return intents.map((intent, at) => {
    const step = draftStep(intent, { view, taken, previous: intents[at - 1], next: intents[at + 1] })
    return mayUndo(intent, intents.slice(0, at), proof, intents[at + 1]) ? withoutBarePlaces(step, intent) : step
  })
}

/**
 * Removes the ways to find a target that do not rest on what it says or on its id. At its place it must say that it does
 * the same, under whatever label.
 */
function withoutBarePlaces(step: LearnedStep, { node }: Intent): LearnedStep {
  const means = node === undefined ? [] : [...readControlActions(node)]
  const recipe_steps = step.recipe_steps.map(({ fallbacks = [], ...one }) => {
    const kept = fallbacks.flatMap((fallback) => {
      if (fallback.page === undefined && fallback.annotation !== 'DERIVED') return [fallback]
      return means.length === 0 ? [] : [{ ...fallback, means }]
    })
    return { ...one, ...(kept.length > 0 && { fallbacks: kept }) }
  })
  return { ...step, recipe_steps }
}

/** Appends a number if an id is taken, and marks the result as taken. */
export function makeUniqueId(proposed: string, taken: Set<string>): string {
  let id = proposed
  for (let count = 2; taken.has(id); count += 1) id = `${proposed}_${count}`
  taken.add(id)
  return id
}

interface Drafting {
  readonly view: ScreenView
  /** The ids of the steps so far. */
  readonly taken: Set<string>
  readonly previous: Intent | undefined
  readonly next: Intent | undefined
}

function draftStep(intent: Intent, { view, taken, previous, next }: Drafting): LearnedStep {
  const { kind, input, optional, event_ids } = intent
  const candidates = findStepCandidates(intent, view)
  const [best] = candidates
  const proposedId = proposeId(intent, view)
  const body = markRepeatable(draftStepBody(intent, best, view), intent, next)
  const searches = 'reason' in body ? [] : draftScrollIntoView(intent, body)
  const wait = best && draftWindowWait(intent, best, previous, view)
  const prelude = [
    ...(wait === undefined || 'reason' in body ? [] : [{ id: makeUniqueId(`wait_for_${proposedId}`, taken), ...wait }]),
    ...searches.map((search) => ({ id: makeUniqueId(`find_for_${proposedId}`, taken), ...search })),
  ]
  const step_id = makeUniqueId(proposedId, taken)
  const description = describeIntent(intent, view)
  const step = {
    step_id,
    kind,
    description,
    source_event_ids: event_ids,
    annotation: kind === 'type' ? 'USER_SPECIFIC' : (best?.annotation ?? 'DERIVED'),
    candidates,
    ...(input !== undefined && { input }),
    ...(optional === true && { optional }),
  } as const
  if ('reason' in body) {
    const doubt = { field: body.field, reason: `${description}: ${body.reason}` }
    return { ...step, recipe_steps: [], doubt }
  }
  const guard =
    optional === true && best !== undefined ? { when: best.selector } : guardChangedLabel(intent, best, view)
  const recipe_steps = [...prelude, { id: step_id, ...body }].map((one) => ({ ...one, ...guard }))
  return { ...step, recipe_steps }
}

/** A press that only opens something may be repeated if it was lost. */
function markRepeatable(body: ReturnType<typeof draftStepBody>, intent: Intent, next: Intent | undefined) {
  if ('reason' in body || !PRESSES.has(body.type) || !onlyOpens(intent, next)) return body
  return { ...body, params: { ...body.params, repeatable: true } }
}

const PRESSES: ReadonlySet<string> = new Set(['click', 'scroll_and_click'])

function proposeId(intent: Intent, view: ScreenView): string {
  const { kind, input, entry } = intent
  const object = input ?? (NAMED_BY_ENTRY.has(kind) ? entry?.input : undefined)
  const verb = VERBS[kind]
  return object === undefined ? toSlug(describeIntent(intent, view)) || verb : `${verb}_${object}`
}

const NAMED_BY_ENTRY: ReadonlySet<Intent['kind']> = new Set(['choose', 'swipe', 'move'])

const VERBS: Readonly<Record<Intent['kind'], string>> = {
  choose: 'choose',
  pick: 'select',
  type: 'fill',
  adjust: 'set',
  date: 'pick',
  toggle: 'switch',
  press: 'press',
  key: 'key',
  open_app: 'open',
  scroll: 'scroll',
  slide: 'move',
  swipe: 'swipe',
  move: 'move',
}

/** The label of a button changed, for example from Start to Stop. The step is skipped if it is new already. */
function guardChangedLabel(
  { kind, node, before, after }: Intent,
  best: Candidate | undefined,
  view: ScreenView,
): { readonly unless?: RecipeSelector } {
  if (kind !== 'press' || best?.source !== 'resource_id' || node === undefined) return {}
  if (before === undefined || after === undefined || !isSameView(before, after)) return {}
  const now = findNode(after, node.path)
  const [oldLabel, newLabel] = [readText(node), now === undefined ? '' : readText(now)]
  if (newLabel === oldLabel || !isStructuralText(newLabel) || !isStructuralText(oldLabel)) return {}
  if (view.variable_texts.has(newLabel) || !view.isOfApp(newLabel)) return {}
  return { unless: { ...best.selector, text_equals: escapeReferences(newLabel) } }
}
