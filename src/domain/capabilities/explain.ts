import type { z } from 'zod'
import type { explainCapability } from '@apprentice/contracts/capabilities/capability.ts'
import type { AbilityRow } from '../../store/abilities/abilities.ts'
import type { Reader } from '../../store/db/db.ts'
import { findCurrentVersion } from '../abilities/current-recipe.ts'
import { readHealth } from './health.ts'

type ExplainReply = z.infer<(typeof explainCapability)['reply']>

/** Reports whether a capability is installed, healthy and usable now. */
export function describeCapability(reader: Reader, ability: AbilityRow): ExplainReply {
  const { ability_id, primary_capability_id, usable_now, reason_unusable, source } = ability
  const version = findCurrentVersion(reader, ability_id)
  const { health_status, reason_codes } = readHealth(reader, primary_capability_id ?? ability_id)
  return {
    capability_id: primary_capability_id,
    installed: source === 'native' || version?.materialized === true,
    health_status,
    usable_now,
    reasons: [...reason_codes, ...(reason_unusable === undefined ? [] : [reason_unusable])],
    surface_order: version?.manifest.surface_order ?? ability.preferred_control_surfaces,
    schema_version: 1,
  }
}

export const NO_MATCH: ExplainReply = {
  installed: false,
  health_status: 'unknown',
  usable_now: false,
  reasons: ['no_match'],
  surface_order: [],
  schema_version: 1,
}
