import { findBridgeEntry } from '../../store/capabilities/bridge.ts'
import { findHealth } from '../../store/capabilities/capabilities.ts'
import type { ReadInstalledFacts } from './installed-facts.ts'
import { currentVersion } from './current-recipe.ts'

/** What the installation of an ability says of whether it can be used. */
export const installedFacts: ReadInstalledFacts = (reader, abilityId) => {
  const version = currentVersion(reader, abilityId)
  if (version === undefined) return absent
  const { capability_id } = version.manifest
  const entry = findBridgeEntry(reader, capability_id)
  const off = entry?.health_status === 'quarantined' || entry?.health_status === 'disabled'
  return {
    materialized: version.materialized,
    projected: version.projected,
    // What is not routed to because it is not well is on the bridge all the same.
    bridged: entry !== undefined && (entry.routing_eligible || off),
    health_status: findHealth(reader, capability_id)?.health_status ?? 'unknown',
    partial_state: version.partial_state,
    requires_adapter: version.described.requires_adapter,
  }
}

const absent = {
  materialized: false,
  projected: false,
  bridged: false,
  health_status: 'unknown',
} as const
