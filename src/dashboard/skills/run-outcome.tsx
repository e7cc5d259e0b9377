import { type AbilityRun, improveFromRun } from '@apprentice/contracts/abilities/runs.ts'
import { useLocation } from 'preact-iso'
import { attempt } from '../app/notices.tsx'
import { call } from '../api/client.ts'
import { chooseSession } from '../learn/current-session.ts'
import { StateBadge } from '../parts/basic.tsx'
import { formatDuration } from '../parts/format.ts'
import { sayFailure } from '../text/say.ts'
import { t } from '../text/text.ts'
import { nameStep } from './run-steps.ts'

/** How a run ended, in one sentence, and what the phone showed. */
export function RunOutcome({ run }: { readonly run: AbilityRun }) {
  const { state, acted, trouble, verification, outputs, dismissed, created_at, settled_at } = run
  const observed = verification.flatMap((one) => (one.observed === undefined ? [] : [one.observed]))
  return (
    <div class="run-result" role="status">
      <p>
        <StateBadge state={state} />{' '}
        {settled_at !== undefined && <small>{formatDuration(Date.parse(settled_at) - Date.parse(created_at))}</small>}
      </p>
      {state === 'success' && !acted && run.scene_run_id === undefined && <p>{t.ability.alreadySo}</p>}
      {state === 'success' && observed.length > 0 && <p>{t.ability.phoneShows(observed.join(', '))}</p>}
      {trouble !== undefined && (
        <p>
          {trouble.step_id !== undefined && `${t.run.failedAt(nameStep(trouble.step_id))} `}
          {t.run.troubles[trouble.code] ?? sayFailure(trouble)}
        </p>
      )}
      {run.used_fallbacks.length > 0 && <p>{t.run.fallback(run.used_fallbacks.length)}</p>}
      {run.items_total !== undefined && <p>{t.run.items(run.items_done ?? 0, run.items_total)}</p>}
      {trouble?.in_the_way !== undefined && <p>{t.ability.inTheWay(trouble.in_the_way)}</p>}
      {dismissed.length > 0 && <p>{t.ability.dismissed(dismissed.join(', '))}</p>}
      {Object.keys(outputs).length > 0 && (
        <dl class="outputs">
          {Object.entries(outputs).map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{Array.isArray(value) ? value.join(', ') : String(value)}</dd>
            </div>
          ))}
        </dl>
      )}
      {state === 'failed' && trouble !== undefined && <ImproveButton runId={run.run_id} />}
    </div>
  )
}

function ImproveButton({ runId }: { readonly runId: string }) {
  const { route } = useLocation()
  const improve = async (): Promise<void> => {
    const { session } = await call(improveFromRun, { params: { runId }, body: {} })
    await chooseSession(session.learn_session_id)
    route('/learn/active')
  }
  return (
    <button type="button" onClick={() => void attempt(improve)}>
      {t.ability.improve}
    </button>
  )
}
