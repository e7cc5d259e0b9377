import { Failure } from '../../failure/failure.ts'
import {
  type AbilityVersionRow,
  listAbilityVersions,
} from '../../store/abilities/ability-versions.ts'
import { findOpenSaga, type SagaRow } from '../../store/install/install-sagas.ts'
import { assertMayChange, getVisibleAbility } from '../abilities/visibility.ts'
import type { CommandContext } from '../command/context.ts'
import { recordReceipt } from '../command/ledger.ts'
import { inProgress, marksOf, openSaga, resumeSaga, tellInstall } from './saga-record.ts'
import { copyVersion } from './write-version.ts'

/** Installs an earlier version again, as a version of its own: what was in between is kept. */
export function startRollback(
  ctx: CommandContext,
  abilityId: string,
  { wanted, privileged }: { wanted?: number | undefined; privileged: boolean },
): SagaRow {
  const ability = getVisibleAbility(ctx.tx, abilityId, ctx.actor.user_id)
  assertMayChange(ability, privileged)
  const { install_lane, owner_user_id, learn_session_id } = ability
  if (install_lane === 'quarantined') {
    throw new Failure('INSTALL_LANE_DENIED', 'The ability is in quarantine; let it out first.')
  }
  const open = findOpenSaga(ctx.tx, abilityId)
  if (open?.kind === 'rollback' && open.status === 'degraded') return resumeSaga(ctx, open)
  if (open !== undefined) throw inProgress(open)
  const earlier = pick(listAbilityVersions(ctx.tx, abilityId), ability.current_version, wanted)
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
  tellInstall(ctx, saga, 'learn.install.started', { install_lane, restored_from: earlier.version })
  recordReceipt(ctx, 'learn.install.started', {
    ...marksOf(saga),
    summary: `Return to version ${earlier.version} begun.`,
  })
  return saga
}

/**
 * The one asked for, else the newest before the current one that is another. The current one itself is written
 * again when somebody has edited its files.
 */
function pick(
  versions: readonly AbilityVersionRow[],
  current: number,
  wanted: number | undefined,
): AbilityVersionRow | undefined {
  const now = versions.find(({ version }) => version === current)
  if (wanted === undefined) {
    return versions.findLast((row) => row.version < current && row.draft_hash !== now?.draft_hash)
  }
  if (wanted === current) return now?.materialized && now.projected ? undefined : now
  return versions.find(({ version }) => version === wanted)
}
