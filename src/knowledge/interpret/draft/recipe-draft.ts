import { Recipe, type RecipeStep, type RecipeVerification } from '@apprentice/contracts/recipes/recipe.ts'
import type { RecipeSelector } from '@apprentice/contracts/recipes/selector.ts'
import { inferCapabilities } from '../../recipes/lower/capabilities.ts'
import { listActions, MAX_ACTIONS } from '../../recipes/lower/lower-recipe.ts'
import type { Intent } from '../read/intent.ts'
import type { Dismissal } from '../read/normalized-trace.ts'
import { type Claim, toVerification } from '../prove/claims.ts'
import { draftDismissals } from './dismissals.ts'
import { draftDoneCheck, draftUndoneCheck } from './done-step.ts'
import { describeInOtherLanguage } from './other-language.ts'
import { draftStartingPoint } from './starting-point.ts'
import { canSkipIfDone } from '../prove/done-check.ts'
import { removeExamples } from '../align/examples.ts'
import { toRecipeInput, type LearnedInput } from '../read/inputs.ts'
import { readPackage } from '../normalize/launches.ts'
import type { Proof } from '../prove/proof.ts'
import { makeUniqueId } from './recipe-steps.ts'
import { findScroller } from '../read/screen.ts'
import { locateEntry, type ScreenView } from '../read/selectors.ts'
import { type ReplayFault, replayRecipe } from './replay.ts'
import { draftScrollToEnd } from './gesture-steps.ts'
import { locateList, LONG_SEARCH, NOT_IDENTIFIABLE } from './step-bodies.ts'
import { nameNode } from './step-text.ts'
import { listTolerated } from './tolerated-texts.ts'
import { toSlug, formatName } from '../read/node-text.ts'
import type { Doubt, InterpretationContext, LearnedStep, LearnedVerification } from './workflow.ts'

/** The parts that a recipe is made of. */
export interface RecipeParts {
  readonly intents: readonly Intent[]
  /** One per intent. */
  readonly steps: readonly LearnedStep[]
  readonly proof: Proof | undefined
  readonly inputs: readonly LearnedInput[]
  readonly dismissals: readonly Dismissal[]
  readonly view: ScreenView
}

export interface RecipeDraft {
  readonly recipe: Recipe | undefined
  readonly verification: readonly LearnedVerification[]
  readonly doubts: readonly Doubt[]
  readonly notes: readonly string[]
}

export function draftRecipe(parts: RecipeParts, context: InterpretationContext): RecipeDraft {
  const { intents } = parts
  const verification = draftVerification(parts)
  const notes = [...noteSelectors(parts.steps), ...noteLists(intents), ...noteUnprovedInputs(parts)]
  const doubts = parts.steps.flatMap(({ doubt }) => doubt ?? [])
  const app = intents[0] && readPackage(intents[0])
  if (doubts.length > 0 || app === undefined || !/^[A-Za-z]\w*(\.\w+)+$/.test(app)) {
    return { recipe: undefined, verification, doubts, notes }
  }
  const proofSteps = draftProofSteps(parts)
  const [firstCheck] = verification
  const proofStart = proofSteps[0]?.id ?? (firstCheck && `verify.${firstCheck.id}`)
  const skips = canSkipIfDone(intents, parts.proof)
  const asked = skips ? undefined : draftDoneCheck(intents, parts.proof, proofStart)
  const done = skips ? undefined : (asked ?? draftUndoneCheck(parts.steps, parts.proof))
  const steps = [
    ...parts.steps.flatMap(({ recipe_steps }, at) => [...(done?.at === at ? done.steps : []), ...recipe_steps]),
    ...proofSteps,
  ]
  const starts_on = findStartSelector(steps)
  const parsed = Recipe.safeParse({
    ...draftHeader(parts, context, app),
    ...(starts_on !== undefined && { starts_on }),
    capabilities: [],
    dismissals: draftDismissals(parts.dismissals, parts.view),
    ...draftStartingPoint(parts, app),
    verification: verification.map(({ text: _text, inputs: _inputs, proved_by: _by, ...one }) => one),
    ...(skips && { skip_if_done: true }),
    ...(notes.length > 0 && { known_quirks: notes }),
    steps,
  })
  if (!parsed.success || listActions(parsed.data).length > MAX_ACTIONS) {
    return { recipe: undefined, verification, doubts: [TOO_LONG], notes }
  }
  const faults = replayRecipe(parsed.data, parts)
  const missed = parts.steps.filter(({ recipe_steps }) => recipe_steps.some(({ id }) => hasFault(faults, id, 'target')))
  if (missed.length > 0) {
    return { recipe: undefined, verification, doubts: missed.map(doubtTarget), notes }
  }
  return { recipe: withCapabilities(leaveOut(parsed.data, faults), parts), verification, doubts, notes }
}

const hasFault = (faults: readonly ReplayFault[], id: string, part: ReplayFault['part']): boolean =>
  faults.some((fault) => fault.id === id && fault.part === part)

