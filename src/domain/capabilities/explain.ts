import type { z } from 'zod'
import type { explainCapability } from '@apprentice/contracts/capabilities/capability.ts'
import type { AbilityRow } from '../../store/abilities/abilities.ts'
import type { Reader } from '../../store/db/db.ts'
import { currentVersion } from '../abilities/current-recipe.ts'
import { healthOf } from './health.ts'

type Explained = z.infer<(typeof explainCapability)['reply']>

/** Whether a capability is there, well, and of use now: three different things. */
export function explain(reader: Reader, ability: AbilityRow): Explained {
  const { ability_id, primary_capability_id, usable_now, reason_unusable, source } = ability
  const version = currentVersion(reader, ability_id)
  const { health_status, reason_codes } = healthOf(reader, primary_capability_id ?? ability_id)
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

/** Nothing the caller may know of fits. */
export const nothingFits: Explained = {
  installed: false,
  health_status: 'unknown',
  usable_now: false,
  reasons: ['no_match'],
  surface_order: [],
  schema_version: 1,
}
