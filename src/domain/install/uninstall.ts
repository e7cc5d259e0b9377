import { findAbility } from '../../store/abilities/abilities.ts'
import { deleteAbilityVersions } from '../../store/abilities/ability-versions.ts'
import { deleteCapability } from '../../store/capabilities/capabilities.ts'
import { findOpenSaga, type SagaRow } from '../../store/install/install-sagas.ts'
import { refreshAvailability } from '../abilities/availability.ts'
import { abilityNotFound, removeAbility } from '../abilities/registry.ts'
import { effectiveLane } from '../abilities/lanes.ts'
import { assertMayChange, getVisibleAbility } from '../abilities/visibility.ts'
import type { CommandContext } from '../command/context.ts'
import { removeFromBridge } from '../capabilities/bridge.ts'
import { removeAbilityFromCategories } from '../categories/categories.ts'
import { recordReceipt } from '../command/ledger.ts'
import { recordManifestEvent } from './activate-version.ts'
import { installInProgress, openSaga, resumeSaga, saveSaga, toReceiptRefs } from './saga-record.ts'

/** Removes the ability from the registry and the bridge and starts the saga that removes its files and versions. */
export function startUninstall(ctx: CommandContext, abilityId: string, privileged: boolean): SagaRow {
  const open = findOpenSaga(ctx.tx, abilityId)
  if (open?.kind === 'uninstall') return resumeUninstall(ctx, open)
  const ability = getVisibleAbility(ctx.tx, abilityId, ctx.actor.user_id)
  assertMayChange(ability, privileged)
  if (open?.status === 'running') throw installInProgress(open)
  // A degraded installation need not be completed before the ability is removed.
  if (open !== undefined) saveSaga(ctx, { ...open, status: 'compensated' })
  const saga = openSaga(ctx, {
    kind: 'uninstall',
    owner_user_id: ability.owner_user_id,
    learn_session_id: ability.learn_session_id,
    ability_id: abilityId,
    skill_slug: ability.skill_slug ?? abilityId.replace(/^\w+\./u, ''),
    version: ability.current_version,
    install_lane: effectiveLane(ability),
  })
  removeAbility(ctx, abilityId)
  removeFromBridge(ctx, ability.primary_capability_id ?? abilityId)
  refreshAvailability(ctx, 'ability.removed', { ability_ids: [] })
  return saga
}

/** Resumes a degraded removal, for its owner only. */
function resumeUninstall(ctx: CommandContext, saga: SagaRow): SagaRow {
  if (saga.owner_user_id !== ctx.actor.user_id) throw abilityNotFound(saga.ability_id)
  if (saga.status === 'running') throw installInProgress(saga)
  return resumeSaga(ctx, saga)
}

/** Deletes all versions of the ability. Its files are removed before. */
export function deleteAbilityRecords(ctx: CommandContext, { ability_id }: SagaRow): undefined {
  if (findAbility(ctx.tx, ability_id) !== undefined) {
    throw new Error(`${ability_id} was registered again during its removal.`)
  }
  deleteAbilityVersions(ctx.tx, ability_id)
  deleteCapability(ctx.tx, ability_id)
  removeAbilityFromCategories(ctx, ability_id)
  recordManifestEvent(ctx, ability_id, 'capability.manifest.deleted')
}

export function recordUninstalled(ctx: CommandContext, saga: SagaRow): void {
  recordReceipt(ctx, 'ability.uninstalled', {
    ...toReceiptRefs(saga),
    summary: `${saga.ability_id} was removed with all its versions.`,
  })
}
