import type { Execution } from '@apprentice/contracts/devices/execution.ts'
import { Capability, type Recipe, type RecipeStepType } from '@apprentice/contracts/recipes/recipe.ts'
import type { Violation } from '@apprentice/contracts/recipes/violation.ts'
import { listActions } from './lower-recipe.ts'
import { errorAt, warningAt } from '../parse/violations.ts'

/** The capabilities that a step of each type requires. Recipes neither turn the screen nor correct a text, people do. */
const NEEDED_CAPABILITIES: Readonly<
  Record<RecipeStepType | 'set_orientation' | 'press_edit_key', readonly Capability[]>
> = {
  press_edit_key: ['type_text'],
  set_orientation: ['navigate'],
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
  pick_date: ['observe', 'click'],
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
  call_ability: [],
}

const PURCHASE_TEXT =
  /\b(?:buy now|buy it|pay now|purchase|place (?:your )?order|confirm (?:and )?pay(?:ment)?|check ?out|subscribe now|start subscription)\b/i

export const isPurchaseText = (text: string): boolean => PURCHASE_TEXT.test(text)

/** The capabilities that a recipe uses, including injected steps, in the order of the enum. */
export function inferCapabilities(recipe: Recipe): Capability[] {
  return collectCapabilities(listActions(recipe).map(({ action }) => action))
}

/** The capabilities that an execution uses. Touching a purchase button adds `purchase_risk`. */
export function inferExecutionCapabilities({ actions }: Pick<Execution, 'actions'>): Capability[] {
  const risky = actions.some(looksLikePurchase)
  return sortCapabilities([...collectCapabilities(actions), ...(risky ? ['purchase_risk' as const] : [])])
}

/** A recipe must declare all capabilities that it uses. */
export function checkCapabilities(recipe: Recipe): Violation[] {
  const declared = new Set(recipe.capabilities)
  const path = ['capabilities']
  const undeclared = inferCapabilities(recipe).filter((one) => !declared.has(one))
  const risky = !declared.has('purchase_risk') && hasPurchaseStep(recipe)
  const finding = { code: 'RECIPE_CAPABILITY_UNDECLARED', rule: 'capabilities', path } as const
  return [
    ...undeclared.map((one) =>
      errorAt({
        ...finding,
        message: `A step requires the capability ${one}; add it to capabilities`,
      }),
    ),
    ...(risky
      ? [
          warningAt({
            ...finding,
            message: 'A step looks like a purchase; add purchase_risk to capabilities',
          }),
        ]
      : []),
  ]
}

interface PlainAction {
  readonly type: string
  readonly params: unknown
}

function collectCapabilities(actions: readonly PlainAction[]): Capability[] {
  return sortCapabilities(
    actions.flatMap(({ type, params }) => {
      const { clickType, clickAfter } = params as { clickType?: unknown; clickAfter?: unknown }
      const needs = Object.hasOwn(NEEDED_CAPABILITIES, type) ? NEEDED_CAPABILITIES[type as RecipeStepType] : []
      return [
        ...needs.filter((one) => one !== 'click' || clickAfter !== false),
        ...(clickType === 'long_click' ? (['long_click'] as const) : []),
        ...(type === 'scroll_until' && clickAfter === true ? (['click'] as const) : []),
      ]
    }),
  )
}

function sortCapabilities(found: readonly Capability[]): Capability[] {
  return Capability.options.filter((one) => found.includes(one))
}

function hasPurchaseStep(recipe: Recipe): boolean {
  return listActions(recipe).some(({ action }) => looksLikePurchase(action))
}

const TOUCH_TYPES = new Set(['click', 'scroll_and_click', 'scroll_until'])

function looksLikePurchase({ type, params }: PlainAction): boolean {
  const { matcher } = params as { matcher?: unknown }
  return TOUCH_TYPES.has(type) && isPurchaseText(JSON.stringify(matcher ?? '').replaceAll('_', ' '))
}
