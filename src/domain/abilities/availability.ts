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
  act: CommandContext,
  reason: string,
  { ability_ids, facts = installedFacts }: RefreshScope = {},
): Counts {
  const counts = lookOver(act, ability_ids, facts)
  const before = getAbilitySnapshot(act.tx)
  const isFull = ability_ids === undefined
  const settles = isFull || !before.stale
  updateAbilitySnapshot(act.tx, {
    latest_trigger_at: act.now,
    snapshot_as_of: settles ? act.now : before.snapshot_as_of,
    full_as_of: isFull ? act.now : before.full_as_of,
    stale: !settles,
  })
  tellRefresh(act, reason, { ability_ids, counts })
  return counts
}

/** Once a night all is looked at, whatever happened by day. Returns how many there were to look at. */
export function lookOverNightly(act: CommandContext): number {
  const { full_as_of, stale } = getAbilitySnapshot(act.tx)
  const isDone = !stale && nightOf(full_as_of) === nightOf(act.now)
  if (isDone || listAbilities(act.tx, { limit: 1 }).length === 0) return 0
  return refreshAvailability(act, 'nightly').looked_at
}

/** Marks that something changed that availability depends on; it is worked out anew in a moment. */
export function requestRefresh(act: CommandContext, reason: string): void {
  const before = getAbilitySnapshot(act.tx)
  updateAbilitySnapshot(act.tx, { ...before, latest_trigger_at: act.now, stale: true })
  const gathered = Math.floor(Date.parse(act.now) / gatherMs + 1) * gatherMs
  const run_after = new Date(gathered).toISOString()
  const job_id = `${refreshKind}:${run_after}`
  enqueueJob(act, { job_id, kind: refreshKind, lane: refreshKind, payload: { reason }, run_after })
  recordEvent(act, 'abilities', 'ability.refresh.requested', { reason })
}

/** Returns how many were looked at, and how many were written. */
function lookOver(act: CommandContext, ids: readonly string[] | undefined, facts: ReadInstalledFacts): Counts {
  const counts = { looked_at: 0, changed: 0 }
  try {
    for (const ability of concerned(act, ids)) {
      counts.looked_at += 1
      counts.changed += Number(lookAt(act, ability, facts))
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
function lookAt(act: CommandContext, ability: AbilityRow, facts: ReadInstalledFacts): boolean {
  const { ability_id, source } = ability
  const fares = refreshHealthOf(act, ability)
  const installed = source === 'native' ? native : facts(act.tx, ability_id)
  const reason_unusable = reasonUnusable(ability, installed)
  const usable_now = reason_unusable === undefined
  if (usable_now === ability.usable_now && reason_unusable === ability.reason_unusable) return fares
  updateUsability(act.tx, { ability_id, reason_unusable })
  return true
}

function* concerned(act: CommandContext, ids: readonly string[] | undefined): Iterable<AbilityRow> {
  if (ids !== undefined) {
    for (const id of ids) {
      const ability = findAbility(act.tx, id)
      if (ability !== undefined) yield ability
    }
    return
  }
  let page = listAbilities(act.tx, { limit: pageSize })
  while (page.length > 0) {
    yield* page
    page = listAbilities(act.tx, { after: page.at(-1)?.ability_id ?? '', limit: pageSize })
  }
}

/** A refresh on behalf of one ability is told where that ability is told of. */
function tellRefresh(
  act: CommandContext,
  reason: string,
  { ability_ids, counts }: { ability_ids: readonly string[] | undefined; counts: Counts },
): void {
  const [only, ...others] = ability_ids ?? []
  const ability = only === undefined || others.length > 0 ? undefined : findAbility(act.tx, only)
  const facts = { reason, ...counts }
  if (ability === undefined) recordEvent(act, 'abilities', 'ability.snapshot.updated', facts)
  else recordAbilityEvent(act, ability, 'ability.snapshot.updated', facts)
  recordReceipt(act, 'ability.snapshot.updated', {
    summary: `Looked over ${counts.looked_at} of the abilities; ${counts.changed} changed.`,
    reason: reason.slice(0, 240),
    details: { ...counts },
    ...(ability === undefined ? {} : { ability_id: ability.ability_id }),
    ...(ability?.learn_session_id === undefined
      ? {}
      : { learn_session_id: ability.learn_session_id }),
  })
}
