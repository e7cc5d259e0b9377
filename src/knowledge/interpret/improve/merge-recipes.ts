import type { Recipe, RecipeInput, RecipeStep } from '@apprentice/contracts/recipes/recipe.ts'
import { canonicalJson } from '../../canonical-json/canonical-json.ts'
import { inferCapabilities } from '../../recipes/lower/capabilities.ts'
import { makeUniqueId } from '../draft/recipe-steps.ts'
import { formatName } from '../read/node-text.ts'
import { alignUnits, type SharedStep } from './align-units.ts'
import { assembleSteps, type ChecksOrigin, type PlacedUnit, placeUnits } from './place-units.ts'
import { listReferences, renameReferences, splitUnits, type StepUnit, toShape } from './step-units.ts'

export interface Demonstrated {
  readonly recipe: Recipe
  /** The demonstration began where the app opens. */
  readonly from_start: boolean
  /** The person pointed at what shows the outcome, in this demonstration or for the installed version. */
  readonly pointed?: 'now' | 'before' | undefined
}

export interface MergedRecipe {
  readonly recipe: Recipe
  /** Whose checks the recipe has. */
  readonly checks: ChecksOrigin
  /** By id of a merged step that was demonstrated: its id in the demonstration. */
  readonly shown_ids: ReadonlyMap<string, string>
  /** Where a checkpoint after an installed step belongs now. Steps without an entry are gone. */
  readonly installed_ids: ReadonlyMap<string, string>
  /** By name in the demonstration: the name of the input in the merged recipe. */
  readonly input_names: ReadonlyMap<string, string>
  /** The steps that a check of the installed version would wrongly skip, if there are any. */
  readonly is_skipped: boolean
}

/**
 * Replaces the demonstrated part of an installed recipe. The part reaches from the first to the last step that both
 * share; the start of the app and the same outcome are shared steps too. Inside it, the demonstrated steps replace the
 * others. Steps before and after it stay. A demonstration that shares nothing replaces all steps.
 */
export function mergeRecipes(installed: Recipe, demonstrated: Demonstrated): MergedRecipe {
  const before = splitUnits(installed.steps)
  const drafted = splitUnits(demonstrated.recipe.steps)
  const shared = alignUnits(before.units, drafted.units)
  const input_names = nameInputs(installed, demonstrated.recipe, {
    before: before.units,
    drafted: drafted.units,
    shared,
  })
  const shown = renameInputs(demonstrated.recipe, input_names)
  const now = splitUnits(shown.steps)
  const ends = reachesEnd(installed, shown, { shared, count: before.units.length })
  const isWhole = shared.length === 0
  const checks = chooseChecks(shown, { ends: ends || isWhole, pointed: demonstrated.pointed })
  const isStartShared = demonstrated.from_start || isWhole
  const places = placeUnits(before.units, now.units, { shared, isStartShared, isEndShared: ends || isWhole })
  const merged = assembleSteps(places, { checks, proof: checks === 'installed' ? before.proof : now.proof })
  const skips = checks === 'installed' && places.some(({ origin }) => origin === 'shown')
  return {
    recipe: buildRecipe({ installed, shown, checks, steps: merged.steps, skips, places, shown_ids: merged.shown_ids }),
    checks,
    shown_ids: merged.shown_ids,
    installed_ids: merged.installed_ids,
    input_names,
    is_skipped: skips && wouldSkip(installed, places),
  }
}

const renameInputs = (recipe: Recipe, names: ReadonlyMap<string, string>): Recipe => ({
  ...renameReferences(recipe, names),
  inputs: recipe.inputs.map((input) => ({ ...input, name: names.get(input.name) ?? input.name })),
})

