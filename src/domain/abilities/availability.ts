import { Failure } from '../../failure/failure.ts'
import { isStorageError } from '../../failure/storage-failure.ts'
import { type AbilityRow, findAbility, listAbilities, updateUsability } from '../../store/abilities/abilities.ts'
import { getAbilitySnapshot, updateAbilitySnapshot } from '../../store/abilities/abilities-snapshot.ts'
import type { CommandContext } from '../command/context.ts'
import { enqueueJob } from '../command/jobs.ts'
import { formatNight } from '../command/nightly.ts'
import { EVERYONE } from '../../store/command/events.ts'
import { recordEvent, recordEventFor, recordReceipt } from '../command/ledger.ts'
import { MAX_CALL_DEPTH } from '@apprentice/contracts/recipes/call.ts'
import { listCallingAbilities } from '../../store/abilities/ability-versions.ts'
import { findCallProblem } from './called-abilities.ts'
import { recordAbilityEvent } from './ability-events.ts'
import { refreshAbilityHealth } from './checkpoint-health.ts'
import { type InstalledFacts, readInstalledFacts, type ReadInstalledFacts, readNativeFacts } from './installed-facts.ts'

export const REFRESH_JOB_KIND = 'abilities.refresh'
/** Requests within this time of each other share one refresh. */
const COALESCE_MS = 250
const PAGE_SIZE = 500

export interface RefreshScope {
  /** Only these abilities; all if omitted. */
  readonly ability_ids?: readonly string[]
  /** Reads the installation state of an ability. */
  readonly facts?: ReadInstalledFacts
}

interface Counts {
  readonly looked_at: number
  readonly changed: number
}

/** The first condition that makes an ability unusable. Undefined if it is usable. */
export function findReasonUnusable(
  { enabled, install_lane }: Pick<AbilityRow, 'enabled' | 'install_lane'>,
  facts: InstalledFacts,
): string | undefined {
  if (!enabled) return 'disabled'
  if (install_lane === 'quarantined') return 'quarantined'
  if (facts.partial_state === 'install_failed') return 'install_failed'
  if (!facts.materialized) return 'not_materialized'
  if (!facts.projected) return 'not_projected'
  if (!facts.bridged || facts.partial_state === 'bridge_pending') return 'bridge_pending'
  if (facts.health_status === 'quarantined') return 'capability_quarantined'
  if (facts.health_status === 'disabled') return 'capability_disabled'
  if (facts.requires_adapter === true) return 'adapter_required'
  if (facts.unhealthy_connector !== undefined) return `connector_unhealthy:${facts.unhealthy_connector}`
  if (facts.call_problem !== undefined) return facts.call_problem
  if (facts.scene_problem !== undefined) return facts.scene_problem
  if (facts.lint_failed === true) return 'lint_failed'
  return facts.rehearsed ? undefined : NOT_REHEARSED
}

/** The reason of an ability that lacks nothing but a device that carried it out. Its owner may run it. */
export const NOT_REHEARSED = 'not_rehearsed'

/**
 * Recomputes which abilities are usable and records the result. A partial refresh does not satisfy a pending request
 * for a full one: the snapshot then stays stale.
 */
export function refreshAvailability(
  ctx: CommandContext,
  reason: string,
  { ability_ids, facts = readInstalledFacts }: RefreshScope = {},
): Counts {
  const counts = refreshAbilities(ctx, ability_ids, facts)
  const before = getAbilitySnapshot(ctx.tx)
  const isFull = ability_ids === undefined
  const isCurrent = isFull || !before.stale
  updateAbilitySnapshot(ctx.tx, {
    latest_trigger_at: ctx.now,
    snapshot_as_of: isCurrent ? ctx.now : before.snapshot_as_of,
    full_as_of: isFull ? ctx.now : before.full_as_of,
    stale: !isCurrent,
  })
  recordRefresh(ctx, reason, { ability_ids, counts })
  return counts
}

/** A full refresh once a night. Returns the number of abilities checked. */
export function refreshNightly(ctx: CommandContext): number {
  const { full_as_of, stale } = getAbilitySnapshot(ctx.tx)
  const isDone = !stale && formatNight(full_as_of) === formatNight(ctx.now)
  if (isDone || listAbilities(ctx.tx, { limit: 1 }).length === 0) return 0
  return refreshAvailability(ctx, 'nightly').looked_at
}

