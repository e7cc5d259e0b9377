import type { RecipeStep } from '@apprentice/contracts/recipes/recipe.ts'
import type { Claim } from '../prove/claims.ts'
import type { Proof } from '../prove/proof.ts'
import type { Intent } from '../read/intent.ts'
import { findRowByText } from '../read/rows.ts'
import { findScroller, isSameKind } from '../read/screen.ts'
import { locateEntry } from '../read/selectors.ts'
import { locateList, LONG_SEARCH } from './step-bodies.ts'
import type { LearnedStep } from './workflow.ts'

/** Where the steps of a run begin that bring about the state. */
export interface DoneCheck {
  /** Index of the intent before which the state is read. */
  readonly at: number
  /** Reads the state and skips the rest if it is there already. */
  readonly steps: readonly RecipeStep[]
}

/**
 * A press that brings about a state may undo it if it is there already. So the run reads the state first and presses
 * nothing if it is as wanted. Undefined if the workflow sets no state by pressing.
 */
export function draftDoneCheck(
  intents: readonly Intent[],
  proof: Proof | undefined,
  skipTo: string | undefined,
): DoneCheck | undefined {
  const claim = proof?.claims.find(({ is_state, check }) => is_state === true && READABLE.has(check.kind))
  if (proof === undefined || claim === undefined || skipTo === undefined) return undefined
  const at = findFirstPress(intents, proof)
  const first = intents[at]
  if (first === undefined) return undefined
  return { at, steps: [...draftSearch(first, proof), draftQuestion(claim, skipTo)] }
}

/**
 * A control that is known by its number only may be another one, or say the opposite, once the outcome is there: Stop
 * where Start was. So the run first makes sure that nothing shows the outcome yet.
 */
export function draftUndoneCheck(steps: readonly LearnedStep[], proof: Proof | undefined): DoneCheck | undefined {
  const at = steps.length - 1
  const last = steps[at]
  const isNumbered = last?.kind === 'press' && last.recipe_steps.at(-1)?.selector?.index !== undefined
  const claim = proof?.claims.find(isFixedText)
  if (!isNumbered || claim === undefined || proof?.message !== undefined) return undefined
  const { selector, container } = claim
  const params = { present: false, timeoutMs: QUESTION_MS }
  return { at, steps: [{ id: 'not_done_yet', type: 'expect', selector, ...(container && { container }), params }] }
}

/** Whether a claim is about a text of the app that stays, at whatever place. */
const isFixedText = ({ check, transient, added, inputs, selector }: Claim): boolean =>
  check.kind === 'present' &&
  transient !== true &&
  added !== true &&
  inputs.length === 0 &&
  selector.index === undefined

const SETTING_KINDS: ReadonlySet<Intent['kind']> = new Set(['press', 'choose', 'move', 'swipe'])

/**
 * The first of the last presses that all happen on the proving page or in windows over it. Pages of one app may be of one
 * kind: the page of an entry shows it.
 */
function findFirstPress(intents: readonly Intent[], { end, entry }: Proof): number {
  let first = -1
  for (let at = intents.length - 1; at >= 0; at -= 1) {
    const { kind, before } = intents[at] as Intent
    if (before === undefined || !SETTING_KINDS.has(kind)) break
    const isListed = entry === undefined || findRowByText(entry.cell.text, before) !== undefined
    if (isSameKind(before, end) && isListed) first = at
    else if (!before.is_dialog) break
  }
  return first
}

/** The entry must be in view before its state can be read. */
function draftSearch({ node, before }: Intent, { entry }: Proof): RecipeStep[] {
  const scroller = node && (entry?.row.group.scroller ?? findScroller(node))
  if (entry === undefined || scroller === undefined) return []
  return [
    {
      id: 'find_before',
      type: 'scroll_until',
      selector: locateEntry(entry).selector,
      ...locateList(scroller, before),
      params: { strict: true, direction: 'down', bothWays: true, wholeList: true, ...LONG_SEARCH, clickAfter: false },
    },
  ]
}

function draftQuestion({ selector, container, check }: Claim, skipTo: string): RecipeStep {
  const text =
    check.kind === 'text' ? { text: { equals: check.equals } } : check.kind === 'absent' ? { present: false } : {}
  return {
    id: 'already_done',
    type: 'expect',
    selector,
    ...(container !== undefined && { container }),
    params: { ...text, timeoutMs: QUESTION_MS, skipTo },
  }
}

const READABLE: ReadonlySet<Claim['check']['kind']> = new Set(['present', 'text', 'absent'])

const QUESTION_MS = 1500
