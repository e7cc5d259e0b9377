import { Failure } from '../../failure/failure.ts'
import { type AbilityVersionRow, listAbilityVersions } from '../../store/abilities/ability-versions.ts'
import { findOpenSaga, type SagaRow } from '../../store/install/install-sagas.ts'
import { assertMayChange, getVisibleAbility } from '../abilities/visibility.ts'
import type { CommandContext } from '../command/context.ts'
import { recordReceipt } from '../command/ledger.ts'
import { installInProgress, toReceiptRefs, openSaga, resumeSaga, recordInstallEvent } from './saga-record.ts'
import { copyVersion } from './write-version.ts'

/** Installs an earlier version again as a new version. The versions in between are not deleted. */
export function startRollback(
  ctx: CommandContext,
  abilityId: string,
  { version, privileged }: { version?: number | undefined; privileged: boolean },
): SagaRow {
  const ability = getVisibleAbility(ctx.tx, abilityId, ctx.actor.user_id)
  assertMayChange(ability, privileged)
  const { install_lane, owner_user_id, learn_session_id } = ability
  if (install_lane === 'quarantined') {
    throw new Failure('INSTALL_LANE_DENIED', 'The ability is quarantined; release it first.')
  }
  const open = findOpenSaga(ctx.tx, abilityId)
  if (open?.kind === 'rollback' && open.status === 'degraded') return resumeSaga(ctx, open)
  if (open !== undefined) throw installInProgress(open)
  const earlier = pickVersion(listAbilityVersions(ctx.tx, abilityId), ability.current_version, version)
  if (earlier === undefined) {
    throw new Failure('ABILITY_VERSION_NOT_FOUND', `${abilityId} has no such earlier version.`)
  }
  const saga = openSaga(ctx, {
    kind: 'rollback',
    owner_user_id,
    proposal_id: earlier.proposal_id,
    learn_session_id,
    ability_id: abilityId,
    skill_slug: earlier.described.skill_slug,
    version: copyVersion(ctx, earlier, install_lane),
    install_lane,
  })
  recordInstallEvent(ctx, saga, 'learn.install.started', {
    install_lane,
    restored_from: earlier.version,
  })
  recordReceipt(ctx, 'learn.install.started', {
    ...toReceiptRefs(saga),
    summary: `Rollback to version ${earlier.version} started.`,
  })
  return saga
}

/**
 * The requested version, else the newest earlier one with another draft. The current version can be requested only
 * when its files were edited.
 */
function pickVersion(
  versions: readonly AbilityVersionRow[],
  current: number,
  requested: number | undefined,
): AbilityVersionRow | undefined {
  const now = versions.find(({ version }) => version === current)
  if (requested === undefined) {
    return versions.findLast((row) => row.version < current && row.draft_hash !== now?.draft_hash)
  }
  if (requested === current) return now?.materialized && now.projected ? undefined : now
  return versions.find(({ version }) => version === requested)
}
