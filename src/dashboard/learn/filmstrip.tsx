import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { deleteObservation } from '@apprentice/contracts/learn/observation.ts'
import type { LearnSessionDetail } from '@apprentice/contracts/learn/runtime.ts'
import { markStep } from '@apprentice/contracts/learn/sessions.ts'
import type { CapturedStepView } from '@apprentice/contracts/learn/understanding.ts'
import { attempt } from '../app/notices.tsx'
import { call } from '../api/client.ts'
import { Badge } from '../parts/basic.tsx'
import { Confirm } from '../parts/dialog.tsx'
import { Icon } from '../parts/icon.tsx'
import { ScreenPicture } from '../phone/screen-picture.tsx'
import { say } from '../text/say.ts'
import { t } from '../text/text.ts'
import type { LessonData } from './lesson-data.ts'

interface FilmstripProps {
  readonly detail: LearnSessionDetail
  readonly lesson: LessonData
}

/** The captured steps as pictures, each with its words, which can be changed, and a button that removes it. */
export function Filmstrip({ detail, lesson }: FilmstripProps) {
  const { steps, understanding, reload } = lesson
  const strip = useRef<HTMLOListElement>(null)
  const removing = useSignal<CapturedStepView | undefined>(undefined)
  const { learn_session_id: sessionId, proposal_id } = detail.session
  const leftOut = new Set(understanding?.left_out.flatMap(({ event_ids }) => event_ids))
  useEffect(() => {
    if (strip.current !== null) strip.current.scrollLeft = strip.current.scrollWidth
  }, [steps.length])
  if (steps.length === 0) return <p class="film-empty hint">{t.teach.film.none}</p>
  return (
    <section class="captured" aria-label={t.teach.film.title(steps.length)}>
      <ol ref={strip} class="filmstrip" tabIndex={0} aria-label={t.teach.film.title(steps.length)}>
        {steps.map((step, at) => (
          <Step
            key={step.event_id}
            sessionId={sessionId}
            step={step}
            number={at + 1}
            isLeftOut={leftOut.has(step.event_id)}
            canRename={detail.allowed_actions.includes('mark_step')}
            onRenamed={reload}
            onRemove={proposal_id === undefined ? () => (removing.value = step) : undefined}
          />
        ))}
      </ol>
      {removing.value !== undefined && (
        <Confirm
          title={t.teach.film.removeTitle}
          text={t.teach.film.removeText}
          action={t.teach.film.removeAction}
          onConfirm={() => {
            const eventId = removing.value?.event_id ?? ''
            void attempt(() => call(deleteObservation, { params: { sessionId, eventId } }), reload)
          }}
          onClose={() => (removing.value = undefined)}
        />
      )}
    </section>
  )
}

interface StepProps {
  readonly sessionId: string
  readonly step: CapturedStepView
  readonly number: number
  readonly isLeftOut: boolean
  readonly canRename: boolean
  readonly onRenamed: () => Promise<void>
  readonly onRemove: (() => void) | undefined
}

function Step({ sessionId, step, number, isLeftOut, canRename, onRenamed, onRemove }: StepProps) {
  const isEditing = useSignal(false)
  const { screen } = step
  const words = say(step.words)
  return (
    <li class={isLeftOut ? 'film-step left-out' : 'film-step'}>
      {screen === undefined ? (
        <span class="no-picture" />
      ) : (
        <ScreenPicture
          evidenceId={screen.evidence_id}
          isCropped
          size={screen}
          frame={screen.bounds}
          label={t.teach.film.picture(words)}
        />
      )}
      {isEditing.value ? (
        <RenameForm sessionId={sessionId} step={step} onRenamed={onRenamed} onClose={() => (isEditing.value = false)} />
      ) : (
        <p class="film-words">
          <b>{number}</b> {words}
        </p>
      )}
      <div class="film-tools">
        {isLeftOut && <Badge>{t.teach.film.leftOut}</Badge>}
        {canRename && (
          <button
            type="button"
            class="quiet"
            aria-label={t.teach.film.rename(words)}
            onClick={() => (isEditing.value = !isEditing.value)}
          >
            <Icon name="pencil" size={14} />
          </button>
        )}
        {onRemove !== undefined && (
          <button type="button" class="quiet" aria-label={t.teach.film.remove(words)} onClick={onRemove}>
            <Icon name="trash" size={14} />
          </button>
        )}
      </div>
    </li>
  )
}

interface RenameProps {
  readonly sessionId: string
  readonly step: CapturedStepView
  readonly onRenamed: () => Promise<void>
  readonly onClose: () => void
}

function RenameForm({ sessionId, step, onRenamed, onClose }: RenameProps) {
  const words = useSignal(step.words)
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault()
    const body = { step_label: words.value, at_event_id: step.event_id }
    if (await attempt(() => call(markStep, { params: { sessionId }, body }), onRenamed)) onClose()
  }
  return (
    <form class="film-rename" onSubmit={(event) => void submit(event)}>
      <input
        required
        maxLength={240}
        aria-label={t.teach.film.words}
        ref={(field) => field?.focus()}
        value={words.value}
        onInput={({ currentTarget }) => (words.value = currentTarget.value)}
        onKeyDown={(event) => event.key === 'Escape' && onClose()}
      />
      <button>{t.teach.film.save}</button>
    </form>
  )
}
