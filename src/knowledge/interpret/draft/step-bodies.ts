import type { RecipeStep } from '@apprentice/contracts/recipes/recipe.ts'
import type { RecipeFallback, RecipeSelector } from '@apprentice/contracts/recipes/selector.ts'
import { attribute, isTrue, type UiNode } from '../../../screen/tree/hierarchy.ts'
import { findTextOver } from '../read/choices.ts'
import { movesEntries } from '../normalize/scrolling.ts'
import type { Intent } from '../read/intent.ts'
import { escapeReferences, findNodes, formatReference, type Place } from '../read/matching.ts'
import { listTextNodes, readText } from '../read/node-text.ts'
import { findScroller, readTitle, type Screen } from '../read/screen.ts'
import {
  type Candidate,
  findCandidates,
  keepStructuralText,
  type ScreenView,
  selectFallbacks,
} from '../read/selectors.ts'
import { draftAdjustStep } from './adjust-step.ts'
import { draftDialFallbacks, findDialCandidates } from './dial-places.ts'
import { draftMove, draftScrollToEnd, draftSwipe } from './gesture-steps.ts'
import { draftMember, draftOptionPlace, draftWithoutWords } from './other-language.ts'
import { draftBetween, draftByMeaning } from './other-label.ts'
import { opensScreen } from './step-text.ts'
import type { Doubt } from './workflow.ts'

type StepBody = Omit<RecipeStep, 'id'>

/** The ways to find the target of a step. */
export function findStepCandidates(
  { kind, node: tapped, toggled, before, entry, choice, input = '' }: Intent,
  view: ScreenView,
): readonly Candidate[] {
  // A switch is found by the node that was tapped, which may be its row.
  const node = kind === 'toggle' ? toggled && (tapped ?? toggled.control) : tapped
  if (node === undefined || before === undefined || kind === 'date') return []
  if (kind !== 'pick' || choice === undefined) return findCandidates(node, before, view, entry)
  if (choice.dial !== undefined) return findDialCandidates(choice.option, before, input, view)
  const options = choice.options.map((text) => (view.isPersonal(text) ? '' : keepStructuralText(text, FREE)))
  const over = findTextOver(node, before)
  const targets = over === undefined ? [node] : [node, over]
  return targets
    .flatMap((target) => listOptionPlaces(target, input, options).map((place) => ({ place, target })))
    .filter(({ place, target }) => {
      const [only, ...others] = findNodes(before, place, view.examples)
      return only === target && others.length === 0
    })
    .map(({ place }) => place)
    .map((place) => ({ ...place, source: 'list_entry', annotation: 'VARIABLE', unique_on: 1 }))
}

/** The option whose text an input gives: in its label, inside it, or beside it. */
function listOptionPlaces(option: UiNode, input: string, options: readonly string[]): Place[] {
  const type = attribute(option, 'class')
  const named = { part_equals: formatReference(input), annotation: 'VARIABLE' as const }
  const clickable = isTrue(option, 'clickable') ? { clickable: true } : {}
  const selectors: RecipeSelector[] = [
    { class: type, ...clickable, ...named },
    { class: type, ...clickable, containing: named, row: [named], annotation: 'VARIABLE' },
    { class: type, ...clickable, containing: named, annotation: 'VARIABLE' },
    { class: type, ...clickable, row: [named], annotation: 'VARIABLE' },
  ]
  const known = options.filter((text) => text !== '').slice(0, MAX_NEIGHBOURS)
  const group = known.map((text) => ({ part_equals: escapeReferences(text), annotation: 'STRUCTURAL' as const }))
  const inGroup = group.length < 2 ? [] : selectors.map((selector) => ({ selector: { ...selector, group } }))
  return [...selectors.map((selector) => ({ selector })), ...inGroup]
}

const MAX_NEIGHBOURS = 3
/** Options are texts of the app, whatever a person chose. */
const FREE = { variable_texts: new Set<string>(), entry_texts: new Set<string>(), isOfApp: () => true }

