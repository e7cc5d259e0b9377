import type { OpenLane } from '@apprentice/contracts/abilities/ability.ts'
import { isUnproven } from '../../knowledge/recipes/parse/shown-outcome.ts'
import { findAbility } from '../../store/abilities/abilities.ts'
import {
  type AbilityVersionRow,
  listAbilityVersions,
  updateAbilityVersion,
} from '../../store/abilities/ability-versions.ts'
import { findImportByProposal } from '../../store/skill-import/skill-imports.ts'
import { registerAbility } from '../abilities/registry.ts'
import type { CommandContext } from '../command/context.ts'
import { recordCapabilityEvent } from '../capabilities/capability-events.ts'

/** Makes a version the current one, retires the others and registers the ability with its description. */
export function activateVersion(
  ctx: CommandContext,
  version: AbilityVersionRow,
  { owner_user_id, lane }: { owner_user_id: string; lane: OpenLane },
): void {
  const { ability_id, manifest } = version
  const { requires_adapter: _adapter, lint_failed: _lint, ...described } = version.described
  const known = findAbility(ctx.tx, ability_id)
  for (const other of listAbilityVersions(ctx.tx, ability_id)) {
    if (other.version === version.version || other.retired_at !== undefined) continue
    updateAbilityVersion(ctx.tx, { ...other, retired_at: ctx.now })
  }
  updateAbilityVersion(ctx.tx, { ...version, install_lane: lane, retired_at: undefined })
  const isCurrent = known?.current_version === version.version
  registerAbility(ctx, {
    ...described,
    ability_id,
    owner_user_id: known?.owner_user_id ?? owner_user_id,
    visibility: findVisibility(ctx, version),
    family: manifest.family,
    source: known?.source ?? (ability_id.startsWith('imported.') ? 'imported' : 'learned'),
    install_lane: lane,
    current_version: version.version,
    primary_capability_id: manifest.capability_id,
    proposal_id: version.proposal_id,
    unproven: version.recipe !== undefined && isUnproven(version.recipe) ? true : undefined,
    kind: version.recipe === undefined ? 'guidance' : 'runnable',
    last_validated_at: isCurrent ? known.last_validated_at : described.last_validated_at,
  })
  const kind = known === undefined ? 'capability.manifest.created' : 'capability.manifest.updated'
  recordManifestEvent(ctx, manifest.capability_id, kind)
}

function findVisibility({ tx }: CommandContext, { proposal_id }: AbilityVersionRow) {
  return proposal_id === undefined ? undefined : findImportByProposal(tx, proposal_id)?.visibility
}

export function recordManifestEvent(
  ctx: CommandContext,
  capability_id: string,
  kind: 'capability.manifest.created' | 'capability.manifest.updated' | 'capability.manifest.deleted',
): void {
  recordCapabilityEvent(ctx, kind, { capability_id })
}
