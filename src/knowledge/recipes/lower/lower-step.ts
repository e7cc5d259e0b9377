import { isActionType, ACTION_PARAMS, RETRY_PRESETS } from '@apprentice/contracts/devices/action.ts'
import type { Recipe, RecipeConfirm, RecipeStep, RecipeVerification } from '@apprentice/contracts/recipes/recipe.ts'
import type { SelectorClause } from '@apprentice/contracts/recipes/selector.ts'
import { escapePattern } from '../parse/fill-inputs.ts'
import { omitUndefined, lowerSelector, lowerTarget } from './lower-selector.ts'
import { parseSelector } from '../parse/recipe-selectors.ts'
import { isHarmless, isSelectorParam, toParamName, TARGET_PARAM } from '../parse/step-params.ts'

/** An action of an execution and the part of the recipe that it comes from. */
export interface LoweredAction {
  readonly action: {
    readonly id: string
    readonly type: string
    readonly params: Readonly<Record<string, unknown>>
    readonly [more: string]: unknown
  }
  readonly step_id: string
  readonly role: 'session' | 'step' | 'wait' | 'confirm' | 'verification'
}

const CONFIRM_TIMEOUT_MS = 5000
const READY_TIMEOUT_MS = 15_000

/** The actions of one step: the step itself, its wait and its confirmation. */
export function lowerStep(step: RecipeStep, recipe: Recipe): LoweredAction[] {
  const { id, type, confirm } = step
  const afterMs = step.wait?.after_ms ?? 0
  const own = omitUndefined({
    id,
    type,
    params: lowerParams(step, recipe),
    expects: lowerEffect(step),
    when: step.when && lowerSelector(step.when),
    unless: step.unless && lowerSelector(step.unless),
    doneIfMissing: canBeDone(step, recipe) || undefined,
    doneIfReversed: canBeReversed(step, recipe) || undefined,
    repeatable: (PRESSES.has(type) && step.params?.['repeatable'] === true) || undefined,
  }) as LoweredAction['action']
  const wait = { id: `${id}.wait`, type: 'sleep', params: { durationMs: afterMs } }
  return [
    { action: own, step_id: id, role: 'step' },
    ...(afterMs > 0 ? [{ action: wait, step_id: id, role: 'wait' as const }] : []),
    ...(confirm === undefined ? [] : lowerConfirm(id, confirm, recipe.recipe_dialect)),
  ]
}

/**
 * Whether a step may be unnecessary: what it acts on is a control of the app, and the checks are about a state that may
 * be there already. An entry that is missing is another matter, unless it is a value of an entry that was found, and the
 * checks name it. If an entry is opened again after the press, the checks are about what was stored: a form shows the
 * same before it is saved. What was typed must be named by a check or a choice: a page that says that a search found
 * nothing says the same of what never existed.
 */
function canBeDone(step: RecipeStep, { verification = [], steps }: Recipe): boolean {
  if (verification.length === 0 || opensAgain(step, steps)) return false
  const earlier = steps.slice(0, steps.indexOf(step))
  if (!isControl(step) && !(isValueOfEntry(step, verification) && earlier.some(choosesEntry))) return false
  const typed = earlier.flatMap(({ type: before, params }) => (before === 'enter_text' ? readText(params) : []))
  const named = JSON.stringify([verification, earlier.map((one) => one.selector)])
  // The inputs may be filled in already.
  if (typed.some((text) => !named.includes(JSON.stringify(text).slice(1, -1)))) return false
  return verification.every(
    ({ present, transient, added, changed, changed_by }) =>
      present !== false && transient !== true && added !== true && changed !== true && changed_by === undefined,
  )
}

const isControl = ({ type, selector }: RecipeStep): boolean =>
  PRESSES.has(type) && selector?.annotation === 'STRUCTURAL'

const choosesEntry = ({ type, selector }: RecipeStep): boolean =>
  type === 'scroll_and_click' && selector?.annotation === 'VARIABLE'

/** Whether a step fills in a field, or chooses a value that a check names. */
function isValueOfEntry({ type, selector }: RecipeStep, verification: readonly RecipeVerification[]): boolean {
  if (type === 'enter_text') return verification.some(({ annotation }) => annotation === 'VARIABLE')
  if (!PRESSES.has(type) || selector?.annotation !== 'VARIABLE') return false
  const named = JSON.stringify(verification)
  const { part_equals = '', containing, row = [] } = selector
  const texts = [part_equals, containing?.part_equals ?? '', ...row.map((one) => one.part_equals ?? '')]
  return texts.some((text) => text !== '' && named.includes(JSON.stringify(text)))
}

