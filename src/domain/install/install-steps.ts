import { Failure } from '../../failure/failure.ts'
import { findAbility } from '../../store/abilities/abilities.ts'
import {
  type AbilityVersionRow,
  findAbilityVersion,
  updateAbilityVersion,
} from '../../store/abilities/ability-versions.ts'
import type { SagaRow } from '../../store/install/install-sagas.ts'
import type { StoredProposal } from '../../store/proposals/proposals.ts'
import { refreshAvailability } from '../abilities/availability.ts'
import { effectiveLane } from '../abilities/lanes.ts'
import { rebuildBridge } from '../capabilities/bridge.ts'
import { rebuildBridgeForNewVersion } from '../capabilities/new-version.ts'
import type { CommandContext } from '../command/context.ts'
import { recordReceipt } from '../command/ledger.ts'
import { moveProposal, saveProposal } from '../proposals/moves.ts'
import { recordImportInstalled } from '../skill-import/record/install-outcomes.ts'
import { resolveFollowUps } from '../sessions/follow-ups.ts'
import { activateVersion } from './activate-version.ts'
import { recordFileEdits } from './file-edits.ts'
import { widerLane } from './preflight.ts'
import { findSagaProposal, recordInstallEvent, toReceiptRefs } from './saga-record.ts'

interface Overwritten {
  readonly overwritten: readonly string[]
}

export function recordMaterialized(ctx: CommandContext, saga: SagaRow, files: Overwritten): undefined {
  recordFiles(ctx, saga, { overwritten: files.overwritten, changes: { materialized: true } })
}

export function recordProjected(ctx: CommandContext, saga: SagaRow, files: Overwritten): undefined {
  recordFiles(ctx, saga, { overwritten: files.overwritten, changes: { projected: true } })
}

function recordFiles(
  ctx: CommandContext,
  saga: SagaRow,
  { overwritten, changes }: Overwritten & { changes: Partial<AbilityVersionRow> },
): void {
  updateAbilityVersion(ctx.tx, { ...getVersion(ctx, saga), ...changes })
  if (overwritten.length > 0) {
    recordFileEdits(ctx, saga.ability_id, { paths: overwritten, kept: false })
  }
}

/** Makes the version the current one and rebuilds the bridge with it. Returns why the bridge could not be built. */
export function bridgeVersion(ctx: CommandContext, saga: SagaRow): Failure | undefined {
  const version = { ...getVersion(ctx, saga), partial_state: 'bridge_pending' as const }
  const known = findAbility(ctx.tx, saga.ability_id)
  // The ability may have been promoted since the saga started.
  const lane = known === undefined ? saga.install_lane : widerLane(saga.install_lane, effectiveLane(known))
  activateVersion(ctx, version, { owner_user_id: saga.owner_user_id, lane })
  const isNew = saga.previous.version !== saga.version
  const bridge = isNew ? rebuildBridgeForNewVersion(ctx, version.manifest, saga) : rebuildBridge(ctx, saga)
  return bridge instanceof Failure ? bridge : undefined
}

/** The ability is not usable while its bridge is pending. */
export function refreshUnbridged(ctx: CommandContext, { ability_id }: SagaRow): void {
  refreshAvailability(ctx, 'bridge.rebuild.failed', { ability_ids: [ability_id] })
}

/** The ability is not reported as usable before this step. */
export function makeAvailable(ctx: CommandContext, saga: SagaRow): undefined {
  updateAbilityVersion(ctx.tx, { ...getVersion(ctx, saga), partial_state: undefined })
  refreshAvailability(ctx, 'learn.install.completed', { ability_ids: [saga.ability_id] })
}

export function markAvailabilityPending(ctx: CommandContext, saga: SagaRow): void {
  updateAbilityVersion(ctx.tx, { ...getVersion(ctx, saga), partial_state: 'availability_pending' })
}

/** Moves the proposal to its final state. A rollback has none. */
export function settleProposal(ctx: CommandContext, saga: SagaRow): undefined {
  const proposal = findSagaProposal(ctx, saga)
  if (proposal === undefined) return
  const { install_lane, ability_id } = saga
  const changes = { install_lane, ability_id, primary_capability_id: ability_id }
  const moves = listFinalMoves(proposal, saga)
  if (moves.length === 0) saveProposal(ctx, proposal, changes)
  else moveProposal(ctx, proposal, moves, { changes, session_changes: { ability_id } })
}

function listFinalMoves({ proposal_state }: StoredProposal, { install_lane }: SagaRow) {
  const approval = install_lane === 'experimental_private' ? [] : (['approved'] as const)
  if (proposal_state === 'installing_private') return ['installed_private', ...approval] as const
  return proposal_state === 'installed_private' ? approval : []
}

export function recordInstalled(ctx: CommandContext, saga: SagaRow): void {
  const { ability_id, version, install_lane } = saga
  recordInstallEvent(ctx, saga, 'learn.install.completed', { version, install_lane })
  if (findAbility(ctx.tx, ability_id)?.usable_now) {
    recordInstallEvent(ctx, saga, 'ability.route.enabled')
  }
  recordReceipt(ctx, 'learn.install.completed', {
    ...toReceiptRefs(saga),
    summary: `${ability_id} version ${version} installed into ${install_lane}.`,
  })
  recordImportInstalled(ctx, saga)
  if (saga.previous.version !== version) {
    resolveFollowUps(ctx, ability_id, { result: 'new_version', source_ref: `version:${version}` })
  }
}

function getVersion(ctx: CommandContext, { ability_id, version }: SagaRow): AbilityVersionRow {
  const row = findAbilityVersion(ctx.tx, ability_id, version)
  if (row === undefined) throw new Error(`No version ${version} of ${ability_id}.`)
  return row
}
