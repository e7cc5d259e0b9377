import type { RecipeStep } from '@apprentice/contracts/recipes/recipe.ts'
import type { RecipeSelector } from '@apprentice/contracts/recipes/selector.ts'
import { isTrue, type UiNode } from '../../../screen/hierarchy.ts'
import type { Intent } from '../align/intent.ts'
import { adjustBody, lost } from './adjust-body.ts'
import { optionPlace } from '../prove/control-claims.ts'
import { nodesAt, reference } from '../read/matching.ts'
import { scrollerOf, type Screen, titleWords } from '../read/screen.ts'
import { type Candidate, candidatesFor, fallbacksOf, type ScreenView } from '../read/selectors.ts'
import { opens } from './step-words.ts'
import { shownWords, speakingNodes } from '../read/words.ts'

type StepBody = Omit<RecipeStep, 'id'>

/** The ways to find what the step is done to. */
export function candidatesOf(
  { kind, move, entry, input = '' }: Intent,
  sight: ScreenView,
): readonly Candidate[] {
  const { before } = move
  const node = kind === 'toggle' ? switchedNode(move) : move.node
  if (node === undefined || before === undefined) return []
  if (kind !== 'pick') return candidatesFor(node, before, sight, entry)
  const place = optionPlace(node, input)
  const [only, ...others] = nodesAt(before, place, sight.shown)
  if (only !== node || others.length > 0) return []
  return [{ ...place, source: 'list_entry', annotation: 'VARIABLE', unique_on: 1 }]
}

/** The switch itself when it can be told apart, else the row that was touched. */
function switchedNode({ toggled, node }: Intent['move']): UiNode | undefined {
  return toggled !== undefined && node !== undefined && node !== toggled.control
    ? node
    : toggled?.control
}

/** The recipe's way to do it, or why there is none. */
export function bodyOf(
  intent: Intent,
  best: Candidate | undefined,
  sight: ScreenView,
): StepBody | string {
  const { kind, move, input = '' } = intent
  const where = best && placed(intent, best, sight)
  switch (kind) {
    case 'choose':
    case 'pick':
    case 'press':
      return where === undefined ? lost : pressBody(intent, where)
    case 'type':
      return where === undefined ? lost : typeBody(intent, where)
    case 'toggle':
      return where === undefined
        ? lost
        : { type: 'set_checked', ...where, params: { checked: reference(input) } }
    case 'adjust':
      return adjustBody(intent, sight)
    case 'key':
      return KEYS.has(move.key ?? '')
        ? { type: 'press_key', params: { key: move.key } }
        : 'A key was pressed that cannot be pressed again'
    case 'open_app':
      return { type: 'open_app', params: { applicationId: move.app } }
    case 'scroll':
      return { type: 'scroll', params: { direction: move.direction ?? 'down' } }
    case 'slide':
      return 'A slider was moved whose value no screen tells'
  }
}

const KEYS: ReadonlySet<string> = new Set(['back', 'home', 'recents'])

type Where = Pick<RecipeStep, 'selector' | 'container' | 'fallbacks'>

function placed({ move }: Intent, best: Candidate, sight: ScreenView): Where {
  const { before } = move
  const candidates = before === undefined ? [] : candidatesOf({ kind: 'press', move }, sight)
  const others = best.source === 'list_entry' ? [] : candidates
  const fallbacks = before === undefined ? [] : fallbacksOf(others, before, sight)
  return {
    selector: best.selector,
    ...(best.container !== undefined && { container: best.container }),
    ...(fallbacks.length > 0 && { fallbacks }),
  }
}

function pressBody(intent: Intent, where: Where): StepBody {
  const { move } = intent
  const long = move.kind === 'long_press' ? { clickType: 'long_click' } : {}
  const effect = isMereOpening(intent) ? { effect: 'none' } : {}
  const found = { ...long, ...effect }
  if (where.container !== undefined || !mayBeAway(intent)) {
    return { type: 'click', ...where, params: { strict: true, ...found } }
  }
  const params = { ...sweep(intent), maxSwipes: MAX_SWIPES, ...found }
  return { type: 'scroll_and_click', ...where, ...search(intent), params }
}

/** Whether it stands in a list that could be longer, or in another place, than when it was shown. */
function mayBeAway({ kind, move }: Intent): boolean {
  const scroller = move.node && scrollerOf(move.node)
  if (scroller === undefined) return false
  return kind === 'choose' || move.found_by !== undefined || isTrue(scroller, 'scrollable')
}

/** What cannot be searched and touched in one go is searched first. */
export function bringIntoView(intent: Intent, body: StepBody): StepBody[] {
  const { move, entry } = intent
  const sought = body.container ?? body.selector
  const needed = mayBeAway(intent) || (entry !== undefined && intent.kind !== 'choose')
  if (body.type === 'scroll_and_click' || sought === undefined || !needed) return []
  if (move.node === undefined || scrollerOf(move.node) === undefined) return []
  return [
    {
      type: 'scroll_until',
      selector: sought,
      ...search(intent),
      params: { ...sweep(intent), ...LONG_SEARCH, clickAfter: false },
    },
  ]
}

const MAX_SWIPES = 50
/** Lists may be long and phones slow. */
export const LONG_SEARCH = { maxScrolls: 100, maxDurationMs: 60_000 } as const

function search({ move }: Intent): { readonly container?: RecipeSelector } {
  return listPlace(move.node && scrollerOf(move.node), move.before)
}

/** What is named anew each time may have a namesake that was not in sight; what was shown is known. */
function sweep({ move, entry }: Intent): Record<string, unknown> {
  const choosing = entry === undefined ? {} : { wholeList: true }
  return { strict: true, direction: move.found_by ?? 'down', bothWays: true, ...choosing }
}

/** The list to search, where it has a name that no other has. */
export function listPlace(
  scroller: UiNode | undefined,
  screen: Screen | undefined,
): { readonly container?: RecipeSelector } {
  const id = scroller?.attributes['resource-id'] ?? ''
  const alike = screen?.nodes.filter((node) => node.attributes['resource-id'] === id).length
  return id === '' || alike !== 1
    ? {}
    : { container: { resource_id: id, annotation: 'STRUCTURAL' } }
}

/** A thing whose own page opened: going there changes nothing. */
function isMereOpening(intent: Intent): boolean {
  const { move } = intent
  if (!opens(intent) || move.after?.is_dialog === true || move.kind !== 'press') return false
  const inside = (move.node === undefined ? [] : speakingNodes(move.node)).map(shownWords)
  const title = move.after === undefined ? '' : titleWords(move.after)
  return title !== '' && inside.includes(title)
}

function typeBody({ move, input = '' }: Intent, where: Where): StepBody {
  const { append = false, submit = false } = move.typed ?? {}
  const params = { text: reference(input), clear: !append, submit, strict: true }
  return { type: 'enter_text', ...where, params }
}
