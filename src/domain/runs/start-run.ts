import { hash } from 'node:crypto'
import type { RunCompat } from '@apprentice/contracts/abilities/runs.ts'
import type { PolicyProfile } from '@apprentice/contracts/recipes/policy.ts'
import { Capability, type Recipe } from '@apprentice/contracts/recipes/recipe.ts'
import { Failure } from '../../failure/failure.ts'
import { type AbilityRunRow, insertAbilityRun } from '../../store/runs/ability-runs.ts'
import { getVisibleAbility } from '../abilities/visibility.ts'
import type { CommandContext } from '../command/context.ts'
import { queueExecution } from '../devices/executions.ts'
import { findCurrentRecipe } from '../abilities/current-recipe.ts'
import { recordEvent } from '../command/ledger.ts'
import { evaluateCompatibility } from '../../knowledge/recipes/parse/compatibility.ts'
import { compileSource } from '../../knowledge/recipes/compile/compile-document.ts'
import { DEFAULT_PROFILE } from '../../knowledge/recipes/compile/policy.ts'

export interface RunRequest {
  readonly inputs: Readonly<Record<string, string | number | boolean>>
  readonly serial?: string | undefined
  readonly dispatch_id?: string | undefined
  readonly project_id?: string | undefined
  readonly timeout_ms: number
  readonly strict_compat: boolean
  /** The version of the app on the device, if the recipe restricts it and it could be read. */
  readonly app_version_code?: number | undefined
  /** Capabilities the caller allows in addition to the default ones. */
  readonly allow_capabilities: readonly Capability[]
}

/** Compiles the installed recipe with these inputs and queues it on the device. */
export function startRun(ctx: CommandContext, abilityId: string, request: RunRequest): AbilityRunRow {
  const installed = getUsableRecipe(ctx, abilityId)
  const compat = checkCompatibility(installed.recipe, request)
  const run_id = ctx.newId()
  const { execution, steps } = compileSource(
    { recipe: installed.recipe },
    {
      inputs: request.inputs,
      timeoutMs: request.timeout_ms,
      commandId: `run-${run_id}`,
      policy: buildPolicyProfile(request),
    },
  )
  const queued = queueExecution(ctx, {
    execution,
    payload_sha256: hash('sha256', JSON.stringify(execution), 'hex'),
    serial: request.serial,
    priority: 0,
  })
  const row: AbilityRunRow = {
    run_id,
    execution_id: queued.execution_id,
    owner_user_id: ctx.actor.user_id,
    ability_id: abilityId,
    version: installed.version,
    state: 'queued',
    dispatch_id: request.dispatch_id,
    project_id: request.project_id,
    serial: queued.serial,
    input_names: Object.keys(request.inputs).toSorted(),
    plan: steps,
    outcome: { ...EMPTY_OUTCOME, ...(compat === undefined ? {} : { compat }) },
    created_at: ctx.now,
  }
  insertAbilityRun(ctx.tx, row)
  recordEvent(ctx, `execution/${queued.execution_id}`, 'ability.run.started', {
    run_id,
    ability_id: abilityId,
    version: installed.version,
  })
  return row
}

function getUsableRecipe(ctx: CommandContext, abilityId: string) {
  const ability = getVisibleAbility(ctx.tx, abilityId, ctx.actor.user_id)
  if (!ability.usable_now) {
    throw abilityUnusable(abilityId, ability.reason_unusable ?? 'not_materialized')
  }
  const installed = findCurrentRecipe(ctx.tx, abilityId)
  if (installed === undefined) throw abilityUnusable(abilityId, 'no_recipe')
  return installed
}

const EMPTY_OUTCOME: AbilityRunRow['outcome'] = {
  acted: false,
  verification: [],
  checkpoints_reached: [],
  used_fallbacks: [],
  dismissed: [],
  drift: [],
  outputs: {},
}

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

function buildPolicyProfile({ allow_capabilities: named }: RunRequest): PolicyProfile {
  if (named.length === 0) return DEFAULT_PROFILE
  const defaults = Capability.options.filter((name) => name !== 'purchase_risk')
  return { name: 'run', allow_capabilities: [...new Set([...defaults, ...named])] }
}

const abilityUnusable = (abilityId: string, reason: string): Failure =>
  new Failure('ABILITY_UNUSABLE', `${abilityId} cannot be used now: ${reason}.`, {
    details: { ability_id: abilityId, reason_unusable: reason },
  })
