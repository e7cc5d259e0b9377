import { useSignal } from '@preact/signals'
import { useLocation } from 'preact-iso'
import {
  dismissFollowUp,
  type FollowUp,
  listFollowUps,
  repairFollowUp,
} from '@apprentice/contracts/learn/follow-ups.ts'
import { attempt } from '../app/notices.tsx'
import { call } from '../api/client.ts'
import { useResource } from '../api/resource.ts'
import { chooseSession } from '../learn/current-session.ts'
import { StateBadge, Time } from '../parts/basic.tsx'
import { ReasonForm } from '../parts/reason-form.tsx'
import { say } from '../text/say.ts'
import { t } from '../text/text.ts'

/** Checkpoints that agents reported as skipped or failed. Each leads to a repair or is closed with a reason. */
export function FollowUps({ abilityId }: { readonly abilityId: string }) {
  const { route } = useLocation()
  const closing = useSignal<FollowUp | undefined>(undefined)
  const query = { ability_id: abilityId }
  const { data, reload } = useResource(`${abilityId}/follow-ups`, () => call(listFollowUps, { query }), {
    changesWith: ['checkpoint.', 'learn.'],
  })
  const followUps = data.value?.follow_ups ?? []
  if (followUps.length === 0) return null
  const repair = (followUpId: string) =>
    attempt(async () => {
      const { session } = await call(repairFollowUp, { params: { followUpId }, body: {} })
      await chooseSession(session.learn_session_id)
      route('/learn/active')
    })
  return (
    <section class="panel">
      <h2>{t.followUps.title}</h2>
      <ul class="plain">
        {followUps.map((one) => (
          <li key={one.follow_up_id}>
            <StateBadge state={one.state} /> {say(one.summary)} <Time at={one.created_at} />
            {one.state === 'open' && (
              <span class="buttons">
                <button type="button" onClick={() => void repair(one.follow_up_id)}>
                  {t.followUps.repair}
                </button>
                <button type="button" class="quiet" onClick={() => (closing.value = one)}>
                  {t.followUps.dismiss}
                </button>
              </span>
            )}
          </li>
        ))}
      </ul>
      {closing.value !== undefined && (
        <ReasonForm
          title={t.followUps.dismissTitle}
          text={say(closing.value.summary)}
          action={t.followUps.dismiss}
          onReason={(note) =>
            attempt(
              () =>
                call(dismissFollowUp, { params: { followUpId: closing.value?.follow_up_id ?? '' }, body: { note } }),
              reload,
            )
          }
          onClose={() => (closing.value = undefined)}
        />
      )}
    </section>
  )
}
