import type { Failure } from '../../failure/failure.ts'
import { findAbility } from '../../store/abilities/abilities.ts'
import { deleteAbilityVersions } from '../../store/abilities/ability-versions.ts'
import { deleteCapability } from '../../store/capabilities/capabilities.ts'
import { findOpenSaga, type SagaRow } from '../../store/install/install-sagas.ts'
import { refreshAvailability } from '../abilities/availability.ts'
import { abilityNotFound, removeAbility } from '../abilities/registry.ts'
import { assertMayChange, getVisibleAbility, laneBehind } from '../abilities/visibility.ts'
import type { CommandContext } from '../command/context.ts'
import { takeOffBridge } from '../capabilities/bridge.ts'
import { forgetAbility } from '../categories/categories.ts'
import { recordReceipt } from '../command/ledger.ts'
import { tellManifest } from './activate.ts'
import {
  errorOf,
  getSaga,
  inProgress,
  marksOf,
  openSaga,
  resumeSaga,
  saveSaga,
} from './saga-record.ts'

/** From here on nobody finds the ability any more; its files go next, its records last. */
export function startUninstall(
  ctx: CommandContext,
  abilityId: string,
  privileged: boolean,
): SagaRow {
  const open = findOpenSaga(ctx.tx, abilityId)
  if (open?.kind === 'uninstall') return goOnWith(ctx, open)
  const ability = getVisibleAbility(ctx.tx, abilityId, ctx.actor.user_id)
  assertMayChange(ability, privileged)
  if (open?.status === 'running') throw inProgress(open)
  // What could not be installed need not be finished to be removed.
  if (open !== undefined) saveSaga(ctx, { ...open, status: 'compensated' })
  const saga = openSaga(ctx, {
    kind: 'uninstall',
    owner_user_id: ability.owner_user_id,
    learn_session_id: ability.learn_session_id,
    ability_id: abilityId,
    skill_slug: ability.skill_slug ?? abilityId.replace(/^\w+\./u, ''),
    version: ability.current_version,
    install_lane: laneBehind(ability),
  })
  removeAbility(ctx, abilityId)
  takeOffBridge(ctx, ability.primary_capability_id ?? abilityId)
  refreshAvailability(ctx, 'ability.removed', { ability_ids: [] })
  return saga
}

/** Files that could not be removed are tried again when whoever removed the ability asks again. */
function goOnWith(ctx: CommandContext, saga: SagaRow): SagaRow {
  if (saga.owner_user_id !== ctx.actor.user_id) throw abilityNotFound(saga.ability_id)
  if (saga.status === 'running') throw inProgress(saga)
  return resumeSaga(ctx, saga)
}

/** The ability is gone; what is left of it on disk goes when somebody asks again. */
export function leaveFiles(ctx: CommandContext, sagaId: string, why: Failure): void {
  saveSaga(ctx, { ...getSaga(ctx, sagaId), ...errorOf(why), status: 'degraded' })
}

export function finishUninstall(ctx: CommandContext, sagaId: string): void {
  const saga = getSaga(ctx, sagaId)
  const { ability_id } = saga
  if (findAbility(ctx.tx, ability_id) !== undefined) throw new Error(`${ability_id} is back.`)
  deleteAbilityVersions(ctx.tx, ability_id)
  deleteCapability(ctx.tx, ability_id)
  forgetAbility(ctx, ability_id)
  tellManifest(ctx, ability_id, 'capability.manifest.deleted')
  saveSaga(ctx, { ...saga, status: 'completed', step: 'done' })
  recordReceipt(ctx, 'ability.uninstalled', {
    ...marksOf(saga),
    summary: `${ability_id} was removed with all its versions.`,
  })
}
