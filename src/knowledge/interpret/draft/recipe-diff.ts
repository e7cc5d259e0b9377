import type { Recipe, RecipeStep } from '@apprentice/contracts/recipes/recipe.ts'
import { canonicalJson } from '../../canonical-json/canonical-json.ts'

export interface RecipeChange {
  /** As in `steps.press_save` or `inputs.unit`. */
  readonly path: string
  readonly change: 'kept' | 'added' | 'removed' | 'changed'
}

export interface RecipeDiff {
  /** One sentence per change. */
  readonly summary: readonly string[]
  readonly changes: readonly RecipeChange[]
}

/** The differences between the installed recipe and a new version. */
export function diffRecipes(installed: Recipe, next: Recipe): RecipeDiff {
  const changes = compareRecipes(installed, next).filter(({ change }) => change !== 'kept')
  const summary = changes.map(formatChange)
  return { summary: summary.length === 0 ? ['Nothing changed'] : summary, changes }
}

/** Every part of both recipes, and whether it is kept, changed, new or gone. */
export function compareRecipes(installed: Recipe, next: Recipe): RecipeChange[] {
  return [
    ...compare('inputs', byName(installed.inputs), byName(next.inputs)),
    ...compare('steps', byId(installed.steps), byId(next.steps)),
    ...diffOrder(installed.steps, next.steps),
    ...compare('verification', byId(installed.verification ?? []), byId(next.verification ?? [])),
    ...compare('dismissals', byText(installed.dismissals), byText(next.dismissals)),
  ]
}

type Parts = ReadonlyMap<string, unknown>

const byName = (list: readonly { readonly name: string }[]): Parts => new Map(list.map((one) => [one.name, one]))
/** Other ways to find a target depend on what else was on the screen; they do not change what is done. */
const byId = (list: readonly { readonly id: string; readonly fallbacks?: unknown }[]): Parts =>
  new Map(list.map(({ fallbacks: _fallbacks, ...one }) => [one.id, one]))
const byText = (list: readonly object[] = []): Parts => new Map(list.map((one) => [canonicalJson(one), one]))

function compare(kind: string, before: Parts, after: Parts): RecipeChange[] {
  const added = [...after.keys()]
    .filter((key) => !before.has(key))
    .map((key) => ({ path: `${kind}.${key}`, change: 'added' as const }))
  const others = [...before].flatMap(([key, was]): RecipeChange[] => {
    if (!after.has(key)) return [{ path: `${kind}.${key}`, change: 'removed' }]
    const same = canonicalJson(was) === canonicalJson(after.get(key))
    return [{ path: `${kind}.${key}`, change: same ? 'kept' : 'changed' }]
  })
  return [...others, ...added]
}

function diffOrder(before: readonly RecipeStep[], after: readonly RecipeStep[]): RecipeChange[] {
  const shared = (steps: readonly RecipeStep[], others: readonly RecipeStep[]) =>
    steps.map(({ id }) => id).filter((id) => others.some((other) => other.id === id))
  const same = shared(before, after).join() === shared(after, before).join()
  return same ? [] : [{ path: 'steps', change: 'changed' }]
}

const KIND_NAMES: Readonly<Record<string, string>> = {
  inputs: 'The input',
  steps: 'The step',
  verification: 'The check',
  dismissals: 'A button that closes a window',
}
const CHANGE_NAMES = {
  kept: 'stays',
  added: 'is new',
  removed: 'is gone',
  changed: 'is done differently',
} as const

/** A change as a sentence. */
export function formatChange({ path, change }: RecipeChange): string {
  const [kind = '', ...name] = path.split('.')
  if (name.length === 0) return 'The steps come in another order'
  const label = kind === 'dismissals' ? '' : ` ${name.join('.').replaceAll('_', ' ')}`
  return `${KIND_NAMES[kind] ?? kind}${label} ${CHANGE_NAMES[change]}`
}
