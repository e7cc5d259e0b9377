import { useSignal } from '@preact/signals'
import { listAvailability } from '@apprentice/contracts/abilities/availability.ts'
import { explainCapability, getBridge } from '@apprentice/contracts/capabilities/capability.ts'
import type { z } from 'zod'
import { attempt } from '../app/notices.tsx'
import { call } from '../api/client.ts'
import { useResource } from '../api/resource.ts'
import { ReadFailure, Skeleton } from '../parts/basic.tsx'
import { formatName, t } from '../text/text.ts'

type Ability = z.output<typeof listAvailability.reply>['abilities'][number]

/** "What can I do here?": what can be run now, and why the rest cannot. It reads only while it is open. */
export function AwarenessCard() {
  const isOpen = useSignal(false)
  return (
    <details class="panel awareness" onToggle={({ currentTarget }) => (isOpen.value = currentTarget.open)}>
      <summary>{t.capabilities.whatCanIDo}</summary>
      {isOpen.value && <Abilities />}
    </details>
  )
}

function Abilities() {
  const read = () => Promise.all([call(getBridge), call(listAvailability)])
  const { data, failure, reload } = useResource('awareness', read, {
    changesWith: ['ability.', 'capability.', 'bridge.', 'availability.'],
  })
  if (failure.value !== undefined) return <ReadFailure message={failure.value} onRetry={() => void reload()} />
  if (data.value === undefined) return <Skeleton />
  const [bridge, { abilities, stale }] = data.value
  const usable = abilities.filter(({ usable_now }) => usable_now)
  const others = abilities.filter(({ usable_now }) => !usable_now)
  return (
    <>
      {(stale || bridge.bridge_state !== 'current') && (
        <p class="warning" role="status">
          {t.skills.refreshing}
        </p>
      )}
      <p>{t.capabilities.canRun(usable.length)}</p>
      <ul class="plain">
        {usable.map(({ ability_id, title }) => (
          <li key={ability_id}>
            <a href={`/skills/${encodeURIComponent(ability_id)}`}>{title}</a>
          </li>
        ))}
      </ul>
      {others.length > 0 && <p>{t.capabilities.cannotRun(others.length)}</p>}
      <ul class="plain">
        {others.map((ability) => (
          <Unusable key={ability.ability_id} ability={ability} />
        ))}
      </ul>
      <p class="hint">{t.capabilities.offered(bridge.entries.filter((entry) => entry.routing_eligible).length)}</p>
    </>
  )
}

function Unusable({ ability: { ability_id, title, reason_unusable } }: { readonly ability: Ability }) {
  const reasons = useSignal<readonly string[] | undefined>(undefined)
  const explain = () =>
    attempt(async () => {
      const explained = await call(explainCapability, { body: { capability_id: ability_id } })
      reasons.value = explained.reasons.length === 0 ? [reason_unusable ?? 'not_usable'] : explained.reasons
    })
  return (
    <li>
      <a href={`/skills/${encodeURIComponent(ability_id)}`}>{title}</a>{' '}
      {reasons.value === undefined ? (
        <button type="button" class="quiet" aria-label={t.capabilities.whyNotOf(title)} onClick={() => void explain()}>
          {t.capabilities.whyNot}
        </button>
      ) : (
        <small role="status">{reasons.value.map(formatName).join(', ')}</small>
      )}
    </li>
  )
}
