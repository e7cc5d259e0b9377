import { useSignal } from '@preact/signals'
import { useLocation } from 'preact-iso'
import { learnFromRuns, listRecentRuns, type RecentRun } from '@apprentice/contracts/abilities/learn-from.ts'
import { generateProposal } from '@apprentice/contracts/learn/sessions.ts'
import { attempt } from '../app/notices.tsx'
import { call } from '../api/client.ts'
import { useResource } from '../api/resource.ts'
import { Badge, Empty, Field, ReadFailure, Skeleton, Time } from '../parts/basic.tsx'
import { formatAgo } from '../parts/format.ts'
import { say } from '../text/say.ts'
import { t } from '../text/text.ts'
import { chooseSession } from './current-session.ts'

const PAGE_SIZE = 20

/** Learn From This: chosen past runs become a draft, or questions about what they leave open. */
export function PastRuns({ preselected }: { readonly preselected: string | undefined }) {
  const { route } = useLocation()
  const chosen = useSignal<readonly string[]>(preselected === undefined ? [] : [preselected])
  const goal = useSignal('')
  const query = { page_size: PAGE_SIZE }
  const { data, failure, reload } = useResource('recent-runs', () => call(listRecentRuns, { query }))
  const learn = async (): Promise<void> => {
    const body = { execution_ids: [...chosen.value], ...(goal.value !== '' && { goal: goal.value }) }
    await openDraft(body, route)
  }
  if (failure.value !== undefined) return <ReadFailure message={failure.value} onRetry={() => void reload()} />
  if (data.value === undefined) return <Skeleton />
  const { runs } = data.value
  const toggle = (id: string) =>
    (chosen.value = chosen.value.includes(id) ? chosen.value.filter((one) => one !== id) : [...chosen.value, id])
  return (
    <form
      class="panel past-runs"
      onSubmit={(event) => {
        event.preventDefault()
        void attempt(learn)
      }}
    >
      <h3>{t.teach.past.title}</h3>
      {runs.length === 0 ? (
        <Empty icon="clock" title={t.teach.past.none} />
      ) : (
        <>
          <p class="hint">{t.teach.past.hint}</p>
          <ul class="plain">
            {runs.map((run) => (
              <Run
                key={run.execution_id}
                run={run}
                isChosen={chosen.value.includes(run.execution_id)}
                onToggle={() => toggle(run.execution_id)}
              />
            ))}
          </ul>
          <Field label={t.teach.past.goal}>
            <input
              required
              maxLength={400}
              placeholder={t.setup.goalExample}
              value={goal.value}
              onInput={({ currentTarget }) => (goal.value = currentTarget.value)}
            />
          </Field>
          <div class="buttons">
            <button class="primary" disabled={chosen.value.length === 0}>
              {t.teach.past.learn}
            </button>
            <small role="status">{t.teach.past.chosen(chosen.value.length)}</small>
          </div>
        </>
      )}
    </form>
  )
}

/** Creates the session and drafts at once. Questions are asked in the lesson, a draft is reviewed. */
export async function openDraft(
  body: { readonly execution_ids: string[]; readonly goal?: string },
  route: (path: string) => void,
): Promise<void> {
  const { session } = await call(learnFromRuns, { body })
  const params = { sessionId: session.learn_session_id }
  await chooseSession(session.learn_session_id)
  const drafted = await call(generateProposal, { params, body: {} }).catch((error: unknown) => {
    route('/learn/active')
    throw error
  })
  await chooseSession(session.learn_session_id)
  route(drafted.session.state === 'awaiting_questions' ? '/learn/active' : `/learn/pending/${drafted.proposal_id}`)
}

interface RunProps {
  readonly run: RecentRun
  readonly isChosen: boolean
  readonly onToggle: () => void
}

function Run({ run, isChosen, onToggle }: RunProps) {
  const { goal = t.teach.past.unnamed, succeeded, step_labels, kept_at } = run
  return (
    <li>
      <label class="check">
        <input
          type="checkbox"
          checked={isChosen}
          disabled={!succeeded}
          aria-label={t.teach.past.choose(goal, formatAgo(kept_at))}
          onChange={onToggle}
        />
        <span>
          <b>{goal}</b> {!succeeded && <Badge tone="bad">{t.teach.past.failed}</Badge>}{' '}
          <small>
            {t.teach.past.steps(step_labels.length)}: {step_labels.slice(0, 4).map(say).join(' – ')} ·{' '}
            <Time at={kept_at} />
          </small>
        </span>
      </label>
    </li>
  )
}
