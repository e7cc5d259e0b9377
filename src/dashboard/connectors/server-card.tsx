import type { ServerListItem } from '@apprentice/contracts/connectors/server.ts'
import { CategoryButton, readMenuPlace } from '../categories/category-button.tsx'
import { useItemMenu } from '../categories/item-menu.tsx'
import { Time } from '../parts/basic.tsx'
import { further } from '../text/further.ts'
import { EnableSwitch } from './enable-switch.tsx'
import { ServerActions } from './server-actions.tsx'
import { ServerBadges } from './server-badges.tsx'
import { toServerHref } from './server-list.ts'

interface ServerCardProps {
  readonly server: ServerListItem
  readonly onChanged: () => Promise<void>
}

/** One server: what it is, what state it is in, what uses it, and what can be done with it. */
export function ServerCard({ server, onChanged }: ServerCardProps) {
  const { registry, badge_states, last_receipt_id } = server
  const { server_id, display_name, provider, transport, enabled } = registry
  const isDeferred = badge_states.includes('deferred')
  const { menu, open } = useItemMenu('connector')
  return (
    <li
      class={enabled && !isDeferred ? 'panel server-card' : 'panel server-card off'}
      onContextMenu={(event) => open(server_id, readMenuPlace(event))}
    >
      <div class="server-head">
        <h2 translate={false}>{isDeferred ? display_name : <a href={toServerHref(server_id)}>{display_name}</a>}</h2>
        <ServerBadges server={server} />
        <CategoryButton title={display_name} onMenu={(place) => open(server_id, place)} />
        {menu}
      </div>
      <p class="hint">
        {further.connectors.providers[provider]} · {further.connectors.transports[transport]}
        <SignInTerm server={server} />
      </p>
      <StateLines server={server} onChanged={onChanged} />
      <LinkedSkills server={server} />
      {!isDeferred && (
        <div class="server-foot">
          <ServerActions server={server} onChanged={onChanged} />
          {last_receipt_id !== undefined && (
            <a class="small-link" href={`/connectors/receipts?server_id=${encodeURIComponent(server_id)}`}>
              {further.connectors.lastReceipt}
            </a>
          )}
        </div>
      )}
    </li>
  )
}

/** Why a server is not used, if it is not. */
function StateLines({ server, onChanged }: ServerCardProps) {
  const { registry, badge_states, effective_policy, available_actions } = server
  if (badge_states.includes('deferred')) return <p class="hint">{further.connectors.deferredHint}</p>
  if (!registry.enabled) {
    return (
      <p class="server-state">
        {further.connectors.disabledHint}{' '}
        {available_actions.includes('edit') && <EnableSwitch registry={registry} onChanged={onChanged} />}
      </p>
    )
  }
  if (effective_policy.decision.mode !== 'disabled') return null
  const { inherited_from } = effective_policy
  const level = inherited_from === 'none' ? 'server' : inherited_from
  return <p class="server-state">{further.connectors.offByPolicy(further.connectorPolicy.levels[level])}</p>
}

function SignInTerm({ server: { auth } }: { readonly server: ServerListItem }) {
  if (auth?.expires_at === undefined) return null
  const label = auth.auth_state === 'healthy' ? further.connectors.signInUntil : further.connectors.signInEnded
  return (
    <>
      {' · '}
      {label} <Time at={auth.expires_at} />
    </>
  )
}

export function LinkedSkills({ server: { linked_abilities } }: { readonly server: ServerListItem }) {
  if (linked_abilities.length === 0) return null
  return (
    <p class="linked">
      <small>{further.connectors.linkedSkills}</small>
      {linked_abilities.map(({ ability_id, label }) => (
        <a key={ability_id} class="chip" href={`/skills/${encodeURIComponent(ability_id)}`}>
          {label ?? ability_id}
        </a>
      ))}
    </p>
  )
}
