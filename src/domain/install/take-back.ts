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
import { putInForce, tellManifest } from './in-force.ts'
import { getSaga, marksOf, saveSaga, tellInstall } from './saga-record.ts'

/** Whether the files of the version in force before are in place again. */
export type Restored = Readonly<Record<FilePlace, boolean>>

/** The files are back as they were; the records follow. A bridge that was not touched is not touched now. */
export function takeBack(act: CommandContext, sagaId: string, restored: Restored): void {
  const saga = getSaga(act, sagaId)
  const { ability_id, version, previous, step } = saga
  const wasInForce = step !== 'materialize' && step !== 'project'
  const before =
    previous.version === undefined
      ? undefined
      : findAbilityVersion(act.tx, ability_id, previous.version)
  if (before !== undefined) returnTo(act, saga, { before, restored, wasInForce })
  else if (wasInForce) removeTraces(act, ability_id)
  if (previous.version !== version) deleteAbilityVersion(act.tx, ability_id, version)
  if (wasInForce) rebuildBridge(act)
  saveSaga(act, { ...saga, status: 'compensated' })
  quarantineProposal(act, saga, restored)
  importTakenBack(act, saga)
  refreshAvailability(act, 'learn.install.failed', { ability_ids: [ability_id] })
}

function returnTo(
  act: CommandContext,
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
  updateAbilityVersion(act.tx, version)
  if (wasInForce)
    putInForce(act, version, { owner_user_id: saga.owner_user_id, lane: laneTo(act, saga) })
}

/** The lane it had, unless somebody has changed it since. */
function laneTo(act: CommandContext, { ability_id, install_lane, previous }: SagaRow) {
  const ability = findAbility(act.tx, ability_id)
  const now = ability === undefined ? install_lane : laneBehind(ability)
  return now === install_lane ? (previous.install_lane ?? now) : now
}

function removeTraces(act: CommandContext, abilityId: string): void {
  const capability_id = findAbility(act.tx, abilityId)?.primary_capability_id ?? abilityId
  removeAbility(act, abilityId)
  deleteCapability(act.tx, capability_id)
  tellManifest(act, capability_id, 'capability.manifest.deleted')
}

/** A skill that only was to change its lane stays what it was. */
function quarantineProposal(act: CommandContext, saga: SagaRow, restored: Restored): void {
  const { ability_id, error_code = 'INTERNAL_ERROR' } = saga
  const whole = restored.canonical && restored.projected
  const proposal = proposalOf(act, saga)
  if (
    proposal?.proposal_state === 'installing_private' ||
    proposal?.proposal_state === 'approved'
  ) {
    moveProposal(act, proposal, 'quarantined', {
      reason: error_code,
      changes: { install_lane: 'quarantined' },
    })
  }
  tellInstall(act, saga, 'learn.install.failed', { code: error_code })
  recordReceipt(act, 'learn.install.failed', {
    ...marksOf(saga),
    status: 'failed',
    summary: `${ability_id} could not be installed; ${whole ? 'everything is as it was' : 'its files could not be put back'}.`,
    reason: saga.error_reason ?? error_code,
  })
}
