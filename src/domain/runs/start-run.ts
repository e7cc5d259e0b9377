import { hash } from 'node:crypto'
import type { RunCompat } from '@apprentice/contracts/abilities/runs.ts'
import type { PolicyProfile } from '@apprentice/contracts/recipes/policy.ts'
import { Capability, type Recipe } from '@apprentice/contracts/recipes/recipe.ts'
import { Failure } from '../../failure/failure.ts'
import { type AbilityRunRow, insertAbilityRun } from '../../store/runs/ability-runs.ts'
import { getVisibleAbility } from '../abilities/visibility.ts'
import type { CommandContext } from '../command/context.ts'
import { queueExecution } from '../devices/executions.ts'
import { currentRecipe } from '../abilities/current-recipe.ts'
import { recordEvent } from '../command/ledger.ts'
import { compatibilityOf } from '../../knowledge/recipes/parse/compatibility.ts'
import { compileSource } from '../../knowledge/recipes/compile/compile-document.ts'
import { DEFAULT_PROFILE } from '../../knowledge/recipes/compile/policy.ts'

export interface RunRequest {
  readonly inputs: Readonly<Record<string, string | number | boolean>>
  readonly serial?: string | undefined
  readonly dispatch_id?: string | undefined
  readonly project_id?: string | undefined
  readonly timeout_ms: number
  readonly strict_compat: boolean
  /** Of the app on the device, where the recipe asks for one and it could be read. */
  readonly app_version_code?: number | undefined
  /** What the caller takes upon themselves beside what anybody may do. */
  readonly allow_capabilities: readonly Capability[]
}

/** Compiles the installed recipe with these inputs and puts it into the device's lane. */
export function startRun(
  ctx: CommandContext,
  abilityId: string,
  request: RunRequest,
): AbilityRunRow {
  const ability = getVisibleAbility(ctx.tx, abilityId, ctx.actor.user_id)
  if (!ability.usable_now) {
    throw unusable(abilityId, ability.reason_unusable ?? 'not_materialized')
  }
  const installed = currentRecipe(ctx.tx, abilityId)
  if (installed === undefined) throw unusable(abilityId, 'no_recipe')
  const compat = compatOf(installed.recipe, request)
  const run_id = ctx.newId()
  const { execution, steps } = compileSource(
    { recipe: installed.recipe },
    {
      inputs: request.inputs,
      timeoutMs: request.timeout_ms,
      commandId: `run-${run_id}`,
      policy: profileOf(request),
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
    outcome: { ...nothingYet, ...(compat === undefined ? {} : { compat }) },
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

const nothingYet: AbilityRunRow['outcome'] = {
  acted: false,
  verification: [],
  checkpoints_reached: [],
  used_fallbacks: [],
  dismissed: [],
  drift: [],
  outputs: {},
}

/** The app a recipe asks the version of, if it does. */
export const appToAskFor = ({ compatibility, application_id }: Recipe): string | undefined =>
  compatibility?.min_version_code === undefined && compatibility?.max_version_code === undefined
    ? undefined
    : application_id

function compatOf(
  recipe: Recipe,
  { strict_compat, app_version_code }: RunRequest,
): RunCompat | undefined {
  if (appToAskFor(recipe) === undefined) return undefined
  const compat = compatibilityOf(recipe, app_version_code)
  if (!strict_compat || compat === 'in_range') return compat
  const { application_id, compatibility } = recipe
  const found = app_version_code ?? 'not known'
  throw new Failure(
    'RECIPE_COMPAT_OUT_OF_RANGE',
    `The version of ${application_id} on the device is ${found}.`,
    { details: { compat, application_id, version_code: app_version_code, compatibility } },
  )
}

function profileOf({ allow_capabilities: named }: RunRequest): PolicyProfile {
  if (named.length === 0) return DEFAULT_PROFILE
  const usual = Capability.options.filter((one) => one !== 'purchase_risk')
  return { name: 'run', allow_capabilities: [...new Set([...usual, ...named])] }
}

const unusable = (abilityId: string, reason: string): Failure =>
  new Failure('ABILITY_UNUSABLE', `${abilityId} cannot be used now: ${reason}.`, {
    details: { ability_id: abilityId, reason_unusable: reason },
  })
