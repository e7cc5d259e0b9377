import type { OpenLane } from '@apprentice/contracts/abilities/ability.ts'
import { findAbility } from '../../store/abilities/abilities.ts'
import {
  type AbilityVersionRow,
  listAbilityVersions,
  updateAbilityVersion,
} from '../../store/abilities/ability-versions.ts'
import { findImportOfProposal } from '../../store/skill-import/skill-imports.ts'
import { registerAbility } from '../abilities/registry.ts'
import type { CommandContext } from '../command/context.ts'
import { recordEvent } from '../command/ledger.ts'

/** Makes a version the one in force: the others are retired, and the ability goes by its words. */
export function activate(
  ctx: CommandContext,
  version: AbilityVersionRow,
  { owner_user_id, lane }: { owner_user_id: string; lane: OpenLane },
): void {
  const { ability_id, manifest } = version
  const { requires_adapter: _, ...described } = version.described
  const known = findAbility(ctx.tx, ability_id)
  for (const other of listAbilityVersions(ctx.tx, ability_id)) {
    if (other.version === version.version || other.retired_at !== undefined) continue
    updateAbilityVersion(ctx.tx, { ...other, retired_at: ctx.now })
  }
  updateAbilityVersion(ctx.tx, { ...version, install_lane: lane, retired_at: undefined })
  const sameAgain = known?.current_version === version.version
  registerAbility(ctx, {
    ...described,
    ability_id,
    owner_user_id: known?.owner_user_id ?? owner_user_id,
    visibility: visibilityOf(ctx, version),
    family: manifest.family,
    source: known?.source ?? (ability_id.startsWith('imported.') ? 'imported' : 'learned'),
    install_lane: lane,
    current_version: version.version,
    primary_capability_id: manifest.capability_id,
    proposal_id: version.proposal_id,
    last_validated_at: sameAgain ? known.last_validated_at : described.last_validated_at,
  })
  const kind = known === undefined ? 'capability.manifest.created' : 'capability.manifest.updated'
  tellManifest(ctx, manifest.capability_id, kind)
}

function visibilityOf({ tx }: CommandContext, { proposal_id }: AbilityVersionRow) {
  return proposal_id === undefined ? undefined : findImportOfProposal(tx, proposal_id)?.visibility
}

export function tellManifest(
  ctx: CommandContext,
  capability_id: string,
  kind:
    | 'capability.manifest.created'
    | 'capability.manifest.updated'
    | 'capability.manifest.deleted',
): void {
  recordEvent(ctx, `capability/${capability_id}`, kind, { capability_id })
}
