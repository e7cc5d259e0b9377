import type { CheckpointHealth } from '@apprentice/contracts/abilities/ability.ts'
import {
  type AbilityRow,
  findAbility,
  updateCheckpointHealth,
} from '../../store/abilities/abilities.ts'
import { countLatestCheckpoints } from '../../store/abilities/abilities-checkpoints.ts'
import type { Reader } from '../../store/db/db.ts'
import type { CommandContext } from '../command/context.ts'
import { recordAbilityEvent } from './ability-events.ts'

/** How many of an ability's latest checkpoint receipts tell how it fares. */
const receiptsLookedAt = 100
const receiptsNeeded = 5

interface Counts {
  readonly total: number
  readonly reached: number
  readonly failed: number
}

export function healthOf({ total, reached, failed }: Counts): CheckpointHealth {
  if (total < receiptsNeeded) return 'no_data'
  const [reachedShare, failedShare] = [reached / total, failed / total]
  if (reachedShare >= 0.9 && failedShare <= 0.05) return 'strong'
  if (reachedShare >= 0.7 && failedShare <= 0.2) return 'moderate'
  return 'weak'
}

export function checkpointHealth(
  reader: Reader,
  { ability_id, install_lane }: Pick<AbilityRow, 'ability_id' | 'install_lane'>,
): CheckpointHealth {
  if (install_lane === 'quarantined') return 'quarantined'
  return healthOf(countLatestCheckpoints(reader, ability_id, receiptsLookedAt))
}

/** After a receipt came, or went. True when the health is another one now. */
export function refreshCheckpointHealth(ctx: CommandContext, abilityId: string): boolean {
  const ability = findAbility(ctx.tx, abilityId)
  return ability !== undefined && refreshHealthOf(ctx, ability)
}

export function refreshHealthOf(ctx: CommandContext, ability: AbilityRow): boolean {
  const health = checkpointHealth(ctx.tx, ability)
  if (health === ability.checkpoint_health) return false
  updateCheckpointHealth(ctx.tx, ability.ability_id, health)
  recordAbilityEvent(ctx, ability, 'ability.changed', { checkpoint_health: health })
  return true
}
