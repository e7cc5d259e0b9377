import type { LearnSessionDetail } from '@apprentice/contracts/learn/runtime.ts'
import { pauseCapture, resumeCapture, stopCapture } from '@apprentice/contracts/learn/sessions.ts'
import { call } from '../api/client.ts'
import { currentSession, reloadSession } from '../learn/current-session.ts'
import { Icon } from '../parts/icon.tsx'
import { formatName, t } from '../text/text.ts'
import { attempt } from './notices.tsx'

/** Visible on every page while something is observed, with a switch to end it. */
export function ObservationBanner() {
  const detail = currentSession.value
  const scope = detail?.observation_scope
  const state = scope?.capture_state
  if (detail === undefined || scope === undefined || (state !== 'capturing' && state !== 'paused')) return null
  const isCapturing = state === 'capturing'
  return (
    <section id="banner" class={`banner ${state}`} aria-label={t.banner.label} aria-live="polite">
      <strong>
        <Icon name={isCapturing ? 'activity' : 'pause'} /> {isCapturing ? t.banner.observing : t.banner.paused}
      </strong>
      <dl class="banner-facts">
        {listFacts(scope).map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt> <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <Switches detail={detail} />
    </section>
  )
}

function listFacts(scope: NonNullable<LearnSessionDetail['observation_scope']>): readonly [string, string][] {
  const list = (names: readonly string[], none: string) =>
    names.length === 0 ? none : names.map(formatName).join(', ')
  return [
    [t.banner.scope, formatName(scope.scope)],
    [t.banner.adapters, list(scope.adapters_active, t.banner.noAdapters)],
    [t.banner.observed, list(scope.data_classes_observed, t.banner.nothingYet)],
    [t.banner.apps, list(scope.target_app_whitelist, t.banner.allApps)],
    [t.banner.dropped, String(scope.off_target_events_dropped)],
  ]
}

const SWITCHES = { pause: pauseCapture, resume: resumeCapture, stop: stopCapture } as const

function Switches({ detail }: { readonly detail: LearnSessionDetail }) {
  const sessionId = detail.session.learn_session_id
  const allowed = (['pause', 'resume', 'stop'] as const).filter((action) => detail.allowed_actions.includes(action))
  const run = (action: keyof typeof SWITCHES) =>
    attempt(() => call(SWITCHES[action], { params: { sessionId }, body: {} }), reloadSession)
  return (
    <span class="banner-switches">
      {allowed.map((action) => (
        <button key={action} type="button" onClick={() => void run(action)}>
          {t.session.actions[action]}
        </button>
      ))}
    </span>
  )
}
