import type { LearnSessionDetail } from '@apprentice/contracts/learn/runtime.ts'
import { deleteObservation, listObservations } from '@apprentice/contracts/learn/observation.ts'
import { attempt } from '../app/notices.tsx'
import { call } from '../api/client.ts'
import { useResource } from '../api/resource.ts'
import { Time } from '../parts/basic.tsx'
import { Icon } from '../parts/icon.tsx'
import { t } from '../text/text.ts'

const PAGE_SIZE = 50
const CAPTURE_STATES = new Set(['capturing', 'paused', 'stopped', 'reviewing', 'awaiting_questions'])

/** The captured actions as they are stored, each with a button that deletes it. */
export function Captured({ detail }: { readonly detail: LearnSessionDetail }) {
  const { learn_session_id: sessionId, state, proposal_id } = detail.session
  const { data, reload } = useResource(
    sessionId,
    () => call(listObservations, { params: { sessionId }, query: { page_size: PAGE_SIZE } }),
    { changesWith: ['learn.'], ...(state === 'capturing' && { pollMs: 1500 }) },
  )
  if (!CAPTURE_STATES.has(state)) return null
  const { events = [], total = 0 } = data.value ?? {}
  const remove = (eventId: string) => attempt(() => call(deleteObservation, { params: { sessionId, eventId } }), reload)
  return (
    <section class="panel captured">
      <h3>{t.session.captured(total)}</h3>
      {total === 0 && <p class="hint">{t.session.capturedNone}</p>}
      <ol>
        {events.map(({ event_id, action_label, created_at }) => (
          <li key={event_id}>
            <span>{action_label}</span>
            <Time at={created_at} />
            {proposal_id === undefined && (
              <button
                type="button"
                class="quiet"
                aria-label={t.session.deleteAction(action_label)}
                onClick={() => void remove(event_id)}
              >
                <Icon name="trash" />
              </button>
            )}
          </li>
        ))}
      </ol>
    </section>
  )
}
