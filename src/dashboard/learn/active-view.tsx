import { useEffect } from 'preact/hooks'
import { listDevices } from '@apprentice/contracts/devices/device.ts'
import type { LearnSessionDetail } from '@apprentice/contracts/learn/runtime.ts'
import { useSignal } from '@preact/signals'
import type { ScreenElement } from '@apprentice/contracts/devices/screen.ts'
import { live } from '../api/changes.ts'
import { call } from '../api/client.ts'
import { useResource } from '../api/resource.ts'
import { Empty, Skeleton, StateBadge, Time } from '../parts/basic.tsx'
import { Phone } from '../phone/phone.tsx'
import { t } from '../text/text.ts'
import { Captured } from './captured.tsx'
import { activeSessions, chooseSession, currentSession, sessionsKnown } from './current-session.ts'
import { Practice } from './practice.tsx'
import { Pointing, type PointingState } from './pointing.tsx'
import { Questions } from './questions.tsx'
import { SessionActions } from './session-actions.tsx'
import { Timeline } from './timeline.tsx'

/** The session that is being taught: its phone, what was captured, and what comes next. */
export function ActiveView({ id }: { readonly id: string | undefined }) {
  useEffect(() => {
    if (id !== undefined) void chooseSession(id)
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
      <Session key={detail.session.learn_session_id} detail={detail} />
    </>
  )
}

function Session({ detail }: { readonly detail: LearnSessionDetail }) {
  const pointing = useSignal<PointingState | undefined>(undefined)
  const { session } = detail
  const canPoint = session.state === 'capturing' || session.state === 'stopped'
  return (
    <div class="columns session">
      <div>
        <Head detail={detail} />
        <SessionActions detail={detail} />
        {session.entry_mode === 'autonomous_agent_practice' && <Practice detail={detail} />}
        <Questions detail={detail} />
        <Captured detail={detail} />
        {canPoint && <Pointing detail={detail} pointing={pointing} />}
        <Timeline detail={detail} />
      </div>
      {session.device_serial !== undefined && (
        <SessionPhone
          serial={session.device_serial}
          onPick={pointing.value === undefined ? undefined : (element) => pointing.value?.onElement(element)}
        />
      )}
    </div>
  )
}

function Head({ detail }: { readonly detail: LearnSessionDetail }) {
  const { session, boundaries } = detail
  const goal = boundaries.findLast(({ kind }) => kind === 'mark_goal')?.label
  return (
    <header class="session-head">
      <h2>{goal ?? t.learn.modes[session.entry_mode]}</h2>
      <p class="badges">
        <StateBadge state={session.state} />
        <small>
          {t.learn.modes[session.entry_mode]} · {t.session.created} <Time at={session.created_at} />
        </small>
      </p>
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
  return <div class="phone-column">{device !== undefined && <Phone device={device} onPick={onPick} />}</div>
}
