import type { RecipeStep } from '@apprentice/contracts/recipes/recipe.ts'
import { isRecord } from '@apprentice/contracts/devices/matcher.ts'
import { canonicalJson } from '../../canonical-json/canonical-json.ts'

/** A step of a workflow with the recipe steps that only prepare it. */
export interface StepUnit {
  /** Steps that skip the rest if the outcome is there already. */
  readonly guards: readonly RecipeStep[]
  /** Steps that bring the target into view. */
  readonly lead: readonly RecipeStep[]
  readonly main: RecipeStep
}

export interface SplitSteps {
  readonly units: readonly StepUnit[]
  /** The last steps, which only make the outcome visible. */
  readonly proof: readonly RecipeStep[]
}

const isGuard = ({ params = {} }: RecipeStep): boolean =>
  params['skipTo'] !== undefined || params['elseSkipTo'] !== undefined
const isSearch = ({ type, params = {} }: RecipeStep): boolean =>
  type === 'scroll_until' && params['clickAfter'] === false

const READ_TYPES: ReadonlySet<RecipeStep['type']> = new Set([
  'read_text',
  'read_key_value_pair',
  'snapshot_ui',
  'take_screenshot',
])
/** A step that only returns a value. */
export const isReading = ({ type }: RecipeStep): boolean => READ_TYPES.has(type)

/** Groups the steps of a recipe into units. */
export function splitUnits(steps: readonly RecipeStep[]): SplitSteps {
  const units: StepUnit[] = []
  let waiting: RecipeStep[] = []
  for (const step of steps) {
    if (isGuard(step) || isSearch(step)) {
      waiting.push(step)
      continue
    }
    const border = waiting.findLastIndex(isGuard) + 1
    units.push({ guards: waiting.slice(0, border), lead: waiting.slice(border), main: step })
    waiting = []
  }
  const ids = new Set(steps.map(({ id }) => id))
  const isRepeat = ({ main }: StepUnit): boolean => {
    const first = main.id.replace(/_again(?:_\d+)?$/, '')
    return first !== main.id && ids.has(first)
  }
  const last = units.findLastIndex((unit) => !isRepeat(unit)) + 1
  const repeats = units.slice(last).flatMap(({ guards, lead, main }) => [...guards, ...lead, main])
  return { units: units.slice(0, last), proof: [...repeats, ...waiting] }
}

/** How much two units have in common. 0: nothing. */
export type Likeness = 0 | 1 | 2 | 3

/**
 * 3: the same step. 2: the same kind of step on a target that one anchor of both finds. 1: the same kind of step with
 * the same inputs, done in another way.
 */
export function compareUnits({ main: one }: StepUnit, { main: other }: StepUnit): Likeness {
  if (classify(one) !== classify(other)) return 0
  if (toStepShape(one) === toStepShape(other)) return 3
  const anchors = new Set(listAnchors(other))
  if (listAnchors(one).some((anchor) => anchors.has(anchor))) return 2
  const inputs = listReferences(one)
  const isSame = inputs.length > 0 && inputs.toSorted().join() === listReferences(other).toSorted().join()
  return isSame ? 1 : 0
}

/** A press is the same whether its target had to be searched or not. */
const classify = ({ type }: RecipeStep): string => (type === 'scroll_and_click' ? 'click' : type)

/** Parameters that say how a target is searched, not what is done with it. */
const SEARCH_PARAMS = new Set([
  'direction',
  'bothWays',
  'maxSwipes',
  'maxScrolls',
  'maxDurationMs',
  'wholeList',
  'strict',
])

function toStepShape({ selector, container, params = {}, ...step }: RecipeStep): string {
  const done = Object.fromEntries(Object.entries(params).filter(([name]) => !SEARCH_PARAMS.has(name)))
  return toShape({ type: classify({ ...step }), selector, container, done })
}

/** The ways to find the target that name something of the app. */
function listAnchors({ type, selector, container, fallbacks = [], params = {} }: RecipeStep): string[] {
  if (type === 'adjust_until') {
    return ['value', 'increase', 'decrease', 'slider'].flatMap((name) => {
      const part = params[name]
      return part !== undefined && namesSomething(part) ? [`${name} ${toShape(part)}`] : []
    })
  }
  const ways = [...(selector === undefined ? [] : [{ ...selector, ...(container && { container }) }]), ...fallbacks]
  return ways.filter(namesSomething).map(toShape)
}

const NAMING_KEY = /"(?:resource_id|text_equals|text_contains|content_desc_\w+|part_equals|shows)"/
const namesSomething = (selector: unknown): boolean => NAMING_KEY.test(canonicalJson(selector))

const REFERENCE = /\$\{inputs\.([A-Za-z0-9_]+)\}/g

/** The names of the inputs that a part of a recipe uses, each once. */
export const listReferences = (part: unknown): string[] => [
  ...new Set([...canonicalJson(part).matchAll(REFERENCE)].map(([, name = '']) => name)),
]

/** The text of a part of a recipe in which all inputs look the same. */
export const toShape = (part: unknown): string => canonicalJson(dropNotes(part)).replaceAll(REFERENCE, '${inputs}')

function dropNotes(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(dropNotes)
  if (!isRecord(value)) return value
  const entries = Object.entries(value).filter(([key, one]) => key !== 'annotation' && one !== undefined)
  return Object.fromEntries(entries.map(([key, one]) => [key, dropNotes(one)]))
}

/** The same part of a recipe with other names of inputs. */
export function renameReferences<T>(part: T, names: ReadonlyMap<string, string>): T {
  if (typeof part === 'string') {
    return part.replaceAll(REFERENCE, (whole, name: string) => {
      const to = names.get(name)
      return to === undefined ? whole : `\${inputs.${to}}`
    }) as T
  }
  if (Array.isArray(part)) return part.map((one: unknown) => renameReferences(one, names)) as T
  if (!isRecord(part)) return part
  return Object.fromEntries(Object.entries(part).map(([key, one]) => [key, renameReferences(one, names)])) as T
}
