import { useSignal } from '@preact/signals'
import { useLocation } from 'preact-iso'
import type { LearnSessionDetail } from '@apprentice/contracts/learn/runtime.ts'
import {
  cancelSession,
  generateProposal,
  pauseCapture,
  resumeCapture,
  startCapture,
  stopCapture,
} from '@apprentice/contracts/learn/sessions.ts'
import { attempt } from '../app/notices.tsx'
import { call } from '../api/client.ts'
import { Confirm } from '../parts/dialog.tsx'
import { t } from '../text/text.ts'
import { reloadSession } from './current-session.ts'

interface ActionsProps {
  readonly detail: LearnSessionDetail
  /** The number of captured steps: without one, nothing can be drafted. */
  readonly captured: number
}

/**
 * The command that leads on, in one place in every state: start, done, draft, review. Pausing stands before it.
 * Cancelling is in the menu at the head, where no other button ever is.
 */
export function SessionActions({ detail, captured }: ActionsProps) {
  const busy = useSignal(false)
  const { route } = useLocation()
  const params = { sessionId: detail.session.learn_session_id }
  const can = (action: string): boolean => detail.allowed_actions.includes(action)
  const run = async (work: () => Promise<unknown>): Promise<void> => {
    if (busy.value) return
    busy.value = true
    await attempt(() => work(), reloadSession)
    busy.value = false
  }
  const draft = async (): Promise<void> => {
    const { session, proposal_id } = await call(generateProposal, { params, body: {} })
    // Open questions stay on this page; a draft is reviewed on its own.
    if (session.state !== 'awaiting_questions') route(`/learn/pending/${proposal_id}`)
  }
  const finish = async (): Promise<void> => {
    await call(stopCapture, { params, body: {} })
    await draft()
  }
  const isPractice = detail.session.entry_mode === 'autonomous_agent_practice'
  const proposalId = detail.session.state === 'awaiting_questions' ? undefined : detail.session.proposal_id
  return (
    <div class="lesson-actions" aria-label={t.session.controls} role="group">
      {can('pause') && (
        <button
          type="button"
          disabled={busy.value}
          onClick={() => void run(() => call(pauseCapture, { params, body: {} }))}
        >
          {t.session.actions.pause}
        </button>
      )}
      {can('resume') && !isPractice && (
        <button
          type="button"
          disabled={busy.value}
          onClick={() => void run(() => call(resumeCapture, { params, body: {} }))}
        >
          {t.session.actions.resume}
        </button>
      )}
      <span class="spacer" />
      {can('start') && !isPractice && (
        <button
          type="button"
          class="primary"
          disabled={busy.value}
          onClick={() => void run(() => call(startCapture, { params, body: { source: 'user_click' } }))}
        >
          {t.session.actions.start}
        </button>
      )}
      {can('stop') && !isPractice && (
        <button
          type="button"
          class="primary"
          title={t.teach.actions.doneHint}
          disabled={busy.value || captured === 0}
          onClick={() => void run(finish)}
        >
          {t.teach.actions.done}
        </button>
      )}
      {can('generate_proposal') && (
        <button type="button" class="primary" disabled={busy.value} onClick={() => void run(draft)}>
          {t.session.actions.generate_proposal}
        </button>
      )}
      {proposalId !== undefined && (
        <a class="button primary" href={`/learn/pending/${proposalId}`}>
          {t.session.openReview}
        </a>
      )}
    </div>
  )
}

/** Cancelling asks once; the safe choice has the focus. */
export function CancelLesson({ detail }: { readonly detail: LearnSessionDetail }) {
  const isAsking = useSignal(false)
  const params = { sessionId: detail.session.learn_session_id }
  if (!detail.allowed_actions.includes('cancel')) return null
  return (
    <>
      <button type="button" class="danger quiet" onClick={() => (isAsking.value = true)}>
        {t.session.actions.cancel}
      </button>
      {isAsking.value && (
        <Confirm
          title={t.session.cancelTitle}
          text={t.session.cancelText}
          action={t.session.actions.cancel}
          onConfirm={() => void attempt(() => call(cancelSession, { params, body: {} }), reloadSession)}
          onClose={() => (isAsking.value = false)}
        />
      )}
    </>
  )
}
