import type { RecipeVerification } from '@apprentice/contracts/recipes/recipe.ts'
import { isTrue, type UiNode } from '../../../screen/hierarchy.ts'
import { checkableFor } from '../../../screen/checkable.ts'
import { isNear, shownNumber } from '../../../screen/shown-number.ts'
import { filled, nodesAt, type Place, reference, type Shown } from '../read/matching.ts'
import type { Screen } from '../read/screen.ts'
import { shownWords } from '../read/words.ts'

/** Something the screen shows once the work is done, said over the inputs. */
export interface Claim extends Place {
  readonly check:
    | { readonly kind: 'present' }
    | { readonly kind: 'absent' }
    | { readonly kind: 'text'; readonly equals: string }
    | { readonly kind: 'mention'; readonly contains: string }
    | { readonly kind: 'number'; readonly input: string }
    | { readonly kind: 'count'; readonly equals: number }
    | { readonly kind: 'checked'; readonly input: string }
    | { readonly kind: 'picked' }
  /** The inputs whose outcome it shows. */
  readonly inputs: readonly string[]
  /** The same in a person's words. */
  readonly words: string
}

/** Whether a screen bears a claim out, for the values that were shown. */
export function holds(claim: Claim, screen: Screen, shown: Shown): boolean {
  const [node, ...others] = nodesAt(screen, claim, shown)
  if (claim.check.kind === 'absent') return node === undefined
  if (node === undefined || others.length > 0) return false
  return agrees(claim, node, { screen, shown })
}

function agrees(
  { check }: Claim,
  node: UiNode,
  { screen, shown }: { readonly screen: Screen; readonly shown: Shown },
): boolean {
  switch (check.kind) {
    case 'present':
      return true
    case 'absent':
      return false
    case 'text':
      return shownWords(node) === filled(check.equals, shown).trim()
    case 'mention':
      return shownWords(node).toLowerCase().includes(filled(check.contains, shown).toLowerCase())
    case 'number':
      return isNumber(node, Number(shown.get(check.input)))
    case 'count':
      return isNumber(node, check.equals)
    case 'checked':
      return String(isChecked(screen, node)) === shown.get(check.input)
    case 'picked':
      return isChecked(screen, node)
  }
}

function isNumber(node: UiNode, wanted: number): boolean {
  const value = shownNumber(shownWords(node))
  return value !== undefined && isNear(value, wanted)
}

function isChecked({ tree }: Screen, node: UiNode): boolean {
  const control = checkableFor(tree, node)
  return control.kind === 'found' && isTrue(control.node, 'checked')
}

/** A claim as the runtime checks it. */
export function toVerification(claim: Claim, id: string): RecipeVerification {
  const { selector, container, check } = claim
  return {
    id,
    selector,
    ...(container !== undefined && { container }),
    ...checkOf(check),
    annotation: claim.inputs.length > 0 ? 'VARIABLE' : 'STRUCTURAL',
    timeout_ms: VERIFY_MS,
  }
}

/** As long as a slow app may take to show what it has kept. */
const VERIFY_MS = 10_000

function checkOf(check: Claim['check']): Partial<RecipeVerification> {
  switch (check.kind) {
    case 'present':
      return {}
    case 'absent':
      return { present: false }
    case 'text':
      return { text_equals: check.equals }
    case 'mention':
      return { text_contains: check.contains }
    case 'number':
      return { number_equals: reference(check.input) }
    case 'count':
      return { number_equals: check.equals }
    case 'checked':
      return { checked: reference(check.input) }
    case 'picked':
      return { checked: true }
  }
}
