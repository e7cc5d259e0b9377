import { hash } from 'node:crypto'
import {
  BridgeEntry,
  type CapabilityManifest,
} from '@apprentice/contracts/capabilities/capability.ts'
import { Failure } from '../../failure/failure.ts'
import { listBridgeSources } from '../../store/abilities/ability-versions.ts'
import {
  type BridgeMarks,
  deleteBridgeEntry,
  getBridgeMarks,
  listBridgeEntries,
  updateBridgeMarks,
  upsertBridgeEntry,
} from '../../store/capabilities/bridge.ts'
import type { CommandContext } from '../command/context.ts'
import { recordEvent, recordReceipt } from '../command/ledger.ts'
import { healthOf } from './health.ts'

/** The most semantic surface decides; 1 is the best. */
const tiers: Readonly<Record<string, number>> = {
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

export interface Rebuilt extends BridgeMarks {
  /** How many entries came, went or say something else. */
  readonly changed: number
}

/**
 * Builds the bridge anew from what is installed: all entries or none. What cannot be built leaves the last good
 * bridge as it is, marked stale; that is returned and not thrown, so that the mark stands.
 */
export function rebuildBridge(ctx: CommandContext): Rebuilt | Failure {
  recordEvent(ctx, 'bridge', 'bridge.rebuild.started')
  const built = buildEntries(ctx)
  return Array.isArray(built) ? replaceWith(ctx, built) : keepLastGood(ctx, built)
}

/** Once a night, whatever else has asked for it. Returns how many entries were not as they had to be. */
export function mendBridge(ctx: CommandContext): number {
  const rebuilt = rebuildBridge(ctx)
  return rebuilt instanceof Failure ? 0 : rebuilt.changed
}

/** Takes an entry out even where the rest cannot be built: what is gone is not routed to. */
export function takeOffBridge(ctx: CommandContext, capabilityId: string): void {
  if (!(rebuildBridge(ctx) instanceof Failure)) return
  deleteBridgeEntry(ctx.tx, capabilityId)
  const content_hash = hashOf(listBridgeEntries(ctx.tx))
  updateBridgeMarks(ctx.tx, { ...getBridgeMarks(ctx.tx), content_hash })
}

/** Which entry cannot be built, and for which of its fields. */
interface Unfit {
  readonly capability_id: string
  readonly field: string
}

/** What is at fault may be somebody's own, so that only the log of the daemon names it. */
function keepLastGood(ctx: CommandContext, unfit: Unfit): Failure {
  updateBridgeMarks(ctx.tx, { ...getBridgeMarks(ctx.tx), bridge_state: 'stale' })
  recordEvent(ctx, 'bridge', 'bridge.rebuild.failed', { ...unfit })
  recordReceipt(ctx, 'bridge.rebuild.failed', {
    status: 'failed',
    summary: 'The bridge could not be built; the last good one stays.',
  })
  return new Failure('BRIDGE_REBUILD_FAILED', 'An entry of the bridge could not be built.')
}

function replaceWith(ctx: CommandContext, entries: readonly BridgeEntry[]): Rebuilt {
  const before = new Map(listBridgeEntries(ctx.tx).map((entry) => [entry.capability_id, entry]))
  const next = entries.map((entry) => sinceThen(before.get(entry.capability_id), entry))
  const changed = next.filter((entry) => before.get(entry.capability_id) !== entry)
  for (const entry of changed) upsertBridgeEntry(ctx.tx, entry)
  const kept = new Set(next.map(({ capability_id }) => capability_id))
  const gone = [...before.keys()].filter((id) => !kept.has(id))
  for (const id of gone) deleteBridgeEntry(ctx.tx, id)
  const bridge: BridgeMarks = {
    bridge_state: 'current',
    built_at: ctx.now,
    content_hash: hashOf(next),
  }
  updateBridgeMarks(ctx.tx, bridge)
  const counts = { entries: next.length, changed: changed.length + gone.length }
  recordEvent(ctx, 'bridge', 'bridge.rebuild.completed', counts)
  recordReceipt(ctx, 'bridge.rebuild.completed', {
    summary: `Bridge built with ${next.length} entries.`,
    details: { ...counts, content_hash: bridge.content_hash },
  })
  return { ...bridge, changed: counts.changed }
}

const hashOf = (entries: readonly BridgeEntry[]): string =>
  hash('sha256', JSON.stringify(entries), 'hex')

function buildEntries(ctx: CommandContext): BridgeEntry[] | Unfit {
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

/** An entry that says the same keeps the time it was first said. */
function sinceThen(before: BridgeEntry | undefined, entry: BridgeEntry): BridgeEntry {
  const same =
    before !== undefined &&
    JSON.stringify({ ...before, updated_at: '' }) === JSON.stringify({ ...entry, updated_at: '' })
  return same ? before : entry
}

function toEntry(ctx: CommandContext, manifest: CapabilityManifest, enabled: boolean): BridgeEntry {
  const { capability_id, family, title, aliases, action_verbs } = manifest
  const health = healthOf(ctx.tx, capability_id)
  const [reason] = enabled ? health.reason_codes : ['ability_disabled']
  const health_status = enabled ? health.health_status : 'disabled'
  return {
    capability_id,
    family,
    title,
    aliases: aliases.slice(0, 20),
    action_verbs: action_verbs.slice(0, 20),
    route_tier: Math.min(5, ...manifest.surface_order.map((surface) => tiers[surface] ?? 5)),
    requires_supervision: manifest.requires_supervision,
    dry_run_supported: manifest.dry_run_supported,
    routing_eligible:
      manifest.routing_eligible && !['quarantined', 'disabled'].includes(health_status),
    health_status,
    ...(reason === undefined ? {} : { health_reason_code: reason }),
    origin_owner: 'doc3',
    built_in_openclaw: false,
    metadata_ref: `capabilities/metadata/${capability_id}.json`,
    updated_at: ctx.now,
    schema_version: 1,
  }
}