/** Names the inputs of the demonstration as the installed steps name them. */
function nameInputs(
  installed: Recipe,
  { inputs }: Recipe,
  {
    before,
    drafted,
    shared,
  }: { before: readonly StepUnit[]; drafted: readonly StepUnit[]; shared: readonly SharedStep[] },
): Map<string, string> {
  const names = new Map<string, string>()
  for (const { at, shown } of shared.toSorted((a, b) => b.likeness - a.likeness)) {
    const theirs = listReferences(drafted[shown]?.main)
    const ours = listReferences(before[at]?.main)
    if (theirs.length !== ours.length) continue
    for (const [index, name] of theirs.entries()) {
      const to = ours[index]
      if (to !== undefined && !names.has(name) && ![...names.values()].includes(to)) names.set(name, to)
    }
  }
  // A number that only told two inputs apart is not needed if the other one has an installed name now.
  const kept = new Set([...names.values(), ...installed.inputs.map(({ name }) => name)])
  for (const { name } of inputs) {
    const base = name.replace(/_\d+$/, '')
    if (names.has(name) || base === name || kept.has(base)) continue
    const isFree = inputs.every((other) => other.name !== base || names.has(base))
    if (isFree) names.set(name, base)
  }
  const taken = new Set([
    ...names.values(),
    ...inputs.map(({ name }) => name),
    ...installed.inputs.map(({ name }) => name),
  ])
  for (const { name } of inputs) {
    const isTaken = [...names].some(([from, to]) => to === name && from !== name)
    if (!names.has(name)) names.set(name, isTaken ? makeUniqueId(name, taken) : name)
  }
  return names
}

/** Whether the demonstration shows the end of the installed workflow: its last step, or the same outcome. */
function reachesEnd(
  installed: Recipe,
  shown: Recipe,
  { shared, count }: { shared: readonly SharedStep[]; count: number },
): boolean {
  if (shared.at(-1)?.at === count - 1) return true
  const outcomes = new Set((installed.verification ?? []).map(toOutcomeShape))
  return (shown.verification ?? []).some((check) => outcomes.has(toOutcomeShape(check)))
}

const toOutcomeShape = ({
  id: _id,
  tolerated: _tolerated,
  timeout_ms: _timeout,
  transient: _transient,
  ...check
}: NonNullable<Recipe['verification']>[number]): string => toShape(check)

/** Checks that a person chose stay until the person chooses others. */
function chooseChecks(
  { verification = [] }: Recipe,
  { ends, pointed }: { ends: boolean; pointed: Demonstrated['pointed'] },
): ChecksOrigin {
  if (verification.length === 0) return 'installed'
  if (pointed === 'now') return 'demonstrated'
  return ends && pointed !== 'before' ? 'demonstrated' : 'installed'
}

/**
 * Whether a new step would not be done if the outcome is already there: behind a guard, or if the outcome is a state,
 * which a second press would undo.
 */
function wouldSkip({ skip_if_done, verification = [] }: Recipe, places: readonly PlacedUnit[]): boolean {
  const hasGuard = ({ installed, inherited }: PlacedUnit) => inherited.length > 0 || (installed?.guards.length ?? 0) > 0
  const guard = places.findIndex(hasGuard)
  const isBehind = guard !== -1 && places.slice(guard).some((place) => place.origin === 'shown' && !hasGuard(place))
  const isState = verification.some((check) => listReferences(check).length === 0)
  return isBehind || (skip_if_done === true && isState)
}

interface MergeParts {
  readonly installed: Recipe
  readonly shown: Recipe
  readonly checks: ChecksOrigin
  readonly steps: RecipeStep[]
  /** The installed checks do not cover new steps, so they are no reason to skip all of them. */
  readonly skips: boolean
  readonly places: readonly PlacedUnit[]
  readonly shown_ids: ReadonlyMap<string, string>
}

