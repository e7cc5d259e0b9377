import type { ServerListItem } from '@apprentice/contracts/connectors/server.ts'
import type { Badge as BadgeName } from '@apprentice/contracts/connectors/values.ts'
import { Badge } from '../parts/basic.tsx'
import { Countdown } from '../parts/countdown.tsx'
import type { Tone } from '../parts/format.ts'
import { Icon, type IconName } from '../parts/icon.tsx'
import { further } from '../text/further.ts'

const LOOKS: Readonly<Record<BadgeName, { readonly tone: Tone; readonly icon: IconName }>> = {
  connected: { tone: 'good', icon: 'done' },
  approval_required: { tone: 'busy', icon: 'hand' },
  auth_required: { tone: 'busy', icon: 'key' },
  degraded: { tone: 'bad', icon: 'alert' },
  disabled: { tone: 'plain', icon: 'power' },
  deferred: { tone: 'plain', icon: 'clock' },
  background_only: { tone: 'plain', icon: 'moon' },
}

/** The badges that the daemon gave a server, and whether it is throttled, which is no badge. */
export const ServerBadges = ({ server: { badge_states, health } }: { readonly server: ServerListItem }) => (
  <span class="badges">
    {badge_states.map((badge) => (
      <Badge key={badge} {...LOOKS[badge]}>
        {further.connectors.badges[badge]}
      </Badge>
    ))}
    <ThrottlePill health={health} />
  </span>
)

/** Throttling is a pause and not a fault, so it does not look like one. */
function ThrottlePill({ health: { throttle_state, backoff_until } }: Pick<ServerListItem, 'health'>) {
  if (throttle_state.state === 'none') return null
  const isLater = backoff_until !== undefined && Date.parse(backoff_until) > Date.now()
  return (
    <span class="pill throttled" title={further.connectors.throttles[throttle_state.state]}>
      <Icon name="gauge" size={12} />
      {further.connectors.throttled}
      {isLater && (
        <>
          {' · '}
          <Countdown until={backoff_until} />
        </>
      )}
    </span>
  )
}
