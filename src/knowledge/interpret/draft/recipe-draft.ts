import { Recipe, type RecipeStep } from '@apprentice/contracts/recipes/recipe.ts'
import type { RecipeSelector } from '@apprentice/contracts/recipes/selector.ts'
import { inferCapabilities } from '../../recipes/lower/capabilities.ts'
import { actionsOf, MAX_ACTIONS } from '../../recipes/lower/lower-recipe.ts'
import type { Intent } from '../align/intent.ts'
import type { Dismissal } from '../read/normalized-run.ts'
import { toVerification } from '../prove/claims.ts'
import { dismissalsOf } from '../normalize/dismissals.ts'
import { mayBeDoneAlready } from '../prove/early-look.ts'
import { withoutExamples } from '../align/examples.ts'
import { declared, type LearnedInput } from '../read/inputs.ts'
import { packageOf } from '../normalize/launching.ts'
import type { Proof } from '../prove/proof.ts'
import { type DraftedStep, freeId } from './recipe-steps.ts'
import { isList, scrollerOf } from '../read/screen.ts'
import { entryPlace, type ScreenView } from '../read/selectors.ts'
import { listPlace, LONG_SEARCH } from './step-bodies.ts'
import { thing } from './step-words.ts'
import { slug, spoken } from '../read/words.ts'
import type { Doubt, InterpretationContext, LearnedVerification } from './workflow.ts'

/** All that a recipe is put together from. */
export interface RecipeParts {
  readonly intents: readonly Intent[]
  readonly drafted: readonly DraftedStep[]
  readonly proof: Proof | undefined
  readonly inputs: readonly LearnedInput[]
  readonly dismissals: readonly Dismissal[]
  readonly sight: ScreenView
}

export interface MadeRecipe {
  readonly recipe: Recipe | undefined
  readonly verification: readonly LearnedVerification[]
  readonly doubts: readonly Doubt[]
  readonly notes: readonly string[]
}

export function draftRecipe(parts: RecipeParts, context: InterpretationContext): MadeRecipe {
  const { drafted, intents } = parts
  const verification = verificationOf(parts)
  const notes = [...languageNotes(drafted), ...listNotes(intents), ...unseenNotes(parts)]
  const doubts = drafted.flatMap(({ trouble, step }) => troubleOf(trouble, step.description))
  const app = intents[0] && packageOf(intents[0].move)
  if (doubts.length > 0 || app === undefined || !/^[A-Za-z]\w*(\.\w+)+$/.test(app)) {
    return { recipe: undefined, verification, doubts, notes }
  }
  const steps = [...drafted.flatMap(({ recipe }) => recipe), ...proofSteps(parts)]
  const starts_on = startOf(steps)
  const read = Recipe.safeParse({
    ...frontOf(parts, context, app),
    ...(starts_on !== undefined && { starts_on }),
    capabilities: [],
    dismissals: dismissalsOf(parts.dismissals, parts.sight),
    verification: verification.map(
      ({ words: _words, inputs: _inputs, proved_by: _by, ...one }) => one,
    ),
    ...(mayBeDoneAlready(intents, parts.proof) && { skip_if_done: true }),
    ...(notes.length > 0 && { known_quirks: notes }),
    steps,
  })
  if (!read.success || actionsOf(read.data).length > MAX_ACTIONS) {
    return { recipe: undefined, verification, doubts: [TOO_MUCH], notes }
  }
  return { recipe: withCapabilities(read.data, parts), verification, doubts, notes }
}

const TOO_MUCH: Doubt = {
  field: 'goal_summary',
  reason: 'This is more than one recipe can hold; show it in smaller parts',
}

function frontOf(
  { intents, proof, inputs }: RecipeParts,
  context: InterpretationContext,
  app: string,
) {
  const said = context.title ?? context.goal ?? `Workflow in ${app}`
  const title = withoutExamples(said, inputs)
  const name = context.slug ?? (slug(title) || 'workflow')
  const isAction = (proof?.claims.length ?? 0) > 0 && changesSomething(intents, proof)
  return {
    recipe_id: context.target_recipe?.recipe_id ?? `${app}.${name}`.slice(0, 128),
    recipe_version: nextVersion(context.target_recipe?.recipe_version),
    recipe_type: isAction ? 'action' : 'flow',
    recipe_dialect: 2,
    application_id: app,
    summary: title.slice(0, 240),
    frameworks: ['unknown'],
    session_policy: 'fresh',
    app_build: context.app_build ?? { version_name: 'unknown', version_code: 0 },
    tested_on: context.tested_on ?? { android_api: 1 },
    inputs: inputs.map(declared),
    outputs: [],
    failure_modes: failureModes(intents),
  }
}

/** More than going somewhere and looking. */
function changesSomething(intents: readonly Intent[], proof: Proof | undefined): boolean {
  const tells = proof?.claims.some(({ check }) => check.kind !== 'present')
  if ((proof?.strength ?? 0) >= 4 || tells === true) return true
  return intents.some(
    ({ kind, move }) =>
      ['adjust', 'toggle', 'type', 'pick'].includes(kind) || move.before?.is_dialog === true,
  )
}

/** A better version of the same: the second number grows. */
function nextVersion(version: string | undefined): string {
  const [, major, minor] = /^(\d+)\.(\d+)\./.exec(version ?? '') ?? []
  return major === undefined || minor === undefined ? '1.0.0' : `${major}.${Number(minor) + 1}.0`
}

