import type { CheckpointHealth } from '@apprentice/contracts/abilities/ability.ts'
import { type AbilityRow, findAbility, updateCheckpointHealth } from '../../store/abilities/abilities.ts'
import { countLatestCheckpoints } from '../../store/abilities/abilities-checkpoints.ts'
import type { Reader } from '../../store/db/db.ts'
import type { CommandContext } from '../command/context.ts'
import { isShared } from './lanes.ts'
import { recordAbilityEvent } from './ability-events.ts'

/** Health is computed from this many of the latest checkpoint receipts. */
const RECEIPT_WINDOW = 100
const MIN_RECEIPTS = 5
/** Of a shared ability, each user's latest receipts up to this number count. */
const RECEIPTS_PER_USER = 20

interface Counts {
  readonly total: number
  readonly reached: number
  readonly failed: number
}

export function rateCheckpoints({ total, reached, failed }: Counts): CheckpointHealth {
  if (total < MIN_RECEIPTS) return 'no_data'
  const [reachedShare, failedShare] = [reached / total, failed / total]
  if (reachedShare >= 0.9 && failedShare <= 0.05) return 'strong'
  if (reachedShare >= 0.7 && failedShare <= 0.2) return 'moderate'
  return 'weak'
}

export function readCheckpointHealth(
  reader: Reader,
  ability: Pick<AbilityRow, 'ability_id' | 'install_lane' | 'prior_lane' | 'visibility'>,
): CheckpointHealth {
  if (ability.install_lane === 'quarantined') return 'quarantined'
  const per_user = isShared(ability) ? RECEIPTS_PER_USER : RECEIPT_WINDOW
  return rateCheckpoints(countLatestCheckpoints(reader, ability.ability_id, { limit: RECEIPT_WINDOW, per_user }))
}

/** Call after a checkpoint receipt is added or removed. Returns true if the health changed. */
export function refreshCheckpointHealth(ctx: CommandContext, abilityId: string): boolean {
  const ability = findAbility(ctx.tx, abilityId)
  return ability !== undefined && refreshAbilityHealth(ctx, ability)
}

export function refreshAbilityHealth(ctx: CommandContext, ability: AbilityRow): boolean {
  const health = readCheckpointHealth(ctx.tx, ability)
  if (health === ability.checkpoint_health) return false
  updateCheckpointHealth(ctx.tx, ability.ability_id, health)
  recordAbilityEvent(ctx, ability, 'ability.changed', { checkpoint_health: health })
  return true
}
