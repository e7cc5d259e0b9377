import { useSignal } from '@preact/signals'
import {
  cancelPractice,
  getPractice,
  type Practice as PracticeRecord,
  startPractice,
} from '@apprentice/contracts/learn/practice.ts'
import type { LearnSessionDetail } from '@apprentice/contracts/learn/runtime.ts'
import { cancelSession } from '@apprentice/contracts/learn/sessions.ts'
import { attempt } from '../app/notices.tsx'
import { call } from '../api/client.ts'
import { useResource } from '../api/resource.ts'
import { Field, StateBadge } from '../parts/basic.tsx'
import { PolicyForm } from '../review/policy-form.tsx'
import { say } from '../text/say.ts'
import { t } from '../text/text.ts'
import { chooseSession, reloadSession } from './current-session.ts'
import { startFromSetup } from './start-session.ts'

interface DetailProps {
  readonly detail: LearnSessionDetail
}

/** How a search for a goal goes, what it found, and what to do if it found nothing. */
export function Practice({ detail }: DetailProps) {
  const sessionId = detail.session.learn_session_id
  const { data, reload } = useResource(`${sessionId}/practice`, () => call(getPractice, { params: { sessionId } }), {
    changesWith: ['learn.'],
    pollMs: 2000,
  })
  const practice = data.value?.practice
  const readAgain = async (): Promise<void> => {
    await Promise.all([reload(), reloadSession()])
  }
  return (
    <section class="panel practice">
      {practice !== undefined && <Progress practice={practice} readAgain={readAgain} />}
      {practice?.proposal_id !== undefined && (
        <a class="button primary" href={`/learn/pending/${practice.proposal_id}`}>
          {t.teach.practice.reviewIt}
        </a>
      )}
      {detail.allowed_actions.includes('practise') && (
        <>
          <PolicyForm detail={detail} />
          <AgainForm key={practice?.goal} detail={detail} goal={practice?.goal ?? ''} readAgain={readAgain} />
        </>
      )}
    </section>
  )
}

interface ProgressProps {
  readonly practice: PracticeRecord
  readonly readAgain: () => Promise<void>
}

function Progress({ practice, readAgain }: ProgressProps) {
  const { state, outcome, summary, actions_used, max_actions, screens_seen, closed_ways, path, proof } = practice
  const params = { sessionId: practice.learn_session_id }
  return (
    <>
      <h3>
        {t.practice.title} <StateBadge state={outcome ?? state} />
      </h3>
      <p>{t.teach.practice.proof(proof)}</p>
      {state !== 'ended' && <p class="hint">{t.teach.practice.running}</p>}
      <p role="status">
        {summary === undefined ? t.practice.progress(actions_used, max_actions, screens_seen) : say(summary)}
      </p>
      {state !== 'ended' && <progress max={max_actions} value={actions_used} />}
      {path.length > 0 && (
        <>
          <h4>{t.teach.practice.path}</h4>
          <ol>
            {path.map((step, at) => (
              <li key={at}>{say(step)}</li>
            ))}
          </ol>
        </>
      )}
      {closed_ways.length > 0 && (
        <details>
          <summary>{t.practice.closed(closed_ways.length)}</summary>
          <ul>
            {closed_ways.map(({ label, reason }, at) => (
              <li key={at}>
                {label}: {say(reason)}
              </li>
            ))}
          </ul>
        </details>
      )}
      {state !== 'ended' && (
        <button type="button" onClick={() => void attempt(() => call(cancelPractice, { params, body: {} }), readAgain)}>
          {t.practice.cancel}
        </button>
      )}
    </>
  )
}

interface AgainProps extends DetailProps {
  readonly goal: string
  readonly readAgain: () => Promise<void>
}

/** Another goal or another policy may lead to a result; a person can always show the way. */
function AgainForm({ detail, goal: known, readAgain }: AgainProps) {
  const goal = useSignal(known)
  const { learn_session_id: sessionId, device_serial = '', target_app_whitelist: apps } = detail.session
  const submit = (event: Event): void => {
    event.preventDefault()
    void attempt(() => call(startPractice, { params: { sessionId }, body: { goal: goal.value } }), readAgain)
  }
  const showIt = async (): Promise<void> => {
    await call(cancelSession, { params: { sessionId }, body: {} })
    const setup = {
      goal: goal.value || known,
      serial: device_serial,
      apps,
      observation: 'mixed',
      consent: true,
    } as const
    await chooseSession(await startFromSetup({ mode: 'demonstrating_skill', abilityId: '', mayWrite: true, ...setup }))
  }
  return (
    <form class="again" onSubmit={submit}>
      <Field label={t.teach.practice.goal}>
        <input
          required
          maxLength={400}
          value={goal.value}
          onInput={({ currentTarget }) => (goal.value = currentTarget.value)}
        />
      </Field>
      <div class="buttons">
        <button class="primary">{t.teach.practice.again}</button>
        <button type="button" title={t.teach.practice.showHint} onClick={() => void attempt(showIt, readAgain)}>
          {t.teach.practice.showIt}
        </button>
      </div>
    </form>
  )
}
