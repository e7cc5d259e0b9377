import { hash } from 'node:crypto'
import type { EventKind } from '@apprentice/contracts/base/events.ts'
import { BridgeEntry, type CapabilityManifest } from '@apprentice/contracts/capabilities/capability.ts'
import { Failure } from '../../failure/failure.ts'
import { listBridgeSources } from '../../store/abilities/ability-versions.ts'
import {
  type BridgeStatus,
  deleteBridgeEntry,
  getBridgeStatus,
  listBridgeEntries,
  updateBridgeStatus,
  upsertBridgeEntry,
} from '../../store/capabilities/bridge.ts'
import type { CommandContext } from '../command/context.ts'
import { findSessionOwner } from '../../store/sessions/learn-sessions.ts'
import { recordEvent, recordReceipt, recordSessionEvent } from '../command/ledger.ts'
import { readHealth } from './health.ts'

/** Route tiers of control surfaces; 1 is the most semantic. An entry has the best tier of its surfaces. */
const ROUTE_TIERS: Readonly<Record<string, number>> = {
  native_openclaw_tool: 1,
  native_openclaw_browser: 1,
  bridge_tool: 2,
  mcp_connector: 2,
  mcp_server: 2,
  app_api: 3,
  wrapper_script: 3,
  applescript: 3,
  python_wrapper: 3,
  keyboard_shortcut: 4,
  midi_binding: 4,
  page_knowledge_ui: 5,
  raw_ui: 5,
}

export interface RebuiltBridge extends BridgeStatus {
  /** The number of entries that were added, removed or changed. */
  readonly changed: number
}

/**
 * Rebuilds the bridge from the installed abilities: all entries or none. If an entry is invalid, the last good bridge
 * stays and is marked stale. That failure is returned, not thrown, so that the mark is committed.
 */
export function rebuildBridge(ctx: CommandContext, cause: RebuildCause = {}): RebuiltBridge | Failure {
  recordRebuild(ctx, cause, 'bridge.rebuild.started')
  const built = buildEntries(ctx)
  if (!Array.isArray(built)) return markStale(ctx, cause, built)
  const bridge = replaceEntries(ctx, built)
  recordRebuild(ctx, cause, 'bridge.rebuild.completed', { entries: built.length, changed: bridge.changed })
  return bridge
}

/** The session whose skill is the reason of a rebuild, if it still exists. */
export interface RebuildCause {
  readonly learn_session_id?: string | undefined
}

/** Records the event of the bridge, and tells the session that waits for it. */
function recordRebuild(
  ctx: CommandContext,
  { learn_session_id }: RebuildCause,
  kind: Extract<EventKind, `bridge.${string}`>,
  payload: Readonly<Record<string, unknown>> = {},
): void {
  recordEvent(ctx, 'bridge', kind, payload)
  if (learn_session_id === undefined || findSessionOwner(ctx.tx, learn_session_id) === undefined) return
  // An invalid entry may be that of another user, so only the event of the bridge names it.
  recordSessionEvent(ctx, learn_session_id, kind, { ref: 'bridge', payload: kind.endsWith('failed') ? {} : payload })
}

/** Rebuilds the bridge once a night. Returns the number of changed entries. */
export function rebuildBridgeNightly(ctx: CommandContext): number {
  const rebuilt = rebuildBridge(ctx)
  return rebuilt instanceof Failure ? 0 : rebuilt.changed
}

/** Removes an entry even if the bridge cannot be rebuilt: removed abilities must not be routed to. */
export function removeFromBridge(ctx: CommandContext, capabilityId: string): void {
  if (!(rebuildBridge(ctx) instanceof Failure)) return
  deleteBridgeEntry(ctx.tx, capabilityId)
  const content_hash = hashEntries(listBridgeEntries(ctx.tx))
  updateBridgeStatus(ctx.tx, { ...getBridgeStatus(ctx.tx), content_hash })
}

interface InvalidEntry {
  readonly capability_id: string
  readonly field: string
}

