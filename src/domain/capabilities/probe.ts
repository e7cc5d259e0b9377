import { hash } from 'node:crypto'
import { type Execution, normalizeExecution } from '@apprentice/contracts/devices/execution.ts'
import type { EventKind } from '@apprentice/contracts/base/events.ts'
import type { Recipe } from '@apprentice/contracts/recipes/recipe.ts'
import { Failure } from '../../failure/failure.ts'
import type { Reader } from '../../store/db/db.ts'
import { type ExecutionRow, findExecution } from '../../store/devices/executions.ts'
import type { CommandContext } from '../command/context.ts'
import { queueExecution } from '../devices/executions.ts'
import { findCurrentRecipe } from '../abilities/current-recipe.ts'
import { recordCapabilityEvent } from './capability-events.ts'
import { lowerStart } from '../../knowledge/recipes/lower/lower-step.ts'
import { listInputs } from '../../knowledge/recipes/parse/placeholders.ts'
import { readHealth, saveHealth } from './health.ts'
import { getAbilityOfCapability } from './ability-of-capability.ts'

export const PROBE_COOLDOWN_MS = 15 * 60_000

/** Queues a probe of the app on a device. There is no other probe until the cooldown has passed. */
export function startProbe(
  ctx: CommandContext,
  capabilityId: string,
  serial: string | undefined,
): { execution_id: string } {
  const { ability_id } = getAbilityOfCapability(ctx.tx, capabilityId, ctx.actor.user_id)
  const health = readHealth(ctx.tx, capabilityId)
  const { cooldown_until } = health
  if (cooldown_until !== undefined && cooldown_until > ctx.now) {
    throw probeUnavailable('The capability was probed recently; wait until cooldown_until.', {
      reason: 'cooldown',
      cooldown_until,
    })
  }
  const recipe = findCurrentRecipe(ctx.tx, ability_id)?.recipe
  if (recipe === undefined) {
    throw probeUnavailable('The ability has no recipe, so it cannot be probed on a device.', {
      reason: 'no_recipe',
    })
  }
  const execution = buildProbe(ctx, recipe)
  const payload_sha256 = hash('sha256', JSON.stringify(execution), 'hex')
  const { execution_id } = queueProbe(() => queueExecution(ctx, { execution, payload_sha256, serial, priority: 0 }))
  saveHealth(ctx, { ...health, cooldown_until: addCooldown(ctx.now) })
  recordProbeEvent(ctx, 'capability.reprobe.started', { capability_id: capabilityId, execution_id })
  return { execution_id }
}

export interface Probe {
  readonly ok: boolean
  readonly elapsed_ms: number
  readonly reason_code?: string | undefined
}

/** The result of a probe. Undefined if the execution does not show whether the capability works. */
export function readProbe(reader: Reader, executionId: string): Probe | undefined {
  const execution = findExecution(reader, executionId)
  if (execution?.settled_at === undefined) return undefined
  const reason_code = execution.envelope?.errorCode ?? undefined
  const ok = execution.state === 'succeeded'
  if (!ok && !concernsApp(execution, reason_code)) return undefined
  const elapsed_ms = Math.max(0, Date.parse(execution.settled_at) - Date.parse(execution.queued_at))
  return { ok, elapsed_ms, ...(ok || reason_code === undefined ? {} : { reason_code }) }
}

/** Clears the cooldown of a probe that could not be executed. */
export function discardProbe(ctx: CommandContext, capabilityId: string): Failure {
  saveHealth(ctx, { ...readHealth(ctx.tx, capabilityId), cooldown_until: undefined })
  recordProbeEvent(ctx, 'capability.reprobe.failed', {
    capability_id: capabilityId,
    reason: 'device',
  })
  return probeUnavailable('The device could not be read.', { reason: 'device' })
}

export function recordProbeEvent(
  ctx: CommandContext,
  kind: Extract<EventKind, `capability.reprobe.${string}`>,
  facts: { readonly capability_id: string; readonly [fact: string]: unknown },
): void {
  recordCapabilityEvent(ctx, kind, facts)
}

/** Error codes of the connection or of cancelled executions, which say nothing about the app. */
const DEVICE_FAILURE_CODES: ReadonlySet<string> = new Set([
  'DEVICE_LOST',
  'DEVICE_OFFLINE',
  'DEVICE_UNAUTHORIZED',
  'DEVICE_TIMEOUT',
  'DEVICE_LEASED',
  'ADB_SERVER_FAILED',
  'EXECUTION_CANCELLED',
  'EXECUTION_INTERRUPTED',
  'RESULT_ENVELOPE_TIMEOUT',
  'INTERNAL_ERROR',
])

const concernsApp = ({ state }: ExecutionRow, code: string | undefined): boolean =>
  state === 'failed' && !DEVICE_FAILURE_CODES.has(code ?? '')

/** Opens the app and waits for the start screen of the recipe. Nothing in the app is changed. */
function buildProbe(ctx: CommandContext, recipe: Recipe): Execution {
  const { application_id, starts_on, session_policy, ...rest } = recipe
  const isFixed = starts_on !== undefined && listInputs(JSON.stringify(starts_on)).length === 0
  const start = lowerStart({
    ...rest,
    application_id,
    session_policy: 'fresh',
    fresh_start_injected: true,
    ...(isFixed ? { starts_on } : {}),
  })
  const parsed = normalizeExecution({
    commandId: `probe-${ctx.newId()}`,
    taskId: `probe-${recipe.recipe_id}`.slice(0, 128),
    source: 'probe',
    expectedFormat: 'android-ui-automator',
    timeoutMs: 30_000,
    actions: [...start.map(({ action }) => action), { id: 'look', type: 'snapshot_ui', params: {} }],
  })
  if (parsed.ok) return parsed.execution
  throw probeUnavailable('The recipe has no application that could be opened for a probe.', {
    reason: 'no_probe',
  })
}

function queueProbe<T>(queue: () => T): T {
  try {
    return queue()
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    throw probeUnavailable(error.message, { reason: error.code })
  }
}

const addCooldown = (now: string): string => new Date(Date.parse(now) + PROBE_COOLDOWN_MS).toISOString()

const probeUnavailable = (message: string, details: Record<string, unknown>): Failure =>
  new Failure('PROBE_UNAVAILABLE', message, { details })