const PURCHASE = /\b(?:order|buy|pay|purchase|check ?out|subscribe)\b/i
const REMOVAL = /\b(?:delete|remove|erase|clear|discard|reset)\b/i

function withCapabilities(recipe: Recipe, { intents, proof, sight }: RecipeParts): Recipe {
  const pressed = intents
    .filter(({ kind }) => kind === 'press')
    .map(({ move }) => `${thing(move.node, sight)} ${move.node?.attributes['resource-id'] ?? ''}`)
    .map((words) => words.replaceAll(/[_/:]/g, ' '))
  const buys = pressed.some((words) => PURCHASE.test(words))
  const removes =
    pressed.some((words) => REMOVAL.test(words)) ||
    proof?.claims.some(({ check }) => check.kind === 'absent') === true
  const capabilities = inferCapabilities(recipe)
  return {
    ...recipe,
    capabilities: buys ? [...capabilities, 'purchase_risk'] : capabilities,
    risk_level: buys ? 'high' : removes ? 'medium' : 'low',
  }
}

function verificationOf({ proof, intents }: RecipeParts): LearnedVerification[] {
  const taken = new Set<string>()
  const last = intents.at(-1)?.move
  return (proof?.claims ?? []).map((claim) => {
    const about = claim.inputs.at(-1) ?? 'end'
    const verb = claim.check.kind === 'absent' ? 'gone' : 'shows'
    const verification = toVerification(claim, freeId(`${verb}_${about}`, taken))
    return {
      ...verification,
      words: claim.words,
      inputs: claim.inputs,
      proved_by: { trace_id: last?.trace_id ?? '', event_id: last?.event_ids.at(-1) ?? '' },
    }
  })
}

/** What brings the proof before the eyes: the entry in view, or opened once more. */
function proofSteps({ proof, drafted, intents }: RecipeParts): RecipeStep[] {
  const taken = new Set(drafted.flatMap(({ recipe }) => recipe.map(({ id }) => id)))
  if (proof?.reopen !== undefined) {
    const at = intents.indexOf(proof.reopen)
    return (drafted[at]?.recipe ?? []).map((step) => ({
      ...step,
      id: freeId(`${step.id}_again`, taken),
    }))
  }
  const entry = proof?.show
  if (entry === undefined) return []
  const scroller = isList(entry.row.list) ? entry.row.list : scrollerOf(entry.row.node)
  if (scroller === undefined) return []
  return [
    {
      id: freeId(`show_${entry.input}`, taken),
      type: 'scroll_until',
      selector: entryPlace(entry.row.node, entry).selector,
      ...listPlace(scroller, proof?.end),
      params: { direction: 'down', bothWays: true, ...LONG_SEARCH, clickAfter: false },
    },
  ]
}

/** What must be seen before the first step: its list, or the thing itself. */
function startOf([first]: readonly RecipeStep[]): RecipeSelector | undefined {
  if (first === undefined || first.when !== undefined) return undefined
  const searching = first.type === 'scroll_and_click' || first.type === 'scroll_until'
  if (searching) return first.container
  const { selector, container } = first
  return container === undefined && selector?.annotation === 'STRUCTURAL' ? selector : undefined
}

function troubleOf(trouble: string | undefined, description: string): Doubt[] {
  if (trouble === undefined) return []
  const field = trouble.includes('slider') ? 'success_condition' : 'goal_summary'
  return [{ field, reason: `${description}: ${trouble}` }]
}

function failureModes(intents: readonly Intent[]): string[] {
  const entries = intents.flatMap(({ kind, entry }) =>
    kind === 'choose' && entry !== undefined ? [entry.input] : [],
  )
  const numbers = intents.flatMap(({ kind, input }) =>
    kind === 'adjust' && input !== undefined ? [input] : [],
  )
  return [
    ...new Set(entries.map((name) => `There is no such ${spoken(name)}, or several of that name`)),
    ...new Set(numbers.map((name) => `The ${spoken(name)} cannot be set to exactly that number`)),
    'A window that is not known lies over the app',
  ]
}

function languageNotes(drafted: readonly DraftedStep[]): string[] {
  const byWords = drafted.some(({ step }) => {
    const [best] = step.candidates
    return (
      best !== undefined &&
      ['text', 'label', 'id_and_text', 'content_description'].includes(best.source)
    )
  })
  const byPlace = drafted.some(({ step }) => step.candidates[0]?.source === 'position')
  return [
    ...(byWords ? ['Some things are found by words in the language the phone was set to'] : []),
    ...(byPlace
      ? ['Some things are found by their place only; another version may have moved them']
      : []),
  ]
}

/** What is given and done, but not told by the outcome. */
function unseenNotes({ intents, proof }: RecipeParts): string[] {
  const told = new Set(proof?.claims.flatMap(({ inputs }) => inputs) ?? [])
  const unseen = intents.flatMap(({ kind, input }) =>
    input !== undefined && kind !== 'press' && !told.has(input) ? [spoken(input)] : [],
  )
  return unseen.length === 0
    ? []
    : [`The outcome does not tell: ${[...new Set(unseen)].join(', ')}`]
}

function listNotes(intents: readonly Intent[]): string[] {
  const names = intents.flatMap(({ entry }) => (entry === undefined ? [] : [entry.input]))
  return [...new Set(names)].map(
    (name) => `There may be more or fewer of each ${spoken(name)} than were shown, in any order`,
  )
}
