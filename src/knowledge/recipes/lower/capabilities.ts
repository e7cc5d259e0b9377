import type { Execution } from '@apprentice/contracts/devices/execution.ts'
import {
  Capability,
  type Recipe,
  type RecipeStepType,
} from '@apprentice/contracts/recipes/recipe.ts'
import type { Violation } from '@apprentice/contracts/recipes/violation.ts'
import { actionsOf } from './lower-recipe.ts'
import { errorAt, warningAt } from '../parse/violations.ts'

/** What it takes to do a step of this type. */
const NEEDS: Readonly<Record<RecipeStepType, readonly Capability[]>> = {
  open_app: ['navigate'],
  close_app: ['navigate'],
  open_uri: ['navigate'],
  press_key: ['navigate'],
  scroll: ['navigate'],
  scroll_until: ['navigate'],
  swipe: ['navigate'],
  scroll_and_click: ['navigate', 'click'],
  click: ['click'],
  adjust_until: ['observe', 'click'],
  set_checked: ['observe', 'toggle'],
  enter_text: ['type_text'],
  wait_for_node: ['observe'],
  wait_for_navigation: ['observe'],
  read_text: ['observe'],
  read_key_value_pair: ['observe'],
  snapshot_ui: ['observe'],
  take_screenshot: ['observe'],
  expect: ['observe'],
  sleep: [],
}

const PURCHASE =
  /\b(?:buy now|buy it|pay now|purchase|place (?:your )?order|confirm (?:and )?pay(?:ment)?|check ?out|subscribe now|start subscription)\b/i

/** The capabilities a recipe uses, injected steps included, in the order of the taxonomy. */
export function inferCapabilities(recipe: Recipe): Capability[] {
  return capabilitiesOf(actionsOf(recipe).map(({ action }) => action))
}

/** The same of any execution, however it was made. Touching what looks like a purchase counts as a risk of one. */
export function executionCapabilities({ actions }: Pick<Execution, 'actions'>): Capability[] {
  const risky = actions.some(looksLikePurchase)
  return inOrder([...capabilitiesOf(actions), ...(risky ? ['purchase_risk' as const] : [])])
}

/** What a recipe uses it also declares. */
export function checkCapabilities(recipe: Recipe): Violation[] {
  const declared = new Set(recipe.capabilities)
  const path = ['capabilities']
  const undeclared = inferCapabilities(recipe).filter((one) => !declared.has(one))
  const risky = !declared.has('purchase_risk') && purchasing(recipe)
  const finding = { code: 'RECIPE_CAPABILITY_UNDECLARED', rule: 'capabilities', path } as const
  return [
    ...undeclared.map((one) => errorAt({ ...finding, message: `A step needs ${one}` })),
    ...(risky
      ? [warningAt({ ...finding, message: 'A step looks like a purchase: purchase_risk' })]
      : []),
  ]
}

interface PlainAction {
  readonly type: string
  readonly params: unknown
}

function capabilitiesOf(actions: readonly PlainAction[]): Capability[] {
  return inOrder(
    actions.flatMap(({ type, params }) => {
      const { clickType, clickAfter } = params as { clickType?: unknown; clickAfter?: unknown }
      const needs = Object.hasOwn(NEEDS, type) ? NEEDS[type as RecipeStepType] : []
      return [
        ...needs.filter((one) => one !== 'click' || clickAfter !== false),
        ...(clickType === 'long_click' ? (['long_click'] as const) : []),
        ...(type === 'scroll_until' && clickAfter === true ? (['click'] as const) : []),
      ]
    }),
  )
}

function inOrder(found: readonly Capability[]): Capability[] {
  return Capability.options.filter((one) => found.includes(one))
}

function purchasing(recipe: Recipe): boolean {
  return actionsOf(recipe).some(({ action }) => looksLikePurchase(action))
}

const TOUCHING = new Set(['click', 'scroll_and_click', 'scroll_until'])

function looksLikePurchase({ type, params }: PlainAction): boolean {
  const { matcher } = params as { matcher?: unknown }
  return TOUCHING.has(type) && PURCHASE.test(JSON.stringify(matcher ?? '').replaceAll('_', ' '))
}
