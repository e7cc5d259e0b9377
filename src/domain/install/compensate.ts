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
import { laneBehind } from '../abilities/visibility.ts'
import type { CommandContext } from '../command/context.ts'
import { rebuildBridge } from '../capabilities/bridge.ts'
import { recordReceipt } from '../command/ledger.ts'
import { moveProposal } from '../proposals/moves.ts'
import { importTakenBack } from '../skill-import/record/follow-install.ts'
import { proposalOf } from './advance-install.ts'
import { activate, tellManifest } from './activate.ts'
import { getSaga, marksOf, saveSaga, tellInstall } from './saga-record.ts'

/** Whether the files of the version in force before are in place again. */
export type Restored = Readonly<Record<FilePlace, boolean>>

/** The files are back as they were; the records follow. A bridge that was not touched is not touched now. */
export function compensate(ctx: CommandContext, sagaId: string, restored: Restored): void {
  const saga = getSaga(ctx, sagaId)
  const { ability_id, version, previous, step } = saga
  const wasInForce = step !== 'materialize' && step !== 'project'
  const before =
    previous.version === undefined
      ? undefined
      : findAbilityVersion(ctx.tx, ability_id, previous.version)
  if (before !== undefined) returnTo(ctx, saga, { before, restored, wasInForce })
  else if (wasInForce) removeTraces(ctx, ability_id)
  if (previous.version !== version) deleteAbilityVersion(ctx.tx, ability_id, version)
  if (wasInForce) rebuildBridge(ctx)
  saveSaga(ctx, { ...saga, status: 'compensated' })
  quarantineProposal(ctx, saga, restored)
  importTakenBack(ctx, saga)
  refreshAvailability(ctx, 'learn.install.failed', { ability_ids: [ability_id] })
}

function returnTo(
  ctx: CommandContext,
  saga: SagaRow,
  {
    before,
    restored,
    wasInForce,
  }: { before: AbilityVersionRow; restored: Restored; wasInForce: boolean },
): void {
  const version = {
    ...before,
    materialized: restored.canonical,
    projected: restored.projected,
    partial_state: undefined,
  }
  updateAbilityVersion(ctx.tx, version)
  if (wasInForce)
    activate(ctx, version, { owner_user_id: saga.owner_user_id, lane: laneTo(ctx, saga) })
}

/** The lane it had, unless somebody has changed it since. */
function laneTo(ctx: CommandContext, { ability_id, install_lane, previous }: SagaRow) {
  const ability = findAbility(ctx.tx, ability_id)
  const now = ability === undefined ? install_lane : laneBehind(ability)
  return now === install_lane ? (previous.install_lane ?? now) : now
}

function removeTraces(ctx: CommandContext, abilityId: string): void {
  const capability_id = findAbility(ctx.tx, abilityId)?.primary_capability_id ?? abilityId
  removeAbility(ctx, abilityId)
  deleteCapability(ctx.tx, capability_id)
  tellManifest(ctx, capability_id, 'capability.manifest.deleted')
}

/** A skill that only was to change its lane stays what it was. */
function quarantineProposal(ctx: CommandContext, saga: SagaRow, restored: Restored): void {
  const { ability_id, error_code = 'INTERNAL_ERROR' } = saga
  const whole = restored.canonical && restored.projected
  const proposal = proposalOf(ctx, saga)
  if (
    proposal?.proposal_state === 'installing_private' ||
    proposal?.proposal_state === 'approved'
  ) {
    moveProposal(ctx, proposal, 'quarantined', {
      reason: error_code,
      changes: { install_lane: 'quarantined' },
    })
  }
  tellInstall(ctx, saga, 'learn.install.failed', { code: error_code })
  recordReceipt(ctx, 'learn.install.failed', {
    ...marksOf(saga),
    status: 'failed',
    summary: `${ability_id} could not be installed; ${whole ? 'everything is as it was' : 'its files could not be put back'}.`,
    reason: saga.error_reason ?? error_code,
  })
}
