import { Failure } from '../../failure/failure.ts'
import { findAbility } from '../../store/abilities/abilities.ts'
import {
  type AbilityVersionRow,
  findAbilityVersion,
  updateAbilityVersion,
} from '../../store/abilities/ability-versions.ts'
import type { SagaRow } from '../../store/install/install-sagas.ts'
import { findProposal, type StoredProposal } from '../../store/proposals/proposals.ts'
import { refreshAvailability } from '../abilities/availability.ts'
import { laneBehind } from '../abilities/visibility.ts'
import type { CommandContext } from '../command/context.ts'
import { rebuildBridge } from '../capabilities/bridge.ts'
import { rebuildWithNew } from '../capabilities/new-version.ts'
import { recordReceipt } from '../command/ledger.ts'
import { moveProposal, saveProposal } from '../proposals/moves.ts'
import { importDegraded, importInstalled } from '../skill-import/record/follow-install.ts'
import { reportEdits } from './file-drift.ts'
import { activate } from './activate.ts'
import { widest } from './preflight.ts'
import {
  errorOf,
  getSaga,
  goOn,
  marksOf,
  queueUndoing,
  saveSaga,
  tellInstall,
} from './saga-record.ts'

const mostAttempts = 3

export interface WrittenFiles {
  readonly step: 'materialize' | 'project'
  readonly paths: readonly string[]
  /** What somebody had edited by hand in the folder that was replaced. */
  readonly overwritten: readonly string[]
}

/** The files are on disk, here or in the workspace. */
export function filesWritten(ctx: CommandContext, sagaId: string, written: WrittenFiles): void {
  const { step, paths, overwritten } = written
  const saga = getSaga(ctx, sagaId)
  const here = step === 'materialize' ? { materialized: true } : { projected: true }
  updateAbilityVersion(ctx.tx, { ...getVersion(ctx, saga), ...here })
  if (overwritten.length > 0) reportEdits(ctx, saga.ability_id, { paths: overwritten, kept: false })
  goOn(ctx, saga, step === 'materialize' ? 'project' : 'bridge', {
    files_written: [...new Set([...saga.files_written, ...paths])],
  })
}

/** The files cannot be written: what was done so far is to be taken back. */
export function markFailed(ctx: CommandContext, sagaId: string, why: Failure): void {
  saveSaga(ctx, { ...getSaga(ctx, sagaId), ...errorOf(why) })
}

/** The version is in force and can be routed to. A bridge that cannot be built leaves the saga to be tried again. */
export function buildBridge(ctx: CommandContext, sagaId: string): void {
  const saga = getSaga(ctx, sagaId)
  const version = { ...getVersion(ctx, saga), partial_state: 'bridge_pending' as const }
  const known = findAbility(ctx.tx, saga.ability_id)
  // It may have been shared with more people meanwhile.
  const lane =
    known === undefined ? saga.install_lane : widest(saga.install_lane, laneBehind(known))
  activate(ctx, version, { owner_user_id: saga.owner_user_id, lane })
  const isNew = saga.previous.version !== saga.version
  const bridge = isNew ? rebuildWithNew(ctx, version.manifest) : rebuildBridge(ctx)
  if (!(bridge instanceof Failure)) {
    goOn(ctx, saga, 'availability')
    return
  }
  refreshAvailability(ctx, 'bridge.rebuild.failed', { ability_ids: [saga.ability_id] })
  degrade(ctx, saga, bridge)
}

/** Nobody sees the ability as usable before this. */
export function makeAvailable(ctx: CommandContext, sagaId: string): void {
  const saga = getSaga(ctx, sagaId)
  updateAbilityVersion(ctx.tx, { ...getVersion(ctx, saga), partial_state: undefined })
  refreshAvailability(ctx, 'learn.install.completed', { ability_ids: [saga.ability_id] })
  goOn(ctx, saga, 'finish')
}

export function leaveUnavailable(ctx: CommandContext, sagaId: string, why: Failure): void {
  const saga = getSaga(ctx, sagaId)
  updateAbilityVersion(ctx.tx, { ...getVersion(ctx, saga), partial_state: 'availability_pending' })
  degrade(ctx, saga, why)
}

export function finishInstall(ctx: CommandContext, sagaId: string): void {
  const saga = getSaga(ctx, sagaId)
  const proposal = proposalOf(ctx, saga)
  if (proposal !== undefined) settleProposal(ctx, proposal, saga)
  saveSaga(ctx, { ...saga, status: 'completed', step: 'done' })
  const { ability_id, version, install_lane } = saga
  tellInstall(ctx, saga, 'learn.install.completed', { version, install_lane })
  if (findAbility(ctx.tx, ability_id)?.usable_now) tellInstall(ctx, saga, 'ability.route.enabled')
  recordReceipt(ctx, 'learn.install.completed', {
    ...marksOf(saga),
    summary: `${ability_id} version ${version} installed into ${install_lane}.`,
  })
  importInstalled(ctx, saga)
}

/** The work on it broke off for a reason nobody foresaw. Writes nothing when the saga knows its own end. */
export function abort(ctx: CommandContext, sagaId: string): void {
  const saga = getSaga(ctx, sagaId)
  if (saga.status !== 'running') return
  const why = new Failure('INTERNAL_ERROR', 'The installation broke off.')
  if (saga.kind === 'uninstall' || saga.error_code !== undefined) {
    saveSaga(ctx, { ...saga, ...errorOf(why), status: 'degraded' })
    return
  }
  if (degrade(ctx, saga, why).status === 'running') queueUndoing(ctx, saga)
}

/** What failed is tried again when somebody asks; after three tries in vain it is taken back. */
function degrade(ctx: CommandContext, saga: SagaRow, why: Failure): SagaRow {
  const status = saga.attempts >= mostAttempts ? 'running' : 'degraded'
  const saved = saveSaga(ctx, { ...saga, ...errorOf(why), status })
  if (status === 'degraded') importDegraded(ctx, saved)
  return saved
}

function getVersion(ctx: CommandContext, { ability_id, version }: SagaRow): AbilityVersionRow {
  const row = findAbilityVersion(ctx.tx, ability_id, version)
  if (row === undefined) throw new Error(`No version ${version} of ${ability_id}.`)
  return row
}

/** The proposal an installation is of; a return to an earlier version changes none. */
export function proposalOf(
  ctx: CommandContext,
  { kind, proposal_id }: Pick<SagaRow, 'kind' | 'proposal_id'>,
): StoredProposal | undefined {
  if (kind === 'rollback' || kind === 'uninstall' || proposal_id === undefined) return undefined
  return findProposal(ctx.tx, proposal_id)
}

function settleProposal(ctx: CommandContext, proposal: StoredProposal, saga: SagaRow): void {
  const { install_lane, ability_id } = saga
  const changes = { install_lane, ability_id, primary_capability_id: ability_id }
  const hops = hopsOf(proposal, saga)
  if (hops.length === 0) saveProposal(ctx, proposal, changes)
  else moveProposal(ctx, proposal, hops, { changes, session_changes: { ability_id } })
}

function hopsOf({ proposal_state }: StoredProposal, { install_lane }: SagaRow) {
  const open = install_lane === 'experimental_private' ? [] : (['approved'] as const)
  if (proposal_state === 'installing_private') return ['installed_private', ...open] as const
  return proposal_state === 'installed_private' ? open : []
}
