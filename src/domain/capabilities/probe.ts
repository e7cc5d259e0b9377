import { hash } from 'node:crypto'
import { type Execution, normalizeExecution } from '@apprentice/contracts/devices/execution.ts'
import type { EventKind } from '@apprentice/contracts/base/events.ts'
import type { Recipe } from '@apprentice/contracts/recipes/recipe.ts'
import { Failure } from '../../failure/failure.ts'
import type { Reader } from '../../store/db/db.ts'
import { type ExecutionRow, findExecution } from '../../store/devices/executions.ts'
import type { CommandContext } from '../command/context.ts'
import { queueExecution } from '../devices/executions.ts'
import { currentRecipe } from '../abilities/current-recipe.ts'
import { recordEvent } from '../command/ledger.ts'
import { lowerStart } from '../../knowledge/recipes/lower/lower-step.ts'
import { inputsIn } from '../../knowledge/recipes/parse/placeholders.ts'
import { healthOf, saveHealth } from './health.ts'
import { getAbilityBehind } from './known-capability.ts'

export const cooldownMs = 15 * 60_000

/** Puts a look at the app into a device's lane. Until it is over, and a while after, there is no other. */
export function beginProbe(
  ctx: CommandContext,
  capabilityId: string,
  serial: string | undefined,
): { execution_id: string } {
  const { ability_id } = getAbilityBehind(ctx.tx, capabilityId, ctx.actor.user_id)
  const health = healthOf(ctx.tx, capabilityId)
  const { cooldown_until } = health
  if (cooldown_until !== undefined && cooldown_until > ctx.now) {
    throw unavailable('It was probed a moment ago.', { reason: 'cooldown', cooldown_until })
  }
  const recipe = currentRecipe(ctx.tx, ability_id)?.recipe
  if (recipe === undefined) {
    throw unavailable('It is not done on a device, so there is no probe.', { reason: 'no_recipe' })
  }
  const execution = probeOf(ctx, recipe)
  const payload_sha256 = hash('sha256', JSON.stringify(execution), 'hex')
  const { execution_id } = queued(() =>
    queueExecution(ctx, { execution, payload_sha256, serial, priority: 0 }),
  )
  saveHealth(ctx, { ...health, cooldown_until: later(ctx.now) })
  tellProbe(ctx, 'capability.reprobe.started', { capability_id: capabilityId, execution_id })
  return { execution_id }
}

export interface Probe {
  readonly ok: boolean
  readonly elapsed_ms: number
  readonly reason_code?: string | undefined
}

/** What a look came to; undefined when it says nothing of the capability. */
export function readProbe(reader: Reader, executionId: string): Probe | undefined {
  const ended = findExecution(reader, executionId)
  if (ended?.settled_at === undefined) return undefined
  const reason_code = ended.envelope?.errorCode ?? undefined
  const ok = ended.state === 'succeeded'
  if (!ok && !saysSomething(ended, reason_code)) return undefined
  const elapsed_ms = Math.max(0, Date.parse(ended.settled_at) - Date.parse(ended.queued_at))
  return { ok, elapsed_ms, ...(ok || reason_code === undefined ? {} : { reason_code }) }
}

/** A look that could not be had leaves everything as it was. */
export function forgetProbe(ctx: CommandContext, capabilityId: string): Failure {
  saveHealth(ctx, { ...healthOf(ctx.tx, capabilityId), cooldown_until: undefined })
  tellProbe(ctx, 'capability.reprobe.failed', { capability_id: capabilityId, reason: 'device' })
  return unavailable('The device could not be looked at.', { reason: 'device' })
}

export function tellProbe(
  ctx: CommandContext,
  kind: Extract<EventKind, `capability.reprobe.${string}`>,
  facts: { readonly capability_id: string; readonly [fact: string]: unknown },
): void {
  recordEvent(ctx, `capability/${facts.capability_id}`, kind, facts)
}

/** The way to the device failed, or somebody else ended it: that is not the app's fault. */
const notTheApp: ReadonlySet<string> = new Set([
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

const saysSomething = ({ state }: ExecutionRow, code: string | undefined): boolean =>
  state === 'failed' && !notTheApp.has(code ?? '')

/** Opens the app and looks whether it begins as it did: nothing in it is touched. */
function probeOf(ctx: CommandContext, recipe: Recipe): Execution {
  const { application_id, starts_on, session_policy, ...rest } = recipe
  const fixed = starts_on !== undefined && inputsIn(JSON.stringify(starts_on)).length === 0
  const start = lowerStart({
    ...rest,
    application_id,
    session_policy: 'fresh',
    fresh_start_injected: true,
    ...(fixed ? { starts_on } : {}),
  })
  const read = normalizeExecution({
    commandId: `probe-${ctx.newId()}`,
    taskId: `probe-${recipe.recipe_id}`.slice(0, 128),
    source: 'probe',
    expectedFormat: 'android-ui-automator',
    timeoutMs: 30_000,
    actions: [
      ...start.map(({ action }) => action),
      { id: 'look', type: 'snapshot_ui', params: {} },
    ],
  })
  if (read.ok) return read.execution
  throw unavailable('The recipe says of no app how it begins.', { reason: 'no_probe' })
}

function queued<T>(queue: () => T): T {
  try {
    return queue()
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    throw unavailable(error.message, { reason: error.code })
  }
}

const later = (now: string): string => new Date(Date.parse(now) + cooldownMs).toISOString()

const unavailable = (message: string, details: Record<string, unknown>): Failure =>
  new Failure('PROBE_UNAVAILABLE', message, { details })
