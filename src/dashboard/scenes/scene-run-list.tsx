import { useSignal } from '@preact/signals'
import type { SceneRun } from '@apprentice/contracts/scenes/run.ts'
import { listSceneRuns } from '@apprentice/contracts/scenes/runs.ts'
import { call } from '../api/client.ts'
import { useResource } from '../api/resource.ts'
import { Badge, Empty, Pager, ReadFailure, Skeleton, Time } from '../parts/basic.tsx'
import { formatDuration, type Tone } from '../parts/format.ts'
import { sayFailure } from '../text/say.ts'
import { further } from '../text/further.ts'

const PAGE_SIZE = 30
const TONES: Readonly<Record<SceneRun['state'], Tone>> = {
  queued: 'busy',
  running: 'busy',
  succeeded: 'good',
  failed: 'bad',
  cancelled: 'plain',
  interrupted: 'bad',
}

export const SceneRunBadge = ({ state }: Pick<SceneRun, 'state'>) => (
  <Badge tone={TONES[state]}>{further.scenes.runState[state]}</Badge>
)

/** The runs of the person, newest first. */
export function SceneRunList() {
  const page = useSignal(1)
  const { data, failure, reload } = useResource(
    `scene-runs/${page.value}`,
    () => call(listSceneRuns, { query: { page: page.value, page_size: PAGE_SIZE } }),
    { changesWith: ['scene.'] },
  )
  if (failure.value !== undefined) return <ReadFailure message={failure.value} onRetry={() => void reload()} />
  if (data.value === undefined) return <Skeleton rows={5} />
  const { runs, total } = data.value
  if (total === 0) return <Empty icon="scene" title={further.scenes.noRuns} />
  return (
    <>
      <ul class="rows scene-runs">
        {runs.map(({ run_id, scene_id, state, instruction, outcome, created_at }) => (
          <li key={run_id} class="panel">
            <SceneRunBadge state={state} />
            <a href={`/scenes/runs/${run_id}`}>
              <strong>{outcome?.report?.title ?? scene_id}</strong>
            </a>
            {instruction !== undefined && <span class="said">{instruction}</span>}
            <span class="spacer" />
            {outcome?.report !== undefined && <small>{further.scenes.rows(outcome.report.row_count)}</small>}
            {outcome !== undefined && <small>{formatDuration(outcome.duration_ms)}</small>}
            <Time at={created_at} />
            {outcome?.problem !== undefined && <small class="error why">{sayFailure(outcome.problem)}</small>}
          </li>
        ))}
      </ul>
      <Pager page={page.value} pages={Math.ceil(total / PAGE_SIZE)} onPage={(next) => (page.value = next)} />
    </>
  )
}