/** The invalid entry may be private, so only the event names it, not the receipt or the failure. */
function markStale(ctx: CommandContext, cause: RebuildCause, invalid: InvalidEntry): Failure {
  updateBridgeStatus(ctx.tx, { ...getBridgeStatus(ctx.tx), bridge_state: 'stale' })
  recordRebuild(ctx, cause, 'bridge.rebuild.failed', { ...invalid })
  recordReceipt(ctx, 'bridge.rebuild.failed', {
    status: 'failed',
    summary: 'The bridge could not be rebuilt; the previous one stays in use.',
  })
  return new Failure('BRIDGE_REBUILD_FAILED', 'A bridge entry could not be built.')
}

function replaceEntries(ctx: CommandContext, entries: readonly BridgeEntry[]): RebuiltBridge {
  const before = new Map(listBridgeEntries(ctx.tx).map((entry) => [entry.capability_id, entry]))
  const next = entries.map((entry) => reuseUnchanged(before.get(entry.capability_id), entry))
  const changed = next.filter((entry) => before.get(entry.capability_id) !== entry)
  for (const entry of changed) upsertBridgeEntry(ctx.tx, entry)
  const ids = new Set(next.map(({ capability_id }) => capability_id))
  const removed = [...before.keys()].filter((id) => !ids.has(id))
  for (const id of removed) deleteBridgeEntry(ctx.tx, id)
  const bridge: BridgeStatus = {
    bridge_state: 'current',
    built_at: ctx.now,
    content_hash: hashEntries(next),
  }
  updateBridgeStatus(ctx.tx, bridge)
  const counts = { entries: next.length, changed: changed.length + removed.length }
  recordReceipt(ctx, 'bridge.rebuild.completed', {
    summary: `Bridge rebuilt with ${next.length} entries.`,
    details: { ...counts, content_hash: bridge.content_hash },
  })
  return { ...bridge, changed: counts.changed }
}

const hashEntries = (entries: readonly BridgeEntry[]): string => hash('sha256', JSON.stringify(entries), 'hex')

function buildEntries(ctx: CommandContext): BridgeEntry[] | InvalidEntry {
  const entries: BridgeEntry[] = []
  for (const { manifest, enabled } of listBridgeSources(ctx.tx)) {
    const read = BridgeEntry.safeParse(toEntry(ctx, manifest, enabled))
    if (!read.success) {
      const field = read.error.issues[0]?.path.join('.') ?? ''
      return { capability_id: manifest.capability_id, field }
    }
    entries.push(read.data)
  }
  return entries
}

/** An unchanged entry keeps its `updated_at`. */
function reuseUnchanged(before: BridgeEntry | undefined, entry: BridgeEntry): BridgeEntry {
  const isSame =
    before !== undefined &&
    JSON.stringify({ ...before, updated_at: '' }) === JSON.stringify({ ...entry, updated_at: '' })
  return isSame ? before : entry
}

function toEntry(ctx: CommandContext, manifest: CapabilityManifest, enabled: boolean): BridgeEntry {
  const { capability_id, family, title, aliases, action_verbs } = manifest
  const health = readHealth(ctx.tx, capability_id)
  const [reason] = enabled ? health.reason_codes : ['ability_disabled']
  const health_status = enabled ? health.health_status : 'disabled'
  return {
    capability_id,
    family,
    title,
    aliases: aliases.slice(0, 20),
    action_verbs: action_verbs.slice(0, 20),
    route_tier: Math.min(5, ...manifest.surface_order.map((surface) => ROUTE_TIERS[surface] ?? 5)),
    requires_supervision: manifest.requires_supervision,
    dry_run_supported: manifest.dry_run_supported,
    routing_eligible: manifest.routing_eligible && !['quarantined', 'disabled'].includes(health_status),
    health_status,
    ...(reason === undefined ? {} : { health_reason_code: reason }),
    origin_owner: 'doc3',
    built_in_openclaw: false,
    metadata_ref: `capabilities/metadata/${capability_id}.json`,
    updated_at: ctx.now,
    schema_version: 1,
  }
}
