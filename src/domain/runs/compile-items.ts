import type { OnItemFailure, RunCompat, RunInputs } from '@apprentice/contracts/abilities/run-parts.ts'
import { MIN_TIMEOUT_MS } from '@apprentice/contracts/devices/execution.ts'
import type { PolicyProfile } from '@apprentice/contracts/policy/profile.ts'
import type { Capability, Recipe } from '@apprentice/contracts/recipes/recipe.ts'
import { Failure } from '../../failure/failure.ts'
import { type CompiledPart, type InstalledRecipe, RunCompiler } from '../../knowledge/recipes/compile/compile-run.ts'
import { evaluateCompatibility } from '../../knowledge/recipes/parse/compatibility.ts'
import { findAbility } from '../../store/abilities/abilities.ts'
import type { Reader } from '../../store/db/db.ts'
import { NOT_REHEARSED } from '../abilities/availability.ts'
import { getCalledAbility } from '../abilities/called-abilities.ts'
import { findCurrentRecipe } from '../abilities/current-recipe.ts'
import { effectiveLane } from '../abilities/lanes.ts'
import { getVisibleAbility } from '../abilities/visibility.ts'
import { readInputDefaults } from '../intents/configuration.ts'
import { type CallerTerms, decideWork } from '../policies/applied-policy.ts'

export interface RunRequest {
  readonly inputs: RunInputs
  /** The inputs of each item of a run over a list, in addition to `inputs`. */
  readonly items?: readonly RunInputs[] | undefined
  readonly on_item_failure: OnItemFailure
  readonly serial?: string | undefined
  readonly dispatch_id?: string | undefined
  readonly project_id?: string | undefined
  /** The time limit of the whole run. */
  readonly timeout_ms?: number | undefined
  readonly strict_compat: boolean
  /** The version of the app on the device, if the recipe restricts it and it could be read. */
  readonly app_version_code?: number | undefined
  /** The caller's consent to a purchase. */
  readonly allow_capabilities: readonly Capability[]
  readonly policy?: PolicyProfile | undefined
}

/** What a run executes. A run without a list is one item. */
export interface CompiledRun {
  readonly installed: InstalledRecipe
  readonly compat: RunCompat | undefined
  readonly items: readonly (readonly CompiledPart[])[]
}

/** Who runs which ability. */
export interface RunCaller {
  readonly ability_id: string
  readonly user: string
  readonly token_id?: string | undefined
}

/** Runs `work` on the current state of the database. */
export type Read = <T>(work: (reader: Reader) => T) => T

/**
 * Compiles the installed recipe for each item. It yields after each item, so that a long list does not block other work;
 * `startRun` checks that nothing changed since.
 */
export function* compileItems(
  read: Read,
  { ability_id, user, token_id }: RunCaller,
  request: RunRequest,
): Generator<undefined, CompiledRun> {
  const installed = read((reader) => getUsableRecipe(reader, ability_id, user))
  const compat = checkCompatibility(installed.recipe, request)
  const { items, inputs, timeout_ms } = request
  const defaults = read((reader) => readInputDefaults(reader, ability_id))
  const given = items ?? [{}]
  const compiler = new RunCompiler({
    budgetMs: timeout_ms === undefined ? undefined : Math.max(MIN_TIMEOUT_MS, timeout_ms / given.length),
    commandId: 'run',
    decide: (abilityId, work) =>
      read((reader) => decideWork(reader, { token_id, ...toTerms(reader, [ability_id, abilityId], request) }, work)),
    findCalled: (call) => {
      const called = read((reader) => getCalledAbility(reader, call, user))
      const isSameApp = called.recipe.application_id === installed.recipe.application_id
      checkCompatibility(called.recipe, isSameApp ? request : { ...request, app_version_code: undefined })
      return called
    },
  })
  const compiled: CompiledPart[][] = []
  let count = 0
  for (const [at, item] of given.entries()) {
    const parts = nameItem(items && at, () => compiler.compile(installed, { ...defaults, ...inputs, ...item }))
    compiled.push(parts)
    count += parts.length
    if (count > MAX_EXECUTIONS) throw tooManyExecutions()
    yield undefined
  }
  return { installed, compat, items: compiled }
}

