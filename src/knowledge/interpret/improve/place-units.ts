import type { RecipeStep } from '@apprentice/contracts/recipes/recipe.ts'
import { makeUniqueId } from '../draft/recipe-steps.ts'
import type { SharedStep } from './align-units.ts'
import { isReading, type StepUnit } from './step-units.ts'

/** Whose checks decide about the outcome. */
export type ChecksOrigin = 'installed' | 'demonstrated'

/** A unit of the merged recipe. */
export interface PlacedUnit {
  readonly origin: 'installed' | 'changed' | 'shown'
  readonly unit: StepUnit
  readonly installed?: StepUnit | undefined
  readonly shown?: StepUnit | undefined
  /** Installed units whose checkpoints this one reaches now. */
  readonly replaces: readonly StepUnit[]
  /** Guards of installed units that this one replaces. */
  readonly inherited: readonly RecipeStep[]
}

interface Gap {
  readonly ours: readonly StepUnit[]
  readonly theirs: readonly StepUnit[]
}

export function placeUnits(
  before: readonly StepUnit[],
  now: readonly StepUnit[],
  {
    shared,
    isStartShared,
    isEndShared,
  }: { shared: readonly SharedStep[]; isStartShared: boolean; isEndShared: boolean },
): PlacedUnit[] {
  const placed: PlacedUnit[] = []
  let at = 0
  let to = 0
  for (const [index, pair] of shared.entries()) {
    const gap = { ours: before.slice(at, pair.at), theirs: now.slice(to, pair.shown) }
    placed.push(...(index === 0 && !isStartShared ? [...keep(gap.ours), ...add(gap.theirs)] : replace(gap)))
    placed.push(pairUnits(before[pair.at], now[pair.shown], pair))
    at = pair.at + 1
    to = pair.shown + 1
  }
  const rest = { ours: before.slice(at), theirs: now.slice(to) }
  return [...placed, ...(isEndShared ? replace(rest) : [...add(rest.theirs), ...keep(rest.ours)])]
}

const keep = (units: readonly StepUnit[]): PlacedUnit[] =>
  units.map((unit) => ({ origin: 'installed', unit, installed: unit, replaces: [], inherited: [] }))
const add = (units: readonly StepUnit[]): PlacedUnit[] =>
  units.map((unit) => ({ origin: 'shown', unit, shown: unit, replaces: [], inherited: [] }))

/** Steps that a run may skip, and those that return a value, need not be demonstrated again. */
const isKeptUnseen = ({ main }: StepUnit): boolean => main.when !== undefined || isReading(main)

function replace({ ours, theirs }: Gap): PlacedUnit[] {
  const kept = ours.filter(isKeptUnseen)
  const gone = ours.filter((unit) => !isKeptUnseen(unit))
  const added = add(theirs).map((one, at) => ({
    ...one,
    replaces: at === theirs.length - 1 ? gone : [],
    inherited: at === 0 ? gone.flatMap(({ guards }) => guards) : [],
  }))
  return [...keep(kept), ...added]
}

function pairUnits(ours: StepUnit | undefined, theirs: StepUnit | undefined, { likeness }: SharedStep): PlacedUnit {
  if (ours === undefined || theirs === undefined) throw new Error('A shared step is missing.')
  const pair = { installed: ours, shown: theirs, replaces: [], inherited: [] }
  if (likeness === 3) return { ...pair, origin: 'installed', unit: ours }
  const { when, unless } = ours.main
  const main = { ...(when && { when }), ...(unless && { unless }), ...theirs.main, id: ours.main.id }
  return { ...pair, origin: 'changed', unit: { ...theirs, main } }
}

interface AssembledSteps {
  readonly steps: RecipeStep[]
  readonly shown_ids: Map<string, string>
  readonly installed_ids: Map<string, string>
}

/** Gives each step an id that is unique in the merged recipe. Installed steps keep theirs. */
export function assembleSteps(
  places: readonly PlacedUnit[],
  { checks, proof }: { checks: ChecksOrigin; proof: readonly RecipeStep[] },
): AssembledSteps {
  const isKept = checks === 'installed'
  const taken = new Set([
    ...places.flatMap((place) => listKeptSteps(place, isKept).map(({ id }) => id)),
    ...(isKept ? proof.map(({ id }) => id) : []),
  ])
  const renamed = new Map<string, string>()
  const give = (step: RecipeStep): RecipeStep => {
    const id = makeUniqueId(step.id, taken)
    renamed.set(step.id, id)
    return { ...step, id }
  }
  const shown_ids = new Map<string, string>()
  const installed_ids = new Map<string, string>()
  const steps = places.flatMap((place) => {
    const { origin, unit, installed, shown, replaces, inherited } = place
    const guards = isKept ? [...inherited, ...(installed?.guards ?? [])] : (shown?.guards ?? []).map(give)
    const lead = origin === 'installed' ? unit.lead : unit.lead.map(give)
    const main = origin === 'shown' ? give(unit.main) : unit.main
    if (shown !== undefined) {
      shown_ids.set(main.id, shown.main.id)
      renamed.set(shown.main.id, main.id)
    }
    for (const old of [...replaces, ...(installed === undefined ? [] : [installed])]) {
      installed_ids.set(old.main.id, main.id)
    }
    return [...guards, ...lead, main]
  })
  const end = isKept ? proof : proof.map(give)
  if (isKept) for (const { id } of end) installed_ids.set(id, id)
  const all = [...steps, ...end]
  return { steps: isKept ? all : all.map((step) => retarget(step, renamed)), shown_ids, installed_ids }
}

/** The steps that keep the ids of the installed version. */
function listKeptSteps({ origin, unit, installed, inherited }: PlacedUnit, keepsGuards: boolean): RecipeStep[] {
  const guards = keepsGuards ? [...inherited, ...(installed?.guards ?? [])] : []
  if (origin === 'shown') return guards
  return [...guards, ...(origin === 'installed' ? unit.lead : []), unit.main]
}

/** A guard of the demonstration skips to a step that may have another id now. */
function retarget(step: RecipeStep, ids: ReadonlyMap<string, string>): RecipeStep {
  const { skipTo, elseSkipTo } = step.params ?? {}
  if (skipTo === undefined && elseSkipTo === undefined) return step
  const find = (id: unknown) => (typeof id === 'string' ? (ids.get(id) ?? id) : id)
  return {
    ...step,
    params: {
      ...step.params,
      ...(skipTo !== undefined && { skipTo: find(skipTo) }),
      ...(elseSkipTo !== undefined && { elseSkipTo: find(elseSkipTo) }),
    },
  }
}
