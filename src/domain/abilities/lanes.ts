import type { OpenLane } from '@apprentice/contracts/abilities/ability.ts'
import type { AbilityRow } from '../../store/abilities/abilities.ts'

type LaneFields = Pick<AbilityRow, 'install_lane' | 'prior_lane'>
export type VisibilityFields = LaneFields & Pick<AbilityRow, 'visibility'>

/** The lane of an ability, or its lane before the quarantine: quarantine does not change who sees it. */
export const effectiveLane = ({ install_lane, prior_lane }: LaneFields): OpenLane =>
  install_lane === 'quarantined' ? (prior_lane ?? 'experimental_private') : install_lane

export const isShared = (ability: VisibilityFields): boolean =>
  effectiveLane(ability) !== 'experimental_private' || ability.visibility === 'workspace'