/**
 * Whether a step opens again what was opened before, or such a step follows: what is opened again after a pause shows what
 * was stored.
 */
function opensAgain(step: RecipeStep, steps: readonly RecipeStep[]): boolean {
  const at = steps.indexOf(step)
  const opened = new Set(steps.slice(0, at).map((one) => JSON.stringify(one.selector ?? {})))
  const isOpened = ({ selector }: RecipeStep) => selector !== undefined && opened.has(JSON.stringify(selector))
  const paused = steps.slice(0, at).some(({ type }) => type === 'sleep')
  return (
    (paused && isOpened(step)) ||
    steps.slice(at + 1).some((one) => isCheck(one) || (one.selector?.annotation === 'VARIABLE' && isOpened(one)))
  )
}

/** Whether a press is one that a control may say the opposite of: the first of its kind, before anything is looked at again. */
function canBeReversed(step: RecipeStep, { verification = [], steps }: Recipe): boolean {
  const isAgain = steps.slice(0, steps.indexOf(step)).some(({ type }) => type === 'sleep')
  return isControl(step) && verification.length > 0 && !isAgain
}

/** A message that must be seen before the run looks at what was stored. */
const isCheck = ({ type, params = {} }: RecipeStep): boolean =>
  type === 'expect' &&
  params['present'] !== false &&
  params['skipTo'] === undefined &&
  params['elseSkipTo'] === undefined

function readText(params: RecipeStep['params']): string[] {
  const text = params?.['text']
  return typeof text === 'string' ? [text] : []
}

const PRESSES: ReadonlySet<string> = new Set(['click', 'scroll_and_click'])

/** Restarts the app for session policy `fresh`, then waits for `starts_on`. */
export function lowerStart(recipe: Recipe): LoweredAction[] {
  const { session_policy, fresh_start_injected, application_id, starts_on } = recipe
  const restarts = session_policy === 'fresh' && fresh_start_injected !== false
  const params = { applicationId: application_id }
  const actions: LoweredAction['action'][] = [
    ...(restarts
      ? [
          { id: 'session_close', type: 'close_app', params },
          { id: 'session_open', type: 'open_app', params },
        ]
      : []),
    ...(starts_on === undefined
      ? []
      : [
          {
            id: 'session_ready',
            type: 'wait_for_node',
            params: {
              matcher: lowerTarget(starts_on, findStartFallbacks(recipe)),
              timeoutMs: READY_TIMEOUT_MS,
              backUntilShown: true,
            },
          },
        ]),
  ]
  return actions.map((action) => ({ action, step_id: action.id, role: 'session' }))
}

/** The first step finds its target in other ways too, for example in another language. */
function findStartFallbacks({ starts_on, steps: [first] }: Recipe): RecipeStep['fallbacks'] {
  return JSON.stringify(first?.selector) === JSON.stringify(starts_on) ? first?.fallbacks : undefined
}

export function lowerVerification(verification: RecipeVerification): LoweredAction {
  const { id, number_equals, tolerance, checked, present, other_language: other } = verification
  const params = omitUndefined({
    ...lowerLocation(verification),
    present,
    text: textCheck(verification),
    number: number_equals === undefined ? undefined : omitUndefined({ equals: number_equals, tolerance }),
    checked,
    timeoutMs: verification.timeout_ms,
    settled: true,
    transient: verification.transient,
    added: verification.added,
    changed: verification.changed,
    changedBy: verification.changed_by,
    tolerated: verification.tolerated,
    otherLanguage: other && omitUndefined({ matcher: lowerSelector(other.selector), change: other.change }),
  })
  const action = { id: `verify.${id}`, type: 'expect', params }
  return { action, step_id: action.id, role: 'verification' }
}

/** Searches the whole list for a node that must be absent. */
export function lowerAbsenceSearch(verification: RecipeVerification): LoweredAction[] {
  if (verification.present !== false || verification.whole_list !== true) return []
  const params = {
    ...lowerLocation(verification),
    direction: 'down',
    bothWays: true,
    absent: true,
    maxScrolls: 100,
    maxDurationMs: 60_000,
  }
  const action = { id: `verify.${verification.id}.list`, type: 'scroll_until', params }
  return [{ action, step_id: `verify.${verification.id}`, role: 'verification' }]
}

