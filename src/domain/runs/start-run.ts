import {
  DEFAULT_EXECUTION_MS,
  MAX_RUN_MS,
  type OnItemFailure,
  type RunCompat,
  type RunInputs,
} from '@apprentice/contracts/abilities/run-parts.ts'
import { MIN_TIMEOUT_MS } from '@apprentice/contracts/devices/execution.ts'
import type { PolicyProfile } from '@apprentice/contracts/recipes/policy.ts'
import { Capability, type Recipe } from '@apprentice/contracts/recipes/recipe.ts'
import { Failure } from '../../failure/failure.ts'
import { type AbilityRunRow, insertAbilityRun } from '../../store/runs/ability-runs.ts'
import { getVisibleAbility } from '../abilities/visibility.ts'
import type { CommandContext } from '../command/context.ts'
import { insertRunItem } from '../../store/runs/run-items.ts'
import { insertRunPart } from '../../store/runs/run-parts.ts'
import { getCalledAbility } from '../abilities/called-abilities.ts'
import { findCurrentRecipe } from '../abilities/current-recipe.ts'
import { formatRunSubject, queuePart } from './queue-part.ts'
import { EMPTY_OUTCOME } from './run-outcome.ts'
import { recordEvent } from '../command/ledger.ts'
import { evaluateCompatibility } from '../../knowledge/recipes/parse/compatibility.ts'
import { type CompiledPart, type InstalledRecipe, RunCompiler } from '../../knowledge/recipes/compile/compile-run.ts'
import { DEFAULT_PROFILE } from '../../knowledge/recipes/compile/policy.ts'

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
  /** Capabilities the caller allows in addition to the default ones. */
  readonly allow_capabilities: readonly Capability[]
}

/** Compiles the installed recipe with these inputs, or once for each item, and queues the first execution. */
export function startRun(ctx: CommandContext, abilityId: string, request: RunRequest): AbilityRunRow {
  const installed = { ability_id: abilityId, ...getUsableRecipe(ctx, abilityId) }
  const compat = checkCompatibility(installed.recipe, request)
  const run_id = ctx.newId()
  const items = compileItems(ctx, run_id, installed, request)
  const parts = items.flat()
  const [first] = parts
  if (first === undefined) throw new Error(`The recipe of ${abilityId} has no part.`)
  const timeout_ms = request.timeout_ms ?? Math.min(MAX_RUN_MS, DEFAULT_EXECUTION_MS * parts.length)
  const deadline_at = new Date(Date.parse(ctx.now) + timeout_ms).toISOString()
  const queueing = { run_id, deadline_at, serial: request.serial, priority: 0 }
  const queued = queuePart(ctx, { execution: first.execution, position: 0 }, queueing)
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
    input_names: [...new Set([request.inputs, ...(request.items ?? [])].flatMap(Object.keys))].toSorted(),
    outcome: { ...EMPTY_OUTCOME, ...(compat === undefined ? {} : { compat }) },
    created_at: ctx.now,
    timeout_ms,
    deadline_at,
    content_hash: first.content_hash,
    ...(request.items && { items_total: items.length, on_item_failure: request.on_item_failure }),
  }
  insertAbilityRun(ctx.tx, row)
  insertParts(ctx, row, items)
  const facts = { run_id, ability_id: abilityId, version: installed.version }
  const actions = parts.reduce((total, { execution }) => total + execution.actions.length, 0)
  recordEvent(ctx, formatRunSubject(run_id), 'ability.run.started', { ...facts, actions, items: row.items_total })
  recordEvent(ctx, `execution/${queued.execution_id}`, 'ability.run.started', facts)
  return row
}

/** The parts of each item. A run without a list is one item. */
function compileItems(
  ctx: CommandContext,
  runId: string,
  installed: InstalledRecipe,
  request: RunRequest,
): CompiledPart[][] {
  const { items, inputs, timeout_ms } = request
  const given = items ?? [{}]
  const compiler = new RunCompiler({
    budgetMs: timeout_ms === undefined ? undefined : Math.max(MIN_TIMEOUT_MS, timeout_ms / given.length),
    commandId: `run-${runId}`,
    policy: buildPolicyProfile(request),
    findCalled: (call) => {
      const called = getCalledAbility(ctx.tx, call, ctx.actor.user_id)
      const isSameApp = called.recipe.application_id === installed.recipe.application_id
      checkCompatibility(called.recipe, isSameApp ? request : { ...request, app_version_code: undefined })
      return called
    },
  })
  let count = 0
  return given.map((item, at) => {
    const compiled = nameItem(items && at, () => compiler.compile(installed, { ...inputs, ...item }))
    const numbered = compiled.map((part, index) => ({
      ...part,
      execution: { ...part.execution, commandId: formatCommandId(runId, count + index) },
      ...(part.done_at !== undefined && { done_at: count + part.done_at }),
    }))
    count += compiled.length
    if (count > MAX_EXECUTIONS) throw tooManyExecutions()
    return numbered
  })
}

const formatCommandId = (runId: string, position: number): string =>
  position === 0 ? `run-${runId}` : `run-${runId}.${position}`

/** Names the item in a failure that its inputs cause. */
function nameItem<T>(item: number | undefined, work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (item === undefined || !(error instanceof Failure)) throw error
    throw new Failure(error.code, `items.${item}: ${error.message}`, { details: { ...error.details, item } })
  }
}

/** Payloads are kept until their turn. The first part is queued already. */
function insertParts(
  ctx: CommandContext,
  { run_id, execution_id, items_total }: AbilityRunRow,
  items: CompiledPart[][],
) {
  let position = 0
  for (const [item, parts] of items.entries()) {
    if (items_total !== undefined) insertRunItem(ctx.tx, { run_id, item, state: 'not_started', outcome: EMPTY_OUTCOME })
    for (const { execution, ...part } of parts) {
      const queued = position === 0 ? { execution_id } : { payload: execution }
      insertRunPart(ctx.tx, { run_id, position, item, ...part, ...queued })
      position += 1
    }
  }
}

/** The largest number of executions of one run. */
const MAX_EXECUTIONS = 1000

const tooManyExecutions = (): Failure =>
  new Failure('INVALID_REQUEST', `The run needs more than ${MAX_EXECUTIONS} executions. Send fewer items.`, {
    details: { field: 'items' },
  })

function getUsableRecipe(ctx: CommandContext, abilityId: string) {
  const ability = getVisibleAbility(ctx.tx, abilityId, ctx.actor.user_id)
  if (!ability.usable_now) {
    throw abilityUnusable(abilityId, ability.reason_unusable ?? 'not_materialized')
  }
  const installed = findCurrentRecipe(ctx.tx, abilityId)
  if (installed === undefined) throw abilityUnusable(abilityId, 'no_recipe')
  return installed
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
