import type { RecipeVerification } from '@apprentice/contracts/recipes/recipe.ts'
import type { RecipeFallback } from '@apprentice/contracts/recipes/selector.ts'
import { findCheckable } from '../../../screen/checkable.ts'
import { isTrue, type UiNode } from '../../../screen/tree/hierarchy.ts'
import { isNear, measureChange, parseDisplayedNumber } from '../../../screen/displayed-number.ts'
import { type ExampleValues, fillReferences, findNodes, formatReference, type Place } from '../read/matching.ts'
import { readText } from '../read/node-text.ts'
import type { Screen } from '../read/screen.ts'

/** A statement about the screen after the workflow, in terms of the inputs. */
export interface Claim extends Place {
  readonly check:
    | { readonly kind: 'present' }
    /** Not on the screen, or nowhere in its list. */
    | { readonly kind: 'absent'; readonly in_view?: boolean }
    | { readonly kind: 'text'; readonly equals: string }
    | { readonly kind: 'number'; readonly input: string }
    | { readonly kind: 'checked'; readonly input: string }
    | { readonly kind: 'picked' }
    | { readonly kind: 'zero' }
    /** It shows something else than `from`, which was its text before the work. */
    | { readonly kind: 'changed'; readonly from: string; readonly by?: { readonly input: string } | number }
  /** The inputs whose outcome it shows. */
  readonly inputs: readonly string[]
  /** The claim as a sentence. */
  readonly text: string
  /** A message that may disappear by itself. */
  readonly transient?: boolean
  /** The workflow adds it. One that was there before the run is another one. */
  readonly added?: boolean
  /** It shows a state that the workflow brings about, so a run can see that there is nothing to do. */
  readonly is_state?: boolean
  /** Other ways to find the same node, in any language. */
  readonly fallbacks?: readonly RecipeFallback[]
  /** The node on the last screen that shows it. */
  readonly node?: UiNode | undefined
}

/** Whether a claim is true on a screen, with the values of a demonstration. */
export function isClaimTrue(claim: Claim, screen: Screen, examples: ExampleValues): boolean {
  const [node, ...others] = findNodes(screen, claim, examples)
  if (claim.check.kind === 'absent') return node === undefined
  if (node === undefined) return false
  if (claim.check.kind === 'present') return true
  return others.length === 0 && passesCheck(claim, node, { screen, examples })
}

function passesCheck(
  { check }: Claim,
  node: UiNode,
  { screen, examples }: { readonly screen: Screen; readonly examples: ExampleValues },
): boolean {
  switch (check.kind) {
    case 'present':
      return true
    case 'absent':
      return false
    case 'text':
      return readText(node) === fillReferences(check.equals, examples).trim()
    case 'number':
      return hasNumber(node, Number(examples.get(check.input)))
    case 'checked':
      return String(isChecked(screen, node)) === examples.get(check.input)
    case 'picked':
      return isChecked(screen, node)
    case 'zero':
      return hasNumber(node, 0)
    case 'changed':
      return hasChanged(check, readText(node), examples)
  }
}

function hasChanged(
  { from, by }: Extract<Claim['check'], { kind: 'changed' }>,
  now: string,
  examples: ExampleValues,
): boolean {
  if (now === '' || now === from) return false
  if (by === undefined) return true
  const [moved, wanted] = [
    measureChange(from, now),
    typeof by === 'number' ? by : parseDisplayedNumber(examples.get(by.input) ?? ''),
  ]
  return moved !== undefined && wanted !== undefined && isNear(moved, wanted)
}

function hasNumber(node: UiNode, expected: number): boolean {
  const value = parseDisplayedNumber(readText(node))
  return value !== undefined && isNear(value, expected)
}

function isChecked({ tree }: Screen, node: UiNode): boolean {
  const control = findCheckable(tree, node)
  return control.kind === 'found' && isTrue(control.node, 'checked')
}

/** A claim as a verification of a recipe. */
export function toVerification(claim: Claim, id: string): RecipeVerification {
  const { selector, container, check } = claim
  return {
    id,
    selector,
    ...(container !== undefined && { container }),
    ...(claim.fallbacks !== undefined && claim.fallbacks.length > 0 && { fallbacks: [...claim.fallbacks] }),
    ...toCheckFields(check),
    annotation: claim.inputs.length > 0 ? 'VARIABLE' : 'STRUCTURAL',
    ...(claim.transient === true && { transient: true }),
    ...(claim.added === true && { added: true }),
    timeout_ms: VERIFY_TIMEOUT_MS,
  }
}

/** Long enough for a slow app to display saved data. */
const VERIFY_TIMEOUT_MS = 10_000

function toCheckFields(check: Claim['check']): Partial<RecipeVerification> {
  switch (check.kind) {
    case 'present':
      return {}
    case 'absent':
      return { present: false, ...(check.in_view !== true && { whole_list: true }) }
    case 'text':
      return { text_equals: check.equals }
    case 'number':
      return { number_equals: formatReference(check.input) }
    case 'checked':
      return { checked: formatReference(check.input) }
    case 'picked':
      return { checked: true }
    case 'zero':
      return { number_equals: 0 }
    case 'changed':
      if (check.by === undefined) return { changed: true }
      return { changed_by: typeof check.by === 'number' ? check.by : formatReference(check.by.input) }
  }
}