/** The recipe step for an intent, or the reason why there is none. */
export function draftStepBody(intent: Intent, best: Candidate | undefined, view: ScreenView): StepBody | Doubt {
  const { kind, input = '', key } = intent
  const target = best && toTarget(intent, best, view)
  switch (kind) {
    case 'choose':
    case 'pick':
    case 'press':
      return target === undefined ? NOT_IDENTIFIABLE : draftPress(intent, target)
    case 'type':
      return target === undefined ? NOT_IDENTIFIABLE : draftTyping(intent, target)
    case 'toggle':
      return target === undefined
        ? NOT_IDENTIFIABLE
        : { type: 'set_checked', ...target, params: { checked: formatReference(input) } }
    case 'date':
      return { type: 'pick_date', params: { date: formatReference(input) } }
    case 'adjust':
      return draftAdjustStep(intent, view) ?? NOT_IDENTIFIABLE
    case 'key':
      return REPEATABLE_KEYS.has(key ?? '')
        ? { type: 'press_key', params: { key } }
        : { field: 'goal_summary', reason: 'A recipe cannot press this key' }
    case 'open_app':
      return { type: 'open_app', params: { applicationId: intent.app } }
    case 'scroll':
      if (movesEntries(intent)) return MOVED_ENTRY
      return { type: 'scroll', params: { direction: intent.direction ?? 'down' } }
    case 'swipe':
      return target === undefined ? NOT_IDENTIFIABLE : draftSwipe(intent, target)
    case 'move':
      return (target && draftMove(intent, target)) ?? NOT_IDENTIFIABLE
    case 'slide':
      return {
        field: 'success_condition',
        reason: 'A slider was moved, but no screen shows its value',
      }
  }
}

const MOVED_ENTRY: Doubt = {
  field: 'goal_summary',
  reason: 'An entry was swiped or dragged, which a recipe cannot repeat; use a menu or a button of the app instead',
}
export const NOT_IDENTIFIABLE: Doubt = {
  field: 'goal_summary',
  reason: 'The target cannot be distinguished from similar ones',
}
const REPEATABLE_KEYS: ReadonlySet<string> = new Set(['back', 'home', 'recents'])

type ResolvedTarget = Pick<RecipeStep, 'selector' | 'container' | 'fallbacks'>

function toTarget(intent: Intent, best: Candidate, view: ScreenView): ResolvedTarget {
  const fallbacks = listFallbacks(intent, best, view)
  return {
    selector: best.selector,
    ...(best.container !== undefined && { container: best.container }),
    ...(fallbacks.length > 0 && { fallbacks }),
  }
}

function listFallbacks(intent: Intent, best: Candidate, view: ScreenView): RecipeFallback[] {
  const { kind, node, before, entry, choice, input = '' } = intent
  if (node === undefined || before === undefined) return []
  if (best.source !== 'list_entry') {
    const others = selectFallbacks(node, findCandidates(node, before, view), before, view)
    const byPage = others.filter(({ page }) => page !== undefined)
    const isKnownAnywhere = best.container !== undefined || before.is_dialog || !opensScreen(intent)
    const further = [
      ...(kind === 'press' && best.container === undefined && !before.is_dialog
        ? draftByMeaning(node, before, view)
        : []),
      ...(opensScreen(intent) ? draftBetween(node, before, view) : []),
      ...byPage,
      ...(isKnownAnywhere ? [] : draftMember(node, before, view)),
    ]
    return [...others.filter(({ page }) => page === undefined).slice(0, MAX_FALLBACKS - further.length), ...further]
  }
  if (entry !== undefined) return draftWithoutWords(node, findCandidates(node, before, view, entry), before, view)
  if (choice?.dial !== undefined) return draftDialFallbacks(choice.option, best, input)
  return choice === undefined ? [] : draftOptionPlace(node, { before, choice, input }, view)
}

/** As many as a step may have. */
const MAX_FALLBACKS = 5

/** A box in an entry is pressed only in the state that it had: in the other one the press would undo what is done. */
function requireState(
  { kind, node, entry }: Intent,
  { selector, fallbacks, ...target }: ResolvedTarget,
): ResolvedTarget {
  if (kind !== 'press' || node === undefined || entry === undefined || !isTrue(node, 'checkable')) {
    return { ...target, selector, ...(fallbacks !== undefined && { fallbacks }) }
  }
  const checked = isTrue(node, 'checked')
  return {
    ...target,
    selector: { ...selector, checked },
    ...(fallbacks !== undefined && { fallbacks: fallbacks.map((one) => ({ ...one, checked })) }),
  }
}

