import { cancelPractice, getPractice } from '@apprentice/contracts/learn/practice.ts'
import type { LearnSessionDetail } from '@apprentice/contracts/learn/runtime.ts'
import { attempt } from '../app/notices.tsx'
import { call } from '../api/client.ts'
import { useResource } from '../api/resource.ts'
import { StateBadge } from '../parts/basic.tsx'
import { t } from '../text/text.ts'

/** How a search for a goal goes, and what the policy kept closed. */
export function Practice({ detail }: { readonly detail: LearnSessionDetail }) {
  const sessionId = detail.session.learn_session_id
  const { data, reload } = useResource(`${sessionId}/practice`, () => call(getPractice, { params: { sessionId } }), {
    changesWith: ['learn.'],
    pollMs: 2000,
  })
  const practice = data.value?.practice
  if (practice === undefined) return null
  const { state, outcome, summary, actions_used, max_actions, screens_seen, closed_ways, path } = practice
  return (
    <section class="panel">
      <h3>
        {t.practice.title} <StateBadge state={outcome ?? state} />
      </h3>
      <p>{summary ?? t.practice.progress(actions_used, max_actions, screens_seen)}</p>
      {path.length > 0 && (
        <ol>
          {path.map((step, at) => (
            <li key={at}>{step}</li>
          ))}
        </ol>
      )}
      {closed_ways.length > 0 && (
        <details>
          <summary>{t.practice.closed(closed_ways.length)}</summary>
          <ul>
            {closed_ways.map(({ label, reason }, at) => (
              <li key={at}>
                {label}: {reason}
              </li>
            ))}
          </ul>
        </details>
      )}
      {state !== 'ended' && (
        <button
          type="button"
          onClick={() => void attempt(() => call(cancelPractice, { params: { sessionId }, body: {} }), reload)}
        >
          {t.practice.cancel}
        </button>
      )}
    </section>
  )
}
