import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { listDevices } from '@apprentice/contracts/devices/device.ts'
import type { ScreenElement } from '@apprentice/contracts/devices/screen.ts'
import type { LearnSessionDetail } from '@apprentice/contracts/learn/runtime.ts'
import { live } from '../api/changes.ts'
import { call } from '../api/client.ts'
import { useResource } from '../api/resource.ts'
import { Empty, Skeleton, StateBadge, Time } from '../parts/basic.tsx'
import { Phone } from '../phone/phone.tsx'
import { t } from '../text/text.ts'
import { CheckpointProgress } from './checkpoint-progress.tsx'
import { Coaching } from './coaching.tsx'
import { activeSessions, chooseSession, currentSession, forgetEndedSession, sessionsKnown } from './current-session.ts'
import { Filmstrip } from './filmstrip.tsx'
import { useLesson } from './lesson-data.ts'
import { Pointing, type PointingState } from './pointing.tsx'
import { Practice } from './practice.tsx'
import { Questions } from './questions.tsx'
import { CancelLesson, SessionActions } from './session-actions.tsx'
import { Stepper } from './stepper.tsx'
import { Timeline } from './timeline.tsx'
import { Understood } from './understood.tsx'

/** The session that is being taught: its phone, what was captured, and what comes next. */
export function ActiveView({ id }: { readonly id: string | undefined }) {
  useEffect(() => {
    void (id === undefined ? forgetEndedSession() : chooseSession(id))
  }, [id])
  const detail = currentSession.value
  if (!sessionsKnown.value) return <Skeleton rows={5} />
  if (detail === undefined) {
    return (
      <Empty icon="learn" title={t.session.none}>
        <a class="button primary" href="/learn/new">
          {t.session.startOne}
        </a>
      </Empty>
    )
  }
  return (
    <>
      <OtherSessions chosen={detail.session.learn_session_id} />
      {!live.value && (
        <p class="warning" role="status">
          {t.session.noLiveUpdates}
        </p>
      )}
      <Lesson key={detail.session.learn_session_id} detail={detail} />
    </>
  )
}

/** The states in which a phone is of use. */
const PHONE_STATES = new Set(['idle', 'armed', 'capturing', 'paused', 'stopped', 'reviewing'])

function Lesson({ detail }: { readonly detail: LearnSessionDetail }) {
  const pointing = useSignal<PointingState | undefined>(undefined)
  const lesson = useLesson(detail)
  const { session } = detail
  const canPoint = session.state === 'capturing' || session.state === 'stopped'
  const isPractice = session.entry_mode === 'autonomous_agent_practice'
  const serial = PHONE_STATES.has(session.state) ? session.device_serial : undefined
  return (
    <article class="lesson">
      <Head detail={detail} />
      {!isPractice && <Filmstrip detail={detail} lesson={lesson} />}
      <div class={serial === undefined ? 'lesson-body without-phone' : 'lesson-body'}>
        {serial !== undefined && (
          <div class="phone-column">
            <SessionPhone serial={serial} onPick={pointing.value?.onElement} />
          </div>
        )}
        <div class="lesson-side">
          <Questions detail={detail} />
          {isPractice && <Practice detail={detail} />}
          {!isPractice && <Understood understanding={lesson.understanding} />}
          {canPoint && serial !== undefined && (
            <Pointing detail={detail} pointing={pointing} onMarked={lesson.reload} />
          )}
          {session.entry_mode === 'coaching_agent' && <Coaching detail={detail} steps={lesson.steps} />}
          <CheckpointProgress detail={detail} />
          <SessionActions detail={detail} captured={lesson.steps.length} />
          <Timeline detail={detail} />
        </div>
      </div>
    </article>
  )
}

function Head({ detail }: { readonly detail: LearnSessionDetail }) {
  const { session, boundaries, proposal } = detail
  const goal = boundaries.findLast(({ kind }) => kind === 'mark_goal')?.label ?? proposal?.title
  const isPractice = session.entry_mode === 'autonomous_agent_practice'
  return (
    <header class="lesson-head">
      <div>
        <h2>{goal ?? t.learn.modes[session.entry_mode]}</h2>
        <p class="badges">
          <StateBadge state={session.state} />
          <small>
            {t.learn.modes[session.entry_mode]} · {t.session.created} <Time at={session.created_at} />
          </small>
        </p>
      </div>
      <Stepper state={session.state} isPractice={isPractice} />
      <details class="lesson-menu">
        <summary>{t.teach.actions.more}</summary>
        <CancelLesson detail={detail} />
      </details>
    </header>
  )
}

function OtherSessions({ chosen }: { readonly chosen: string }) {
  if (activeSessions.value.length < 2) return null
  return (
    <ul class="others" aria-label={t.session.activeSessions}>
      {activeSessions.value.map(({ learn_session_id, title, entry_mode, state }) => (
        <li key={learn_session_id}>
          <button
            type="button"
            aria-pressed={learn_session_id === chosen}
            onClick={() => void chooseSession(learn_session_id)}
          >
            {title ?? t.learn.modes[entry_mode]} <StateBadge state={state} />
          </button>
        </li>
      ))}
    </ul>
  )
}

interface SessionPhoneProps {
  readonly serial: string
  readonly onPick: ((element: ScreenElement) => void) | undefined
}

function SessionPhone({ serial, onPick }: SessionPhoneProps) {
  const { data } = useResource(`devices/${serial}`, () => call(listDevices))
  const device = data.value?.devices.find((one) => one.serial === serial)
  return device === undefined ? null : <Phone device={device} onPick={onPick} />
}
