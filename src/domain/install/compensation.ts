import { findAbility } from '../../store/abilities/abilities.ts'
import {
  type AbilityVersionRow,
  deleteAbilityVersion,
  findAbilityVersion,
  updateAbilityVersion,
} from '../../store/abilities/ability-versions.ts'
import { deleteCapability } from '../../store/capabilities/capabilities.ts'
import type { SagaRow } from '../../store/install/install-sagas.ts'
import type { FilePlace } from '../../store/install/installed-files.ts'
import { refreshAvailability } from '../abilities/availability.ts'
import { removeAbility } from '../abilities/registry.ts'
import { effectiveLane } from '../abilities/lanes.ts'
import { rebuildBridge } from '../capabilities/bridge.ts'
import type { CommandContext } from '../command/context.ts'
import { recordReceipt } from '../command/ledger.ts'
import { moveProposal } from '../proposals/moves.ts'
import { recordImportCompensated } from '../skill-import/record/install-outcomes.ts'
import { activateVersion, recordManifestEvent } from './activate-version.ts'
import { findSagaProposal, recordInstallEvent, toReceiptRefs } from './saga-record.ts'

/** Whether the previous files are in place again. */
export type RestoredPlaces = Readonly<Record<FilePlace, boolean>>

/** Records on the previous version which of its files are in place. */
export function recordRestoredFiles(ctx: CommandContext, saga: SagaRow, restored: RestoredPlaces): void {
  const previous = findPreviousVersion(ctx, saga)
  if (previous === undefined) return
  updateAbilityVersion(ctx.tx, {
    ...previous,
    materialized: restored.canonical,
    projected: restored.projected,
    partial_state: undefined,
  })
}

/** Makes the previous version the current one again, or removes the ability if there was none. */
export function withdrawVersion(ctx: CommandContext, saga: SagaRow): void {
  const previous = findPreviousVersion(ctx, saga)
  if (previous === undefined) removeAbilityAndCapability(ctx, saga.ability_id)
  else {
    const lane = findPreviousLane(ctx, saga)
    activateVersion(ctx, previous, { owner_user_id: saga.owner_user_id, lane })
  }
  rebuildBridge(ctx, saga)
}

function findPreviousVersion({ tx }: CommandContext, { ability_id, previous }: SagaRow): AbilityVersionRow | undefined {
  return previous.version === undefined ? undefined : findAbilityVersion(tx, ability_id, previous.version)
}

/** The lane from before the saga, unless it was changed while the saga ran. */
function findPreviousLane(ctx: CommandContext, { ability_id, install_lane, previous }: SagaRow) {
  const ability = findAbility(ctx.tx, ability_id)
  const current = ability === undefined ? install_lane : effectiveLane(ability)
  return current === install_lane ? (previous.install_lane ?? current) : current
}

function removeAbilityAndCapability(ctx: CommandContext, abilityId: string): void {
  const capability_id = findAbility(ctx.tx, abilityId)?.primary_capability_id ?? abilityId
  removeAbility(ctx, abilityId)
  deleteCapability(ctx.tx, capability_id)
  recordManifestEvent(ctx, capability_id, 'capability.manifest.deleted')
}

/** Deletes the version that the saga was to install. A saga that only changes the lane installs no new version. */
export function deleteFailedVersion({ tx }: CommandContext, { ability_id, version, previous }: SagaRow): void {
  if (previous.version !== version) deleteAbilityVersion(tx, ability_id, version)
}

/** Quarantines the proposal unless it was installed before, and records the failure. */
export function recordInstallFailed(ctx: CommandContext, saga: SagaRow, restored: RestoredPlaces): void {
  const { ability_id, error_code = 'INTERNAL_ERROR' } = saga
  const proposal = findSagaProposal(ctx, saga)
  if (proposal?.proposal_state === 'installing_private' || proposal?.proposal_state === 'approved') {
    moveProposal(ctx, proposal, 'quarantined', {
      reason: error_code,
      changes: { install_lane: 'quarantined' },
    })
  }
  recordInstallEvent(ctx, saga, 'learn.install.failed', { code: error_code })
  const isRestored = restored.canonical && restored.projected
  recordReceipt(ctx, 'learn.install.failed', {
    ...toReceiptRefs(saga),
    status: 'failed',
    summary: `${ability_id} could not be installed; ${isRestored ? 'all changes were undone' : 'its previous files could not be restored'}.`,
    reason: saga.error_reason ?? error_code,
  })
  recordImportCompensated(ctx, saga)
  refreshAvailability(ctx, 'learn.install.failed', { ability_ids: [ability_id] })
}