function draftPress(intent: Intent, found: ResolvedTarget): StepBody {
  const target = requireState(intent, found)
  const options = {
    ...(intent.gesture === 'long_press' && { clickType: 'long_click' }),
    ...(onlyOpensPage(intent) && { effect: 'none' }),
    // A dial sets nothing until its window is confirmed.
    ...(intent.choice?.dial !== undefined && { effect: 'local_state' }),
  }
  if (target.container !== undefined || !mayBeScrolledAway(intent)) {
    return { type: 'click', ...target, params: { strict: true, ...options } }
  }
  const params = { ...toSearchParams(intent), maxSwipes: MAX_SWIPES, ...options }
  return { type: 'scroll_and_click', ...target, ...locateSearchedList(intent), params }
}

/**
 * Whether the target is in a list that may be longer or ordered differently on another phone. A list that fits on the
 * screen does not say that it scrolls.
 */
function mayBeScrolledAway({ kind, node, found_by, entry }: Intent): boolean {
  const scroller = node && findScroller(node)
  if (scroller === undefined) return entry !== undefined && entry.row.group.members.length > 1
  return kind === 'choose' || found_by !== undefined || isTrue(scroller, 'scrollable')
}

/** A step that scrolls the target into view, for actions that do not search by themselves. */
export function draftScrollIntoView(intent: Intent, body: StepBody): StepBody[] {
  const { kind, node, entry, move } = intent
  const target = body.container ?? body.selector
  const isNeeded = mayBeScrolledAway(intent) || (entry !== undefined && kind !== 'choose')
  if (body.type === 'scroll_and_click' || target === undefined || !isNeeded) return []
  if (node === undefined || (findScroller(node) === undefined && !mayBeScrolledAway(intent))) return []
  return [
    {
      type: 'scroll_until',
      selector: target,
      ...(body.container === undefined && body.fallbacks !== undefined && { fallbacks: body.fallbacks }),
      ...locateSearchedList(intent),
      params: { ...toSearchParams(intent), ...LONG_SEARCH, clickAfter: false },
    },
    ...(move?.position === undefined ? [] : [draftScrollToEnd(move.position, locateSearchedList(intent))]),
  ]
}

const MAX_SWIPES = 50
/** Lists may be long and phones slow. */
export const LONG_SEARCH = { maxScrolls: 100, maxDurationMs: 60_000 } as const

function locateSearchedList({ node, before }: Intent): { readonly container?: RecipeSelector } {
  return locateList(node && findScroller(node), before)
}

/** An entry that an input names may have a namesake further down, so the whole list is searched. */
function toSearchParams({ found_by, entry }: Intent): Record<string, unknown> {
  const scope = entry === undefined ? {} : { wholeList: true }
  return { strict: true, direction: found_by ?? 'down', bothWays: true, ...scope }
}

/** The list to search, if its id is unique on the screen. */
export function locateList(
  scroller: UiNode | undefined,
  screen: Screen | undefined,
): { readonly container?: RecipeSelector } {
  const id = scroller?.attributes['resource-id'] ?? ''
  const count = screen?.nodes.filter((node) => node.attributes['resource-id'] === id).length
  return id === '' || count !== 1 ? {} : { container: { resource_id: id, annotation: 'STRUCTURAL' } }
}

/** Whether a tap only opened the page of its target: the title of the page is a text of the target. */
function onlyOpensPage(intent: Intent): boolean {
  const { gesture, node, after } = intent
  if (!opensScreen(intent) || after?.is_dialog === true || gesture !== 'tap') return false
  const texts = (node === undefined ? [] : listTextNodes(node)).map(readText)
  const title = after === undefined ? '' : readTitle(after)
  return title !== '' && texts.includes(title)
}

function draftTyping({ typed, input = '' }: Intent, target: ResolvedTarget): StepBody {
  const { append = false, submit = false } = typed ?? {}
  const params = { text: formatReference(input), clear: !append, submit, strict: true }
  return { type: 'enter_text', ...target, params }
}
