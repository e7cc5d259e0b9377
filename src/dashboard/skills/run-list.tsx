import { useSignal } from '@preact/signals'
import { listAbilityRuns } from '@apprentice/contracts/abilities/runs.ts'
import { call } from '../api/client.ts'
import { useResource } from '../api/resource.ts'
import { Empty, Pager, Skeleton, StateBadge, Time } from '../parts/basic.tsx'
import { t } from '../text/text.ts'
import { RunOutcome } from './run-outcome.tsx'

const PAGE_SIZE = 20

/** The user's runs of an ability, newest first. */
export function RunList({ abilityId }: { readonly abilityId: string }) {
  const page = useSignal(1)
  const query = { page: page.value, page_size: PAGE_SIZE }
  const { data } = useResource(
    `${abilityId}/runs/${page.value}`,
    () => call(listAbilityRuns, { params: { abilityId }, query }),
    { changesWith: ['ability.'] },
  )
  if (data.value === undefined) return <Skeleton />
  const { runs, total } = data.value
  if (total === 0) return <Empty icon="play" title={t.ability.noRuns} />
  return (
    <>
      <ul class="rows">
        {runs.map((run) => (
          <li key={run.run_id}>
            <details class="panel">
              <summary>
                <StateBadge state={run.state} /> <Time at={run.created_at} />
                <small>{t.ability.version(run.version)}</small>
              </summary>
              <RunOutcome run={run} />
            </details>
          </li>
        ))}
      </ul>
      <Pager page={page.value} pages={Math.ceil(total / PAGE_SIZE)} onPage={(next) => (page.value = next)} />
    </>
  )
}
