import { listRecentRuns } from '@apprentice/contracts/abilities/learn-from.ts'
import { type AbilityRun, cancelAbilityRun, getAbilityRun } from '@apprentice/contracts/abilities/runs.ts'
import { getAvailability } from '@apprentice/contracts/abilities/availability.ts'
import { attempt } from '../app/notices.tsx'
import { useTitle } from '../app/title.ts'
import { call } from '../api/client.ts'
import { useResource } from '../api/resource.ts'
import { toLearnFrom } from '../learn/shortcuts.ts'
import { ReadFailure, Skeleton, Time } from '../parts/basic.tsx'
import { formatDuration } from '../parts/format.ts'
import { t } from '../text/text.ts'
import { CheckpointList } from './checkpoint-list.tsx'
import { RunOutcome } from './run-outcome.tsx'
import { RunTrace } from './run-trace.tsx'

/** One run: how it ended, its steps with their evidence, its checkpoints, and what can be done next. */
export function RunPage({ id = '' }: { readonly id?: string }) {
  useTitle(t.run.title)
  const { data, failure, reload } = useResource(id, () => readRun(id), {
    changesWith: ['ability.run.', 'execution.'],
    pollMs: 5000,
  })
  if (failure.value !== undefined) return <ReadFailure message={failure.value} onRetry={() => void reload()} />
  if (data.value === undefined) return <Skeleton rows={6} />
  const { run, title, example } = data.value
  const base = `/skills/${encodeURIComponent(run.ability_id)}`
  const isSettled = run.settled_at !== undefined
  return (
    <article class="run-page">
      <p class="crumbs">
        <a href="/skills">{t.nav.skills}</a> / <a href={base}>{title}</a> /{' '}
        <a href={`${base}/runs`}>{t.ability.tabs.runs}</a>
      </p>
      <h1>{title}</h1>
      <p class="badges">
        <Time at={run.created_at} />
        <small>{t.run.tookOn(readDuration(run), run.serial ?? t.run.browser)}</small>
        <small>{t.ability.version(run.version)}</small>
      </p>
      <div class="panel">
        <RunOutcome run={run} />
        <div class="buttons">
          {isSettled ? (
            <a class="button primary" href={base}>
              {t.run.retry}
            </a>
          ) : (
            <button
              type="button"
              onClick={() =>
                void attempt(() => call(cancelAbilityRun, { params: { runId: run.run_id }, body: {} }), reload)
              }
            >
              {t.ability.cancelRun}
            </button>
          )}
          {run.serial !== undefined && (
            <a class="button" href={`/devices/${encodeURIComponent(run.serial)}`}>
              {t.run.showPhone}
            </a>
          )}
          {run.state === 'success' && <LearnFromThis executionId={example} />}
        </div>
      </div>
      <section class="panel">
        <h2>{t.run.steps}</h2>
        <RunTrace run={run} />
      </section>
      <CheckpointList run={run} />
    </article>
  )
}

/** Without stored screens there is nothing to learn from. */
function LearnFromThis({ executionId }: { readonly executionId: string | undefined }) {
  if (executionId === undefined) {
    return (
      <button type="button" disabled title={t.shortcuts.noTraces}>
        {t.shortcuts.learnFromThis}
      </button>
    )
  }
  return (
    <a class="button" href={toLearnFrom(executionId)}>
      {t.shortcuts.learnFromThis}
    </a>
  )
}

interface ReadRun {
  readonly run: AbilityRun
  readonly title: string
  /** The execution of the run whose screens are stored. */
  readonly example: string | undefined
}

const RECENT = { page_size: 100 }

/** An ability that was removed leaves its runs. */
async function readRun(runId: string): Promise<ReadRun> {
  const { run } = await call(getAbilityRun, { params: { runId } })
  const params = { abilityId: run.ability_id }
  const title = await call(getAvailability, { params }).then(
    (ability) => ability.title,
    () => run.ability_id,
  )
  if (run.state !== 'success') return { run, title, example: undefined }
  const { runs } = await call(listRecentRuns, { query: RECENT })
  return { run, title, example: runs.find(({ run_id }) => run_id === runId)?.execution_id }
}

const readDuration = ({ created_at, settled_at }: AbilityRun): string =>
  formatDuration((settled_at === undefined ? Date.now() : Date.parse(settled_at)) - Date.parse(created_at))