/** Throws if an ability of the run was changed or can no longer be used since it was compiled. */
export function assertUnchanged(reader: Reader, { installed, items }: CompiledRun, user: string): void {
  const versions = new Map(items.flat().map(({ ability_id, version }) => [ability_id, version]))
  versions.set(installed.ability_id, installed.version)
  for (const [ability_id, version] of versions) {
    const current = getUsableRecipe(reader, ability_id, user)
    if (current.version !== version) throw abilityUnusable(ability_id, 'changed_meanwhile')
  }
}

function getUsableRecipe(reader: Reader, abilityId: string, user: string): InstalledRecipe {
  const ability = getVisibleAbility(reader, abilityId, user)
  // Its owner may try an ability that no device has carried out; a verified success then makes it usable.
  const isTrial = ability.reason_unusable === NOT_REHEARSED && ability.owner_user_id === user
  if (!ability.usable_now && !isTrial) {
    throw abilityUnusable(abilityId, ability.reason_unusable ?? 'not_materialized')
  }
  const installed = findCurrentRecipe(reader, abilityId)
  if (installed === undefined) throw cannotRunGuidance(abilityId)
  return { ability_id: abilityId, ...installed }
}

const cannotRunGuidance = (ability_id: string): Failure =>
  new Failure('ABILITY_UNUSABLE', `${ability_id} is guidance and cannot be run. Follow its SKILL.md.`, {
    details: { ability_id, reason_unusable: 'no_recipe' },
  })

const abilityUnusable = (abilityId: string, reason: string): Failure =>
  new Failure('ABILITY_UNUSABLE', `${abilityId} cannot be used now: ${reason}.`, {
    details: { ability_id: abilityId, reason_unusable: reason },
  })

/** Names the item in a failure that its inputs cause. */
function nameItem<T>(item: number | undefined, work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (item === undefined || !(error instanceof Failure)) throw error
    throw new Failure(error.code, `items.${item}: ${error.message}`, { details: { ...error.details, item } })
  }
}

/** The largest number of executions of one run. */
const MAX_EXECUTIONS = 1000

const tooManyExecutions = (): Failure =>
  new Failure('INVALID_REQUEST', `The run needs more than ${MAX_EXECUTIONS} executions. Send fewer items.`, {
    details: { field: 'items' },
  })

/** The application id if the recipe restricts its version. */
export const findVersionedApp = ({ compatibility, application_id }: Recipe): string | undefined =>
  compatibility?.min_version_code === undefined && compatibility?.max_version_code === undefined
    ? undefined
    : application_id

function checkCompatibility(recipe: Recipe, { strict_compat, app_version_code }: RunRequest): RunCompat | undefined {
  if (findVersionedApp(recipe) === undefined) return undefined
  const compat = evaluateCompatibility(recipe, app_version_code)
  if (!strict_compat || compat === 'in_range') return compat
  const { application_id, compatibility } = recipe
  const found = app_version_code ?? 'unknown'
  throw new Failure(
    'RECIPE_COMPAT_OUT_OF_RANGE',
    `The recipe does not support version ${found} of ${application_id}.`,
    { details: { compat, application_id, version_code: app_version_code, compatibility } },
  )
}

/** The terms of a run: those of its request, and the lanes of the abilities that it runs. */
export function toTerms(reader: Reader, abilityIds: readonly string[], request: RunRequest): CallerTerms {
  const { allow_capabilities, policy } = request
  const lanes = abilityIds.flatMap((id) => findAbility(reader, id) ?? []).map(effectiveLane)
  return { allow_capabilities, policy, lanes: [...new Set(lanes)] }
}
