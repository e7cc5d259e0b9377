import { useLocation } from 'preact-iso'
import { useRef } from 'preact/hooks'
import type { SceneRun } from '@apprentice/contracts/scenes/run.ts'
import { SceneRunPhase } from '@apprentice/contracts/scenes/run.ts'
import { cancelSceneRun, getSceneReport, getSceneRun, startSceneRun } from '@apprentice/contracts/scenes/runs.ts'
import { useTitle } from '../app/title.ts'
import { attempt, notify } from '../app/notices.tsx'
import { mayWrite } from '../app/privilege.ts'
import { call, formClient } from '../api/client.ts'
import { useResource } from '../api/resource.ts'
import { ReadFailure, Skeleton, Time } from '../parts/basic.tsx'
import { formatDuration } from '../parts/format.ts'
import { Icon, type IconName } from '../parts/icon.tsx'
import { sayFailure } from '../text/say.ts'
import { further } from '../text/further.ts'
import { PlanView } from './dispatch-view.tsx'
import { ReportTable } from './report-table.tsx'
import { SceneRunBadge } from './scene-run-list.tsx'

const POLL_MS = 2000

/** One run: how far it is, what the page did, and the table it yields. */
export function SceneRunPage({ runId }: { readonly runId: string }) {
  const settled = useRef<SceneRun | undefined>(undefined)
  const read = async (): Promise<SceneRun> => {
    // Nothing changes after its end.
    if (settled.current !== undefined) return settled.current
    const { run } = await call(getSceneRun, { params: { runId } })
    if (run.settled_at !== undefined) settled.current = run
    return run
  }
  const { data, failure, reload } = useResource(runId, read, { changesWith: ['scene.'], pollMs: POLL_MS })
  const run = data.value
  useTitle(run?.outcome?.report?.title ?? run?.scene_id ?? further.scenes.title)
  if (failure.value !== undefined) return <ReadFailure message={failure.value} onRetry={() => void reload()} />
  if (run === undefined) return <Skeleton rows={6} />
  return (
    <article class="scene-run">
      <p class="crumbs">
        <a href="/scenes/runs">{further.scenes.tabs.runs}</a>
      </p>
      <h1>{run.outcome?.report?.title ?? run.scene_id}</h1>
      <p class="badges">
        <SceneRunBadge state={run.state} /> <Time at={run.created_at} />
        {run.outcome !== undefined && <small>{further.scenes.took(formatDuration(run.outcome.duration_ms))}</small>}
      </p>
      {run.instruction !== undefined && <p class="said">{run.instruction}</p>}
      <Progress run={run} />
      <RunButtons run={run} onChanged={reload} />
      {run.outcome?.problem !== undefined && (
        <p class="failure" role="alert">
          <Icon name="alert" /> {sayFailure(run.outcome.problem)}
        </p>
      )}
      <Report run={run} />
      <Attempts run={run} />
      <details class="panel">
        <summary>{further.scenes.plan}</summary>
        <PlanView plan={run.plan} />
      </details>
    </article>
  )
}

interface RunProps {
  readonly run: SceneRun
}

/** The phases of a run, with how far it is. */
function Progress({ run: { state, phase } }: RunProps) {
  const phases = SceneRunPhase.options
  const reached = state === 'succeeded' ? phases.length : phase === undefined ? -1 : phases.indexOf(phase)
  return (
    <ol class="wizard" aria-label={further.scenes.runState[state]}>
      {phases.map((name, at) => {
        const look = chooseLook(state, at - reached)
        return (
          <li key={name} class={look.class} aria-current={look.class === 'current' ? 'step' : undefined}>
            <Icon name={look.icon} size={14} /> {further.scenes.phases[name]}
          </li>
        )
      })}
    </ol>
  )
}

function chooseLook(state: SceneRun['state'], distance: number): { readonly class: string; readonly icon: IconName } {
  if (distance < 0) return { class: 'done', icon: 'done' }
  if (distance > 0 || state === 'queued') return { class: '', icon: 'circle' }
  return state === 'running' ? { class: 'current', icon: 'wait' } : { class: 'failed', icon: 'failed' }
}

function RunButtons({ run, onChanged }: RunProps & { readonly onChanged: () => Promise<void> }) {
  const { route } = useLocation()
  const { run_id: runId, instruction, settled_at, profile } = run
  const cancel = async (): Promise<void> => {
    if (await attempt(() => call(cancelSceneRun, { params: { runId }, body: {} }), onChanged)) {
      notify(further.scenes.cancelling)
    }
  }
  const repeat = () =>
    attempt(async () => {
      const { run: next } = await call(startSceneRun, { body: { instruction, profile } })
      route(`/scenes/runs/${next.run_id}`)
    })
  return (
    <div class="buttons">
      {settled_at === undefined && (
        <button type="button" disabled={!mayWrite.value} onClick={() => void cancel()}>
          {further.scenes.cancel}
        </button>
      )}
      {settled_at !== undefined && instruction !== undefined && (
        <button type="button" disabled={!mayWrite.value} onClick={() => void repeat()}>
          {further.scenes.again}
        </button>
      )}
    </div>
  )
}

function Report({ run }: RunProps) {
  const { run_id: runId, outcome, files } = run
  const report = outcome?.report
  if (report === undefined) return null
  return (
    <section class="panel report">
      <h2>{further.scenes.report}</h2>
      <p class="badges">
        {report.period !== null && (
          <span>
            {further.scenes.period}: {report.period}
          </span>
        )}
        <small>{further.scenes.rows(report.row_count)}</small>
      </p>
      {report.warnings.map((warning) => (
        <p key={warning} class="warning">
          {warning}
        </p>
      ))}
      <div class="buttons" role="group" aria-label={further.scenes.downloads}>
        {files.map(({ format, file_name }) => (
          <a
            key={format}
            class="button"
            href={formClient.address(getSceneReport, { params: { runId }, query: { format } })}
            download={file_name}
            aria-label={further.scenes.downloadOf(format.toUpperCase(), file_name)}
          >
            <Icon name="download" size={14} /> {format.toUpperCase()}
          </a>
        ))}
      </div>
      {files.some(({ format }) => format === 'json') ? (
        <ReportTable runId={runId} title={report.title} />
      ) : (
        <p class="hint">{further.scenes.gone}</p>
      )}
    </section>
  )
}

/** What the page tried in vain, and what it wrote to its console. */
function Attempts({ run: { outcome } }: RunProps) {
  if (outcome === undefined) return null
  const { contained, console, console_dropped, sandboxed } = outcome
  return (
    <>
      {sandboxed === false && <p class="warning">{further.scenes.unsandboxed}</p>}
      {contained.length > 0 && (
        <section class="panel">
          <h2>{further.scenes.contained}</h2>
          <ul class="plain lines">
            {contained.map(({ kind, detail, count }) => (
              <li key={`${kind} ${detail}`}>
                <strong>{further.scenes.containedKinds[kind]}</strong> <span>{detail}</span>
                <small>{further.scenes.times(count)}</small>
              </li>
            ))}
          </ul>
        </section>
      )}
      {console.length > 0 && (
        <section class="panel">
          <h2>{further.scenes.console}</h2>
          <pre tabIndex={0}>
            {console.map(({ level, text }, at) => (
              <span key={at} class={level === 'error' ? 'error' : ''}>{`${level}: ${text}\n`}</span>
            ))}
          </pre>
          {console_dropped > 0 && <p class="hint">{further.scenes.consoleDropped(console_dropped)}</p>}
        </section>
      )}
    </>
  )
}