const doubtTarget = ({ description }: LearnedStep): Doubt => ({
  field: NOT_IDENTIFIABLE.field,
  reason: `${description}: ${NOT_IDENTIFIABLE.reason}`,
})

/** The recipe without guards, questions and further steps that are wrong on the screens of the demonstration. */
function leaveOut(recipe: Recipe, faults: readonly ReplayFault[]): Recipe {
  if (faults.length === 0) return recipe
  const steps = recipe.steps
    .filter(({ id }) => !hasFault(faults, id, 'question') && !hasFault(faults, id, 'proof_step'))
    .map(({ unless, ...step }) => {
      const isKept = unless !== undefined && !hasFault(faults, step.id, 'guard')
      return { ...step, ...(isKept && { unless }) }
    })
  return { ...recipe, steps }
}

const TOO_LONG: Doubt = {
  field: 'goal_summary',
  reason: 'The workflow is too long for one recipe; demonstrate it in smaller parts',
}

function draftHeader({ intents, proof, inputs }: RecipeParts, context: InterpretationContext, app: string) {
  const title = removeExamples(context.title ?? context.goal ?? `Workflow in ${app}`, inputs)
  const name = context.slug ?? (toSlug(title) || 'workflow')
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
    inputs: inputs.map(toRecipeInput),
    outputs: [],
    failure_modes: listFailureModes(intents),
  }
}

/** Whether the workflow does more than navigate and read. */
function changesSomething(intents: readonly Intent[], proof: Proof | undefined): boolean {
  const showsValue = proof?.claims.some(({ check }) => check.kind !== 'present') === true
  if ((proof?.strength ?? 0) >= 4 || showsValue) return true
  return intents.some(
    ({ kind, before }) => ['adjust', 'toggle', 'date', 'type', 'pick'].includes(kind) || before?.is_dialog === true,
  )
}

/** An improved recipe gets the next minor version. */
function nextVersion(version: string | undefined): string {
  const [, major, minor] = /^(\d+)\.(\d+)\./.exec(version ?? '') ?? []
  return major === undefined || minor === undefined ? '1.0.0' : `${major}.${Number(minor) + 1}.0`
}

const PURCHASE = /\b(?:order|buy|pay|purchase|check ?out|subscribe)\b/i
const REMOVAL = /\b(?:delete|remove|erase|clear|discard|reset)\b/i

function withCapabilities(recipe: Recipe, { intents, proof, view }: RecipeParts): Recipe {
  const pressed = intents
    .filter(({ kind }) => kind === 'press')
    .map(({ node }) => `${nameNode(node, view)} ${node?.attributes['resource-id'] ?? ''}`)
    .map((name) => name.replaceAll(/[_/:]/g, ' '))
  const buys = pressed.some((name) => PURCHASE.test(name))
  const removes =
    pressed.some((name) => REMOVAL.test(name)) || proof?.claims.some(({ check }) => check.kind === 'absent') === true
  const capabilities = inferCapabilities(recipe)
  return {
    ...recipe,
    capabilities: buys ? [...capabilities, 'purchase_risk'] : capabilities,
    risk_level: buys ? 'high' : removes ? 'medium' : 'low',
  }
}

function draftVerification({ proof, intents, view, steps }: RecipeParts): LearnedVerification[] {
  const taken = new Set<string>()
  const last = intents.at(-1)
  return (proof?.claims ?? []).map((claim) => {
    const subject = claim.inputs.at(-1) ?? 'end'
    const verb = claim.check.kind === 'absent' ? 'gone' : 'shows'
    const verification = toVerification(claim, makeUniqueId(`${verb}_${subject}`, taken))
    const tolerated = proof === undefined ? [] : listTolerated(claim, proof, view)
    const other_language = proof && describeInOtherLanguage(claim, { proof, intents, view })
    return {
      ...verification,
      ...findSwitchAnchors(verification, steps),
      ...(tolerated.length > 0 && { tolerated }),
      ...(other_language !== undefined && { other_language }),
      text: claim.text,
      inputs: claim.inputs,
      proved_by: { trace_id: last?.trace_id ?? '', event_id: last?.event_ids.at(-1) ?? '' },
    }
  })
}

/** The state of a switch is read where the switch was found, also if it has another label. */
function findSwitchAnchors(
  { checked, selector, container, fallbacks }: RecipeVerification,
  steps: readonly LearnedStep[],
): { readonly fallbacks?: RecipeVerification['fallbacks'] } {
  if (checked === undefined || fallbacks !== undefined || selector.annotation !== 'STRUCTURAL') return {}
  const wanted = JSON.stringify([selector, container])
  const own = steps
    .flatMap(({ recipe_steps }) => recipe_steps)
    .find((step) => step.type === 'set_checked' && JSON.stringify([step.selector, step.container]) === wanted)
  return own?.fallbacks === undefined ? {} : { fallbacks: own.fallbacks }
}

