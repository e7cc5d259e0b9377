import { Failure } from '../../failure/failure.ts'
import {
  type AbilityRow,
  findAbility,
  listAbilities,
  updateUsability,
} from '../../store/abilities/abilities.ts'
import {
  getAbilitySnapshot,
  updateAbilitySnapshot,
} from '../../store/abilities/abilities-snapshot.ts'
import type { CommandContext } from '../command/context.ts'
import { enqueueJob } from '../command/jobs.ts'
import { nightOf } from '../command/nightly.ts'
import { recordEvent, recordReceipt } from '../command/ledger.ts'
import { recordAbilityEvent } from './ability-events.ts'
import { refreshHealthOf } from './checkpoint-health.ts'
import { installedFacts } from './read-installed-facts.ts'
import { type InstalledFacts, native, type ReadInstalledFacts } from './installed-facts.ts'

export const refreshKind = 'abilities.refresh'
/** Requests that come within this time of each other are answered by one refresh. */
const gatherMs = 250
const pageSize = 500

export interface RefreshScope {
  /** Only these; left out, all there are. */
  readonly ability_ids?: readonly string[]
  /** Where to ask what is installed. */
  readonly facts?: ReadInstalledFacts
}

interface Counts {
  readonly looked_at: number
  readonly changed: number
}

/** The first thing that keeps an ability from being used; undefined when nothing does. */
export function reasonUnusable(
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
  if (facts.unhealthy_connector !== undefined)
    return `connector_unhealthy:${facts.unhealthy_connector}`
  return undefined
}

/**
 * Works out what can be used, of all abilities or of those that are concerned, and says so. A refresh of some does
 * not settle what was asked for all: then the snapshot stays as old, and as stale, as it was.
 */
export function refreshAvailability(
  ctx: CommandContext,
  reason: string,
  { ability_ids, facts = installedFacts }: RefreshScope = {},
): Counts {
  const counts = lookOver(ctx, ability_ids, facts)
  const before = getAbilitySnapshot(ctx.tx)
  const isFull = ability_ids === undefined
  const settles = isFull || !before.stale
  updateAbilitySnapshot(ctx.tx, {
    latest_trigger_at: ctx.now,
    snapshot_as_of: settles ? ctx.now : before.snapshot_as_of,
    full_as_of: isFull ? ctx.now : before.full_as_of,
    stale: !settles,
  })
  tellRefresh(ctx, reason, { ability_ids, counts })
  return counts
}

/** Once a night all is looked at, whatever happened by day. Returns how many there were to look at. */
export function lookOverNightly(ctx: CommandContext): number {
  const { full_as_of, stale } = getAbilitySnapshot(ctx.tx)
  const isDone = !stale && nightOf(full_as_of) === nightOf(ctx.now)
  if (isDone || listAbilities(ctx.tx, { limit: 1 }).length === 0) return 0
  return refreshAvailability(ctx, 'nightly').looked_at
}

/** Marks that something changed that availability depends on; it is worked out anew in a moment. */
export function requestRefresh(ctx: CommandContext, reason: string): void {
  const before = getAbilitySnapshot(ctx.tx)
  updateAbilitySnapshot(ctx.tx, { ...before, latest_trigger_at: ctx.now, stale: true })
  const gathered = Math.floor(Date.parse(ctx.now) / gatherMs + 1) * gatherMs
  const run_after = new Date(gathered).toISOString()
  const job_id = `${refreshKind}:${run_after}`
  enqueueJob(ctx, { job_id, kind: refreshKind, lane: refreshKind, payload: { reason }, run_after })
  recordEvent(ctx, 'abilities', 'ability.refresh.requested', { reason })
}

/** Returns how many were looked at, and how many were written. */
function lookOver(
  ctx: CommandContext,
  ids: readonly string[] | undefined,
  facts: ReadInstalledFacts,
): Counts {
  const counts = { looked_at: 0, changed: 0 }
  try {
    for (const ability of concerned(ctx, ids)) {
      counts.looked_at += 1
      counts.changed += Number(lookAt(ctx, ability, facts))
    }
    return counts
  } catch (error) {
    if (error instanceof Failure) throw error
    const failure = new Failure(
      'AVAILABILITY_REFRESH_FAILED',
      'It could not be worked out which abilities can be used.',
    )
    failure.cause = error
    throw failure
  }
}

/** True when something about it is different now. */
function lookAt(ctx: CommandContext, ability: AbilityRow, facts: ReadInstalledFacts): boolean {
  const { ability_id, source } = ability
  const fares = refreshHealthOf(ctx, ability)
  const installed = source === 'native' ? native : facts(ctx.tx, ability_id)
  const reason_unusable = reasonUnusable(ability, installed)
  const usable_now = reason_unusable === undefined
  if (usable_now === ability.usable_now && reason_unusable === ability.reason_unusable) return fares
  updateUsability(ctx.tx, { ability_id, reason_unusable })
  return true
}

function* concerned(ctx: CommandContext, ids: readonly string[] | undefined): Iterable<AbilityRow> {
  if (ids !== undefined) {
    for (const id of ids) {
      const ability = findAbility(ctx.tx, id)
      if (ability !== undefined) yield ability
    }
    return
  }
  let page = listAbilities(ctx.tx, { limit: pageSize })
  while (page.length > 0) {
    yield* page
    page = listAbilities(ctx.tx, { after: page.at(-1)?.ability_id ?? '', limit: pageSize })
  }
}

/** A refresh on behalf of one ability is told where that ability is told of. */
function tellRefresh(
  ctx: CommandContext,
  reason: string,
  { ability_ids, counts }: { ability_ids: readonly string[] | undefined; counts: Counts },
): void {
  const [only, ...others] = ability_ids ?? []
  const ability = only === undefined || others.length > 0 ? undefined : findAbility(ctx.tx, only)
  const facts = { reason, ...counts }
  if (ability === undefined) recordEvent(ctx, 'abilities', 'ability.snapshot.updated', facts)
  else recordAbilityEvent(ctx, ability, 'ability.snapshot.updated', facts)
  recordReceipt(ctx, 'ability.snapshot.updated', {
    summary: `Looked over ${counts.looked_at} of the abilities; ${counts.changed} changed.`,
    reason: reason.slice(0, 240),
    details: { ...counts },
    ...(ability === undefined ? {} : { ability_id: ability.ability_id }),
    ...(ability?.learn_session_id === undefined
      ? {}
      : { learn_session_id: ability.learn_session_id }),
  })
}