function lowerParams(step: RecipeStep, recipe: Recipe): Readonly<Record<string, unknown>> {
  const { type, params = {}, retries } = step
  const target = TARGET_PARAM[type]
  const written = Object.entries(params).flatMap(([name, value]) => {
    const spelled = toParamName(type, name)
    if (spelled === undefined) return []
    const selector = isSelectorParam(type, spelled) ? parseSelector(value) : undefined
    return [[spelled, selector === undefined ? value : lowerTarget(selector, selector.fallbacks)] as const]
  })
  const application = type === 'open_app' || type === 'close_app'
  return omitUndefined({
    ...(application && { applicationId: recipe.application_id }),
    ...Object.fromEntries(written),
    ...(target !== undefined && { [target]: lowerTarget(step.selector, step.fallbacks) }),
    container: step.container && lowerSelector(step.container),
    ...lowerRetries(step, retries?.count, Object.fromEntries(written)),
  })
}

/** `count` does not include the first attempt; `maxAttempts` of an execution does. */
function lowerRetries(
  { type }: RecipeStep,
  count: number | undefined,
  written: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  if (count === undefined || !isActionType(type)) return {}
  const names = ['retry', 'scrollRetry', 'clickRetry'].filter((name) => Object.hasOwn(ACTION_PARAMS[type].shape, name))
  const maxAttempts = Math.min(count + 1, 10)
  const base = (name: string) => written[name] ?? RETRY_PRESETS.UiReadiness
  return Object.fromEntries(names.map((name) => [name, { ...base(name), maxAttempts }]))
}

function lowerEffect(step: RecipeStep): { readonly effect: string } | undefined {
  if (isHarmless(step)) return { effect: 'local_state' }
  return step.params?.['effect'] === 'side_effect' ? { effect: 'side_effect' } : undefined
}

/** Dialect 1 has no `expect`: it waits for the node and validates its text with a pattern. */
function lowerConfirm(id: string, confirm: RecipeConfirm, dialect: 1 | 2): LoweredAction[] {
  const location = lowerLocation(confirm)
  const timeoutMs = confirm.timeout_ms ?? CONFIRM_TIMEOUT_MS
  const text = textCheck(confirm)
  const actions: LoweredAction['action'][] =
    dialect === 2
      ? [
          {
            id: `${id}.confirm`,
            type: 'expect',
            params: omitUndefined({ ...location, text, timeoutMs }),
          },
        ]
      : [
          { id: `${id}.confirm_wait`, type: 'wait_for_node', params: { ...location, timeoutMs } },
          ...(text === undefined ? [] : [confirmRead(id, location, toPattern(text))]),
        ]
  return actions.map((action) => ({ action, step_id: id, role: 'confirm' }))
}

function confirmRead(id: string, location: object, validatorPattern: string): LoweredAction['action'] {
  const params = { ...location, validator: 'regex', validatorPattern }
  return { id: `${id}.confirm_read`, type: 'read_text', params }
}

function lowerLocation({
  selector,
  container,
  fallbacks,
}: {
  readonly selector: SelectorClause
  readonly container?: SelectorClause | undefined
  readonly fallbacks?: readonly SelectorClause[] | undefined
}) {
  return omitUndefined({
    matcher: lowerTarget(selector, fallbacks),
    container: container && lowerSelector(container),
  })
}

interface TextCheck {
  readonly equals?: string
  readonly contains?: string
  readonly matches?: string
}

function textCheck(check: {
  readonly text_equals?: string | undefined
  readonly text_contains?: string | undefined
  readonly text_matches?: string | undefined
}): TextCheck | undefined {
  if (check.text_equals !== undefined) return { equals: check.text_equals }
  if (check.text_contains !== undefined) return { contains: check.text_contains }
  return check.text_matches === undefined ? undefined : { matches: check.text_matches }
}

/** A pattern for the whole text. `contains` is case-insensitive. */
function toPattern({ equals, contains, matches }: TextCheck): string {
  if (equals !== undefined) return escapePattern(equals.trim())
  if (contains === undefined) return matches ?? ''
  return `[\\s\\S]*${Array.from(contains, matchAnyCase).join('')}[\\s\\S]*`
}

function matchAnyCase(letter: string): string {
  const cases = [...new Set([letter.toLowerCase(), letter.toUpperCase()])]
  return cases.length === 2 && cases.every((one) => one.length === 1) ? `[${cases.join('')}]` : escapePattern(letter)
}