/** Marks the snapshot stale and queues a full refresh. */
export function requestRefresh(ctx: CommandContext, reason: string): void {
  const before = getAbilitySnapshot(ctx.tx)
  updateAbilitySnapshot(ctx.tx, { ...before, latest_trigger_at: ctx.now, stale: true })
  const dueMs = Math.floor(Date.parse(ctx.now) / COALESCE_MS + 1) * COALESCE_MS
  const run_after = new Date(dueMs).toISOString()
  const job_id = `${REFRESH_JOB_KIND}:${run_after}`
  enqueueJob(ctx, {
    job_id,
    kind: REFRESH_JOB_KIND,
    lane: REFRESH_JOB_KIND,
    payload: { reason },
    run_after,
  })
  recordEvent(ctx, 'abilities', 'ability.refresh.requested', { reason })
}

function refreshAbilities(ctx: CommandContext, ids: readonly string[] | undefined, facts: ReadInstalledFacts): Counts {
  const counts = { looked_at: 0, changed: 0 }
  try {
    const calling = listCallingAbilities(ctx.tx)
    const read: ReadInstalledFacts = (reader, id) => {
      const installed = facts(reader, id)
      return calling.includes(id) ? { ...installed, call_problem: readCallProblem(ctx, id) } : installed
    }
    for (const ability of listAffected(ctx, ids)) {
      counts.looked_at += 1
      counts.changed += Number(refreshAbility(ctx, ability, read))
    }
    counts.changed += refreshCallers(ctx, calling, read)
    return counts
  } catch (error) {
    if (error instanceof Failure || isStorageError(error)) throw error
    const failure = new Failure('AVAILABILITY_REFRESH_FAILED', 'The availability of abilities could not be computed.')
    failure.cause = error
    throw failure
  }
}

const readCallProblem = (ctx: CommandContext, id: string): string | undefined => {
  const ability = findAbility(ctx.tx, id)
  return ability && findCallProblem(ctx.tx, ability)
}

/**
 * Recomputes the abilities that call others, until nothing changes: each depends on the abilities it calls. Returns how
 * many changes there were.
 */
function refreshCallers(ctx: CommandContext, calling: readonly string[], facts: ReadInstalledFacts): number {
  let changed = 0
  for (let round = 0; round <= MAX_CALL_DEPTH && calling.length > 0; round += 1) {
    const before = changed
    for (const ability of listAffected(ctx, calling)) changed += Number(refreshAbility(ctx, ability, facts))
    if (changed === before) break
  }
  return changed
}

/** Returns true if the stored state changed. */
function refreshAbility(ctx: CommandContext, ability: AbilityRow, facts: ReadInstalledFacts): boolean {
  const { ability_id, source } = ability
  const healthChanged = refreshAbilityHealth(ctx, ability)
  const installed = source === 'native' ? readNativeFacts(ctx.tx, ability_id) : facts(ctx.tx, ability_id)
  const reason_unusable = findReasonUnusable(ability, installed)
  const usable_now = reason_unusable === undefined
  if (usable_now === ability.usable_now && reason_unusable === ability.reason_unusable) return healthChanged
  updateUsability(ctx.tx, { ability_id, reason_unusable })
  return true
}

function* listAffected(ctx: CommandContext, ids: readonly string[] | undefined): Iterable<AbilityRow> {
  if (ids !== undefined) {
    for (const id of ids) {
      const ability = findAbility(ctx.tx, id)
      if (ability !== undefined) yield ability
    }
    return
  }
  let page = listAbilities(ctx.tx, { limit: PAGE_SIZE })
  while (page.length > 0) {
    yield* page
    page = listAbilities(ctx.tx, { after: page.at(-1)?.ability_id ?? '', limit: PAGE_SIZE })
  }
}

/** A refresh of a single ability is recorded with the events of that ability. */
function recordRefresh(
  ctx: CommandContext,
  reason: string,
  { ability_ids, counts }: { ability_ids: readonly string[] | undefined; counts: Counts },
): void {
  const [only, ...others] = ability_ids ?? []
  const ability = only === undefined || others.length > 0 ? undefined : findAbility(ctx.tx, only)
  const facts = { reason, ...counts }
  if (ability === undefined)
    recordEventFor(ctx, EVERYONE, { subject: 'abilities', kind: 'ability.snapshot.updated', payload: facts })
  else recordAbilityEvent(ctx, ability, 'ability.snapshot.updated', facts)
  recordReceipt(ctx, 'ability.snapshot.updated', {
    summary: `${counts.looked_at} abilities checked, ${counts.changed} changed.`,
    reason: reason.slice(0, 240),
    details: { ...counts },
    ...(ability === undefined ? {} : { ability_id: ability.ability_id }),
    ...(ability?.learn_session_id === undefined ? {} : { learn_session_id: ability.learn_session_id }),
  })
}
