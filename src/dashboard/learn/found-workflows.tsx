import { useSignal } from '@preact/signals'
import { useLocation } from 'preact-iso'
import {
  getMiningSettings,
  listTraceClusters,
  scanForWorkflows,
  type TraceCluster,
} from '@apprentice/contracts/learn/mining.ts'
import { attempt, notify } from '../app/notices.tsx'
import { call } from '../api/client.ts'
import { useResource } from '../api/resource.ts'
import { ReadFailure, Skeleton } from '../parts/basic.tsx'
import { say } from '../text/say.ts'
import { t } from '../text/text.ts'
import { openDraft } from './past-runs.tsx'

const PAGE_SIZE = 20
/** As many runs as one request may name. */
const MAX_RUNS = 20

/** Workflows that were repeated in past runs, the drafts made of them, and a search for more. */
export function FoundWorkflows() {
  const isBusy = useSignal(false)
  const query = { page_size: PAGE_SIZE }
  const settings = useResource('mining', () => call(getMiningSettings))
  const { data, failure, reload } = useResource('clusters', () => call(listTraceClusters, { query }), {
    changesWith: ['learn.mining', 'learn.proposal'],
  })
  const isOff = settings.data.value?.mode === 'off'
  const scan = async (): Promise<void> => {
    isBusy.value = true
    await attempt(async () => {
      const { clusters_seen, proposals_created } = await call(scanForWorkflows, { body: {} })
      notify(t.teach.mining.found(clusters_seen, proposals_created.length))
    }, reload)
    isBusy.value = false
  }
  if (failure.value !== undefined) return <ReadFailure message={failure.value} onRetry={() => void reload()} />
  if (data.value === undefined) return <Skeleton />
  const { clusters } = data.value
  return (
    <section class="panel found-workflows">
      <header class="part-head">
        <h3>{t.teach.mining.title}</h3>
        <button type="button" disabled={isBusy.value || isOff} onClick={() => void scan()}>
          {t.teach.mining.scan}
        </button>
      </header>
      <p class="hint">{isOff ? t.teach.mining.off : t.teach.mining.hint}</p>
      {clusters.length === 0 && <p>{t.teach.mining.none}</p>}
      <ul class="plain">
        {clusters.map((cluster) => (
          <Cluster key={cluster.cluster_id} cluster={cluster} />
        ))}
      </ul>
    </section>
  )
}

function Cluster({ cluster }: { readonly cluster: TraceCluster }) {
  const { route } = useLocation()
  const { suggested_name, normalized_goal, successful_trace_ids, proposal_id, covered_by_ability_id } = cluster
  const reasons = cluster.gates.flatMap(({ passed, code }) =>
    passed || code === undefined ? [] : [t.teach.mining.gates[code]],
  )
  const title = suggested_name ?? normalized_goal
  const learn = () => openDraft({ execution_ids: successful_trace_ids.slice(0, MAX_RUNS), goal: title }, route)
  return (
    <li class="cluster">
      <div>
        <b>{title}</b> <small>{t.teach.mining.runs(successful_trace_ids.length)}</small>
        {proposal_id === undefined && (reasons.length > 0 || cluster.build_error !== undefined) && (
          <details>
            <summary>{t.teach.mining.why}</summary>
            <ul>
              {[...reasons, ...(cluster.build_error === undefined ? [] : [cluster.build_error])].map((reason) => (
                <li key={reason}>{say(reason)}</li>
              ))}
            </ul>
          </details>
        )}
      </div>
      {covered_by_ability_id !== undefined && (
        <a class="button" href={`/skills/${encodeURIComponent(covered_by_ability_id)}`}>
          {t.teach.mining.covered}
        </a>
      )}
      {proposal_id !== undefined && covered_by_ability_id === undefined && (
        <a class="button primary" href={`/learn/pending/${proposal_id}`}>
          {t.teach.mining.openDraft}
        </a>
      )}
      {proposal_id === undefined && covered_by_ability_id === undefined && successful_trace_ids.length > 0 && (
        <button type="button" onClick={() => void attempt(learn)}>
          {t.teach.mining.learn}
        </button>
      )}
    </li>
  )
}
