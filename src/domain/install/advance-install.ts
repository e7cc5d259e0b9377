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
import { putInForce } from './in-force.ts'
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
export function filesWritten(act: CommandContext, sagaId: string, written: WrittenFiles): void {
  const { step, paths, overwritten } = written
  const saga = getSaga(act, sagaId)
  const here = step === 'materialize' ? { materialized: true } : { projected: true }
  updateAbilityVersion(act.tx, { ...getVersion(act, saga), ...here })
  if (overwritten.length > 0) reportEdits(act, saga.ability_id, { paths: overwritten, kept: false })
  goOn(act, saga, step === 'materialize' ? 'project' : 'bridge', {
    files_written: [...new Set([...saga.files_written, ...paths])],
  })
}

/** The files cannot be written: what was done so far is to be taken back. */
export function giveUp(act: CommandContext, sagaId: string, why: Failure): void {
  saveSaga(act, { ...getSaga(act, sagaId), ...errorOf(why) })
}

/** The version is in force and can be routed to. A bridge that cannot be built leaves the saga to be tried again. */
export function buildBridge(act: CommandContext, sagaId: string): void {
  const saga = getSaga(act, sagaId)
  const version = { ...getVersion(act, saga), partial_state: 'bridge_pending' as const }
  const known = findAbility(act.tx, saga.ability_id)
  // It may have been shared with more people meanwhile.
  const lane =
    known === undefined ? saga.install_lane : widest(saga.install_lane, laneBehind(known))
  putInForce(act, version, { owner_user_id: saga.owner_user_id, lane })
  const isNew = saga.previous.version !== saga.version
  const bridge = isNew ? rebuildWithNew(act, version.manifest) : rebuildBridge(act)
  if (!(bridge instanceof Failure)) {
    goOn(act, saga, 'availability')
    return
  }
  refreshAvailability(act, 'bridge.rebuild.failed', { ability_ids: [saga.ability_id] })
  degrade(act, saga, bridge)
}

/** Nobody sees the ability as usable before this. */
export function makeAvailable(act: CommandContext, sagaId: string): void {
  const saga = getSaga(act, sagaId)
  updateAbilityVersion(act.tx, { ...getVersion(act, saga), partial_state: undefined })
  refreshAvailability(act, 'learn.install.completed', { ability_ids: [saga.ability_id] })
  goOn(act, saga, 'finish')
}

export function leaveUnavailable(act: CommandContext, sagaId: string, why: Failure): void {
  const saga = getSaga(act, sagaId)
  updateAbilityVersion(act.tx, { ...getVersion(act, saga), partial_state: 'availability_pending' })
  degrade(act, saga, why)
}

export function finishInstall(act: CommandContext, sagaId: string): void {
  const saga = getSaga(act, sagaId)
  const proposal = proposalOf(act, saga)
  if (proposal !== undefined) settleProposal(act, proposal, saga)
  saveSaga(act, { ...saga, status: 'completed', step: 'done' })
  const { ability_id, version, install_lane } = saga
  tellInstall(act, saga, 'learn.install.completed', { version, install_lane })
  if (findAbility(act.tx, ability_id)?.usable_now) tellInstall(act, saga, 'ability.route.enabled')
  recordReceipt(act, 'learn.install.completed', {
    ...marksOf(saga),
    summary: `${ability_id} version ${version} installed into ${install_lane}.`,
  })
  importInstalled(act, saga)
}

/** The work on it broke off for a reason nobody foresaw. Writes nothing when the saga knows its own end. */
export function breakOff(act: CommandContext, sagaId: string): void {
  const saga = getSaga(act, sagaId)
  if (saga.status !== 'running') return
  const why = new Failure('INTERNAL_ERROR', 'The installation broke off.')
  if (saga.kind === 'uninstall' || saga.error_code !== undefined) {
    saveSaga(act, { ...saga, ...errorOf(why), status: 'degraded' })
    return
  }
  if (degrade(act, saga, why).status === 'running') queueUndoing(act, saga)
}

/** What failed is tried again when somebody asks; after three tries in vain it is taken back. */
function degrade(act: CommandContext, saga: SagaRow, why: Failure): SagaRow {
  const status = saga.attempts >= mostAttempts ? 'running' : 'degraded'
  const saved = saveSaga(act, { ...saga, ...errorOf(why), status })
  if (status === 'degraded') importDegraded(act, saved)
  return saved
}

function getVersion(act: CommandContext, { ability_id, version }: SagaRow): AbilityVersionRow {
  const row = findAbilityVersion(act.tx, ability_id, version)
  if (row === undefined) throw new Error(`No version ${version} of ${ability_id}.`)
  return row
}

/** The proposal an installation is of; a return to an earlier version changes none. */
export function proposalOf(
  act: CommandContext,
  { kind, proposal_id }: Pick<SagaRow, 'kind' | 'proposal_id'>,
): StoredProposal | undefined {
  if (kind === 'rollback' || kind === 'uninstall' || proposal_id === undefined) return undefined
  return findProposal(act.tx, proposal_id)
}

function settleProposal(act: CommandContext, proposal: StoredProposal, saga: SagaRow): void {
  const { install_lane, ability_id } = saga
  const changes = { install_lane, ability_id, primary_capability_id: ability_id }
  const hops = hopsOf(proposal, saga)
  if (hops.length === 0) saveProposal(act, proposal, changes)
  else moveProposal(act, proposal, hops, { changes, session_changes: { ability_id } })
}

function hopsOf({ proposal_state }: StoredProposal, { install_lane }: SagaRow) {
  const open = install_lane === 'experimental_private' ? [] : (['approved'] as const)
  if (proposal_state === 'installing_private') return ['installed_private', ...open] as const
  return proposal_state === 'installed_private' ? open : []
}
