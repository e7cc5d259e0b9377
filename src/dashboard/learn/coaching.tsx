import { useSignal } from '@preact/signals'
import type { z } from 'zod'
import { coachSession, type CoachingKind, listCoaching } from '@apprentice/contracts/learn/coaching.ts'
import type { LearnSessionDetail } from '@apprentice/contracts/learn/runtime.ts'
import type { CapturedStepView } from '@apprentice/contracts/learn/understanding.ts'
import { attempt } from '../app/notices.tsx'
import { call } from '../api/client.ts'
import { useResource } from '../api/resource.ts'
import { Badge, Field } from '../parts/basic.tsx'
import { t } from '../text/text.ts'

type Kind = z.infer<typeof CoachingKind>

interface CoachingProps {
  readonly detail: LearnSessionDetail
  readonly steps: readonly CapturedStepView[]
}

/** Notes for the agent: hints and conditions, about the whole workflow or one step. They become part of the draft. */
export function Coaching({ detail, steps }: CoachingProps) {
  const sessionId = detail.session.learn_session_id
  const { data, reload } = useResource(`${sessionId}/coaching`, () => call(listCoaching, { params: { sessionId } }), {
    changesWith: ['learn.session'],
  })
  const notes = data.value?.notes ?? []
  const findWords = (id: string | undefined) => steps.find(({ event_id }) => event_id === id)?.words
  return (
    <section class="panel coaching">
      <h3>{t.teach.coaching.title}</h3>
      <p class="hint">{t.teach.coaching.handOver}</p>
      {notes.length === 0 && <p class="hint">{t.teach.coaching.none}</p>}
      <ul class="plain">
        {notes.map(({ note_id, kind, said, source_event_id }) => (
          <li key={note_id}>
            <Badge>{t.teach.coaching.kinds[kind]}</Badge> {said}
            {source_event_id !== undefined && <small> · {findWords(source_event_id) ?? ''}</small>}
          </li>
        ))}
      </ul>
      {detail.allowed_actions.includes('coach') && <NoteForm sessionId={sessionId} steps={steps} onAdded={reload} />}
    </section>
  )
}

interface NoteProps {
  readonly sessionId: string
  readonly steps: readonly CapturedStepView[]
  readonly onAdded: () => Promise<void>
}

function NoteForm({ sessionId, steps, onAdded }: NoteProps) {
  const kind = useSignal<Kind>('hint')
  const said = useSignal('')
  const about = useSignal('')
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault()
    const body = {
      kind: kind.value,
      said: said.value,
      ...(about.value !== '' && { at_event_id: about.value }),
    }
    if (await attempt(() => call(coachSession, { params: { sessionId }, body }), onAdded)) said.value = ''
  }
  return (
    <form class="coach-form" onSubmit={(event) => void submit(event)}>
      <Field label={t.teach.coaching.said}>
        <input
          required
          maxLength={240}
          placeholder={t.teach.coaching.example}
          value={said.value}
          onInput={({ currentTarget }) => (said.value = currentTarget.value)}
        />
      </Field>
      <Field label={t.teach.coaching.kind}>
        <select value={kind.value} onChange={({ currentTarget }) => (kind.value = currentTarget.value as Kind)}>
          <option value="hint">{t.teach.coaching.kinds.hint}</option>
          <option value="constraint">{t.teach.coaching.kinds.constraint}</option>
        </select>
      </Field>
      <Field label={t.teach.coaching.about}>
        <select value={about.value} onChange={({ currentTarget }) => (about.value = currentTarget.value)}>
          <option value="">{t.teach.coaching.whole}</option>
          {steps.map(({ event_id, words }, at) => (
            <option key={event_id} value={event_id}>
              {t.teach.film.step(at + 1, words)}
            </option>
          ))}
        </select>
      </Field>
      <button>{t.teach.coaching.add}</button>
    </form>
  )
}