/** The steps that make the proof visible: scroll to the entry, or open it again. */
function draftProofSteps({ proof, steps, intents }: RecipeParts): RecipeStep[] {
  const taken = new Set(steps.flatMap(({ recipe_steps }) => recipe_steps.map(({ id }) => id)))
  const message = proof?.message === undefined ? [] : [draftMessageCheck(proof.message, taken)]
  if (proof?.reopen !== undefined) {
    const again = proof.reopen.flatMap((intent) => steps[intents.indexOf(intent)]?.recipe_steps ?? [])
    const wait = { id: makeUniqueId('wait', taken), type: 'sleep' as const, params: { durationMs: REVERT_MS } }
    return [...message, wait, ...again.map((step) => ({ ...step, id: makeUniqueId(`${step.id}_again`, taken) }))]
  }
  return [...message, ...draftEntrySearch(proof, taken)]
}

/** A window that is opened again shows what is stored then. An app that takes a change back does it a little later. */
const REVERT_MS = 2500

/** The message must be seen at once: it disappears while the run looks at the thing itself. */
function draftMessageCheck({ selector, container }: Claim, taken: Set<string>): RecipeStep {
  return {
    id: makeUniqueId('see_message', taken),
    type: 'expect',
    selector,
    ...(container !== undefined && { container }),
    params: { timeoutMs: MESSAGE_MS, added: true },
  }
}

const MESSAGE_MS = 10_000

function draftEntrySearch(proof: Proof | undefined, taken: Set<string>): RecipeStep[] {
  const entry = proof?.entry
  if (entry === undefined) return []
  const scroller = entry.row.group.scroller ?? findScroller(entry.row.node)
  if (scroller === undefined) return []
  const position = proof?.claims.find(({ selector }) => selector.entry_position !== undefined)?.selector.entry_position
  if (position !== undefined) {
    const id = makeUniqueId('show_end_of_list', taken)
    return [{ id, ...draftScrollToEnd(position, locateList(scroller, proof?.end)) }]
  }
  return [
    {
      id: makeUniqueId(`show_${entry.input}`, taken),
      type: 'scroll_until',
      selector: (proof?.message === undefined ? undefined : proof.claims[0]?.selector) ?? locateEntry(entry).selector,
      ...locateList(scroller, proof?.end),
      params: { direction: 'down', bothWays: true, ...LONG_SEARCH, clickAfter: false },
    },
  ]
}

/** What the first screen must contain: the list or the target of the first step. */
function findStartSelector(steps: readonly RecipeStep[]): RecipeSelector | undefined {
  // A question about the state may be answered with no.
  const first = steps.find(({ type }) => type !== 'expect')
  if (first === undefined || first.when !== undefined) return undefined
  const isSearch = first.type === 'scroll_and_click' || first.type === 'scroll_until'
  if (isSearch) return first.container
  const { selector, container } = first
  return container === undefined && selector?.annotation === 'STRUCTURAL' ? selector : undefined
}

function listFailureModes(intents: readonly Intent[]): string[] {
  const entries = intents.flatMap(({ kind, entry }) => (kind === 'choose' && entry !== undefined ? [entry.input] : []))
  const numbers = intents.flatMap(({ kind, input }) => (kind === 'adjust' && input !== undefined ? [input] : []))
  return [
    ...new Set(entries.map((name) => `There is no ${formatName(name)} with that name, or more than one`)),
    ...new Set(numbers.map((name) => `The ${formatName(name)} cannot be set to exactly that number`)),
    'An unknown window covers the app',
  ]
}

function noteSelectors(steps: readonly LearnedStep[]): string[] {
  const byText = steps.some(({ candidates: [best] }) => {
    return best !== undefined && ['text', 'label', 'id_and_text', 'content_description'].includes(best.source)
  })
  const byPosition = steps.some(({ candidates: [best] }) => best?.source === 'position')
  return [
    ...(byText ? ['Some targets are found by text in the language of the phone'] : []),
    ...(byPosition ? ['Some targets are found by position only; another app version may move them'] : []),
  ]
}

/** Names the inputs whose outcome no verification covers. */
function noteUnprovedInputs({ intents, proof }: RecipeParts): string[] {
  const proved = new Set(proof?.claims.flatMap(({ inputs }) => inputs) ?? [])
  const unproved = intents.flatMap(({ kind, input }) =>
    input !== undefined && kind !== 'press' && !proved.has(input) ? [formatName(input)] : [],
  )
  return unproved.length === 0 ? [] : [`The outcome does not show: ${[...new Set(unproved)].join(', ')}`]
}

function noteLists(intents: readonly Intent[]): string[] {
  const names = intents.flatMap(({ entry }) => (entry === undefined ? [] : [entry.input]))
  return [...new Set(names)].map((name) => `Entries may differ in number and order: ${formatName(name)}`)
}
