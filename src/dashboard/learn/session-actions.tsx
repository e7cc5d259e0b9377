import { useSignal } from '@preact/signals'
import { useLocation } from 'preact-iso'
import type { LearnSessionDetail } from '@apprentice/contracts/learn/runtime.ts'
import {
  cancelSession,
  generateProposal,
  markStep,
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

const COMMANDS = ['start', 'pause', 'resume', 'stop', 'generate_proposal'] as const
type Command = (typeof COMMANDS)[number]
const CONTRACTS = {
  start: startCapture,
  pause: pauseCapture,
  resume: resumeCapture,
  stop: stopCapture,
  generate_proposal: generateProposal,
} as const
/** The step that leads on in each state. */
const PRIMARY = new Set<Command>(['start', 'resume', 'generate_proposal'])

interface DetailProps {
  readonly detail: LearnSessionDetail
}

/** The commands that the daemon permits now. Cancelling stands apart and asks once. */
export function SessionActions({ detail }: DetailProps) {
  const busy = useSignal(false)
  const asking = useSignal(false)
  const { route } = useLocation()
  const params = { sessionId: detail.session.learn_session_id }
  const can = (action: string): boolean => detail.allowed_actions.includes(action)
  const run = async (work: () => Promise<unknown>): Promise<void> => {
    busy.value = true
    await attempt(() => work(), reloadSession)
    busy.value = false
  }
  const draft = async (): Promise<void> => {
    const { session, proposal_id } = await call(generateProposal, { params, body: {} })
    // Open questions stay on this page; a draft is reviewed on its own.
    if (session.state !== 'awaiting_questions') route(`/learn/pending/${proposal_id}`)
  }
  const runCommand = (command: Command) =>
    run(() => (command === 'generate_proposal' ? draft() : call(CONTRACTS[command], { params, body: {} })))
  if (detail.allowed_actions.length === 0) return null
  return (
    <section class="panel controls" aria-label={t.session.controls}>
      <div class="buttons">
        {COMMANDS.filter(can).map((command) => (
          <button
            key={command}
            type="button"
            class={PRIMARY.has(command) ? 'primary' : ''}
            disabled={busy.value}
            onClick={() => void runCommand(command)}
          >
            {t.session.actions[command]}
          </button>
        ))}
        {detail.proposal !== undefined && detail.session.state !== 'awaiting_questions' && (
          <a class="button" href={`/learn/pending/${detail.proposal.proposal_id}`}>
            {t.session.openReview}
          </a>
        )}
        <span class="spacer" />
        {can('cancel') && (
          <button type="button" class="danger quiet" disabled={busy.value} onClick={() => (asking.value = true)}>
            {t.session.actions.cancel}
          </button>
        )}
      </div>
      {can('mark_step') && <StepForm sessionId={params.sessionId} />}
      {asking.value && (
        <Confirm
          title={t.session.cancelTitle}
          text={t.session.cancelText}
          action={t.session.actions.cancel}
          onConfirm={() => void run(() => call(cancelSession, { params, body: {} }))}
          onClose={() => (asking.value = false)}
        />
      )}
    </section>
  )
}

/** Gives the step just done a name. */
function StepForm({ sessionId }: { readonly sessionId: string }) {
  const label = useSignal('')
  const submit = async (): Promise<void> => {
    const body = { step_label: label.value }
    const isDone = await attempt(() => call(markStep, { params: { sessionId }, body }), reloadSession)
    if (isDone) label.value = ''
  }
  return (
    <form
      class="marking"
      onSubmit={(event) => {
        event.preventDefault()
        void submit()
      }}
    >
      <input
        required
        maxLength={240}
        placeholder={t.session.stepHint}
        aria-label={t.session.stepHint}
        value={label.value}
        onInput={({ currentTarget }) => (label.value = currentTarget.value)}
      />
      <button>{t.session.markStep}</button>
    </form>
  )
}