function buildRecipe({ installed, shown, checks, steps, skips, places, shown_ids }: MergeParts): Recipe {
  const source = checks === 'installed' ? installed : shown
  const { skip_if_done: _skip, starts_on: _start, verification: _checks, unproven: _unproven, ...rest } = installed
  const [first] = places
  const starts_on = first?.origin === 'installed' ? installed.starts_on : shown.starts_on
  const ids = new Set(steps.map(({ id }) => id))
  const moved = new Map([...shown_ids].map(([id, shownId]) => [shownId, id]))
  const merged: Recipe = {
    ...rest,
    recipe_version: shown.recipe_version,
    recipe_type: source.recipe_type,
    recipe_dialect: 2,
    app_build: shown.app_build,
    tested_on: shown.tested_on,
    outputs: mergeOutputs(installed, shown, { ids, moved }),
    ...union('dismissals', installed, shown, 10),
    ...union('failure_modes', installed, shown, 50),
    ...union('known_quirks', installed, shown, 50),
    ...(starts_on !== undefined && { starts_on }),
    ...(source.verification !== undefined && { verification: source.verification }),
    ...(source.unproven !== undefined && { unproven: source.unproven }),
    ...(source.skip_if_done === true && !skips && { skip_if_done: true }),
    steps,
  }
  const inputs = mergeInputs(merged, installed.inputs, shown.inputs)
  const quirks = skips ? noteUnproved(merged, inputs) : []
  const risky = [installed, shown].some(({ capabilities }) => capabilities.includes('purchase_risk'))
  const capabilities = inferCapabilities({ ...merged, inputs }).filter((name) => name !== 'purchase_risk')
  const risk_level = pickRisk(installed.risk_level, shown.risk_level)
  return {
    ...merged,
    ...(quirks.length > 0 && { known_quirks: [...new Set([...(merged.known_quirks ?? []), ...quirks])].slice(0, 50) }),
    inputs,
    capabilities: risky ? [...capabilities, 'purchase_risk'] : capabilities,
    ...(risk_level !== undefined && { risk_level }),
  }
}

/** The installed checks were made before there were these inputs. */
function noteUnproved({ verification = [] }: Recipe, inputs: readonly RecipeInput[]): string[] {
  const proved = new Set(listReferences(verification))
  const others = inputs.filter(({ name }) => !proved.has(name)).map(({ name }) => formatName(name))
  return others.length === 0 ? [] : [`The outcome does not show: ${others.join(', ')}`]
}

function mergeOutputs(
  installed: Recipe,
  shown: Recipe,
  { ids, moved }: { ids: ReadonlySet<string>; moved: ReadonlyMap<string, string> },
): Recipe['outputs'] {
  const kept = installed.outputs.filter(({ from }) => from === undefined || ids.has(from))
  const names = new Set(kept.map(({ name }) => name))
  const added = shown.outputs
    .map((output) => (output.from === undefined ? output : { ...output, from: moved.get(output.from) ?? output.from }))
    .filter(({ name, from }) => !names.has(name) && (from === undefined || ids.has(from)))
  return [...kept, ...added]
}

/** Inputs that are still used, as the person named and described them, and then the new ones. */
function mergeInputs(
  { steps, verification, starts_on }: Recipe,
  installed: readonly RecipeInput[],
  shown: readonly RecipeInput[],
): RecipeInput[] {
  const used = new Set(listReferences([steps, verification ?? [], starts_on ?? {}]))
  const kept = installed
    .filter(({ name }) => used.has(name))
    .map((input) => {
      const again = shown.find(({ name }) => name === input.name)
      return again?.choices === undefined || input.choices === undefined ? input : { ...input, choices: again.choices }
    })
  const names = new Set(kept.map(({ name }) => name))
  return [...kept, ...shown.filter(({ name }) => used.has(name) && !names.has(name))]
}

type ListKey = 'dismissals' | 'failure_modes' | 'known_quirks'

function union(key: ListKey, installed: Recipe, shown: Recipe, max: number): Partial<Pick<Recipe, ListKey>> {
  const all = [...(installed[key] ?? []), ...(shown[key] ?? [])]
  if (all.length === 0) return {}
  const distinct = [...new Map(all.map((one) => [canonicalJson(one), one])).values()]
  return { [key]: distinct.slice(0, max) }
}

const RISKS = ['low', 'medium', 'high'] as const

function pickRisk(...levels: readonly Recipe['risk_level'][]): Recipe['risk_level'] {
  const known = levels.filter((level) => level !== undefined)
  return known.toSorted((a, b) => RISKS.indexOf(b) - RISKS.indexOf(a))[0]
}
